/// Replaces files as a whole: a reader sees the old content or the new one, also after a crash or a power failure.
///
/// The content goes to a temporary file in the same folder (0600) and is synced. A rename gives it the name, and the folder is synced. A
/// process that is killed before the rename leaves its temporary file behind. Such a file is locked while its writer lives, so the next
/// write in the folder, of whatever process, tells it from one in use and removes it. (A file without a name, `O_TMPFILE`, would leave
/// nothing behind, but a link cannot replace another file.)
///
/// What is there and is not a regular file is never replaced: a folder fails with `EISDIR`, a symbolic link with `ELOOP`, a device, a named
/// pipe and a socket with `ENOTSUP`. ``FileTarget`` follows a link that a caller named.
package enum AtomicFile {
    /// What happens to a file that is there already.
    package enum Existing: Sendable {
        case replace
        /// The call fails with `EEXIST`.
        case keep
    }

    /// Writes a file.
    ///
    /// - Parameters:
    ///   - path: the file, in a folder that is there.
    ///   - sweeps: whether the folder is searched for what a killed process left behind.
    /// - Returns: the file, open for reading and for adding at its end.
    @discardableResult
    package static func write(
        _ data: some ContiguousBytes, to path: String, existing: Existing = .replace, sweeps: Bool = true
    ) throws(SystemError) -> DiskFile {
        let folder = Directory.folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open", folder) }
        defer { close(descriptor) }
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        do throws(SystemError) {
            return try write(data, named: name, in: descriptor, existing: existing, sweeps: sweeps)
        } catch {
            throw SystemError(error.operation, path, code: error.code)
        }
    }

    /// Writes a file in a folder that is open.
    @discardableResult
    package static func write(
        _ data: some ContiguousBytes, named name: String, in folder: Int32, existing: Existing = .replace,
        sweeps: Bool = true
    ) throws(SystemError) -> DiskFile {
        try checkReplaceable(name, in: folder)
        if sweeps { sweep(folder) }
        let (file, temporary) = try makeTemporary(in: folder)
        do throws(SystemError) {
            try file.write(data)
            try file.sync()
            switch existing {
            case .replace:
                guard renameat(folder, temporary, folder, name) == 0 else { throw SystemError("rename", name) }
            case .keep:
                guard linkat(folder, temporary, folder, name, 0) == 0 else { throw SystemError("link", name) }
                unlinkat(folder, temporary, 0)
            }
        } catch {
            unlinkat(folder, temporary, 0)
            throw error
        }
        // Not every file system can; that is not an error.
        fsync(folder)
        file.unlock()
        return file
    }

    /// Removes the temporary files in a folder whose writers have ended.
    package static func sweep(_ path: String) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        sweep(folder)
        close(folder)
    }

    /// A rename would replace a device or a named pipe as it replaces a file.
    private static func checkReplaceable(_ name: String, in folder: Int32) throws(SystemError) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        switch FileStatus(status).kind {
        case .regular: return
        case .folder: throw SystemError("replace", name, code: EISDIR)
        case .link: throw SystemError("replace", name, code: ELOOP)
        default: throw SystemError("replace", name, code: ENOTSUP)
        }
    }

    // MARK: Temporary files

    private static let prefix = ".networking-"
    private static let suffix = ".new"

    private static func makeTemporary(in folder: Int32) throws(SystemError) -> (DiskFile, name: String) {
        var last = SystemError("open", code: EEXIST)
        for _ in 0..<16 {
            let name = prefix + String(UInt64.random(in: 0 ... .max), radix: 36) + suffix
            let descriptor = openat(
                folder, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(0o600))
            guard descriptor >= 0 else {
                last = SystemError("open")
                guard last.code == EEXIST || last.code == EINTR else { throw last }
                continue
            }
            let file = DiskFile(owning: descriptor)
            // Not every file system has locks: there nothing is swept either.
            let isLocked = file.lock(.exclusive) || errno != EWOULDBLOCK
            // A sweep in between may have taken it for one without a writer.
            if isLocked, try file.status().hasName { return (file, name) }
            unlinkat(folder, name, 0)
        }
        throw last
    }

    private static func sweep(_ folder: Int32) {
        for name in temporaryNames(in: folder) {
            let descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            let file = DiskFile(owning: descriptor)
            // Its writer may have given it another name meanwhile: then this name is gone, and does not come back.
            if (try? file.status().isRegular) == true, file.lock(.exclusive) { unlinkat(folder, name, 0) }
        }
    }

    private static func temporaryNames(in folder: Int32) -> [String] {
        // Opened anew, since the position in the folder belongs to the descriptor.
        let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let list = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(list) }
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            guard name[0] == CChar(bitPattern: UInt8(ascii: ".")), strncmp(name, prefix, prefix.utf8.count) == 0
            else { continue }
            let text = String(cString: name)
            if text.hasSuffix(suffix) { names.append(text) }
        }
        return names
    }
}
