/// Replaces files atomically: a reader sees the old or the new content, even after a crash or a power failure.
///
/// The content is written to a temporary file in the same folder (0600) and synced. Then it is renamed, and the folder is synced. A process
/// that is killed before the rename leaves its temporary file behind. The writer locks that file, so the next write in the folder, by any
/// process, can tell an abandoned file from one in use and removes it. (`O_TMPFILE` would leave nothing, but a link replaces no file.)
///
/// Anything but a regular file is never replaced: a folder fails with `EISDIR`, a symbolic link with `ELOOP`, a device, a named pipe and a
/// socket with `ENOTSUP`. ``FileTarget`` follows a caller's link.
package enum AtomicFile {
    /// Writes a file, whose folder must exist, and returns it, open for reading and appending.
    ///
    /// - Parameter replaces: whether an existing file is replaced. Otherwise the call fails with `EEXIST`.
    @discardableResult
    package static func write(
        _ data: some ContiguousBytes, to path: String, replaces: Bool = true
    ) throws(SystemError) -> DiskFile {
        let folder = Directory.folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open", folder) }
        defer { close(descriptor) }
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        do throws(SystemError) {
            return try write(data, named: name, in: descriptor, replaces: replaces)
        } catch {
            throw SystemError(error.operation, path, code: error.code)
        }
    }

    /// Writes a file in an open folder.
    @discardableResult
    package static func write(
        _ data: some ContiguousBytes, named name: String, in folder: Int32, replaces: Bool = true
    ) throws(SystemError) -> DiskFile {
        try checkReplaceable(name, in: folder)
        sweep(folder)
        let (file, temporary) = try makeTemporary(in: folder)
        do throws(SystemError) {
            try file.write(data)
            try file.sync()
            if replaces {
                guard renameat(folder, temporary, folder, name) == 0 else { throw SystemError("rename", name) }
            } else {
                guard linkat(folder, temporary, folder, name, 0) == 0 else { throw SystemError("link", name) }
                unlinkat(folder, temporary, 0)
            }
        } catch {
            unlinkat(folder, temporary, 0)
            throw error
        }
        // Some file systems cannot sync folders, which is not an error.
        fsync(folder)
        file.unlock()
        return file
    }

    /// Removes the abandoned temporary files in a folder.
    package static func sweep(_ path: String) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        sweep(folder)
        close(folder)
    }

    /// Throws unless the name is free or a regular file: a rename would replace a device or a named pipe.
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
            // Some file systems have no locks. There, nothing is swept either.
            let isLocked = file.lock(.exclusive) || errno != EWOULDBLOCK
            // A concurrent sweep may have removed the file before it was locked.
            if isLocked, try file.status().hasName { return (file, name) }
            unlinkat(folder, name, 0)
        }
        throw last
    }

    private static func sweep(_ folder: Int32) {
        var names: [String] = []
        // Opened again, because the descriptor has its own position in the folder.
        Directory.forEachName(in: ".", of: folder, isHidden: true) { names.append(String(decoding: $0, as: UTF8.self)) }
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            let file = DiskFile(owning: descriptor)
            // The writer may have renamed the file meanwhile. Then this name does not exist any more.
            if (try? file.status().isRegular) == true, file.lock(.exclusive) { unlinkat(folder, name, 0) }
        }
    }
}
