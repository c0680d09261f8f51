import NetCore

/// Files that only this user can read, in a folder of theirs.
///
/// All is done relative to the folder that was opened and looked at, so that nobody can put another one in its place meanwhile.
struct PrivateFolder: Sendable {
    let path: String

    /// More than any session has.
    private static let sizeLimit = 1 << 20

    func read(_ name: String) throws(SessionStorageError) -> Data? {
        guard let folder = try opened(creating: false) else { return nil }
        let descriptor = openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            throw failure("A session's file cannot be opened", code)
        }
        let file = Descriptor(descriptor)
        let status = try status(of: file, "A session's file", kind: S_IFREG)
        guard status.st_size <= Self.sizeLimit else {
            throw .unreadable("A session's file in \(path) is larger than any session.")
        }
        return try content(of: file)
    }

    func write(_ data: Data, to name: String) throws(SessionStorageError) {
        guard let folder = try opened(creating: true) else { throw failure("The folder was removed", ENOENT) }
        try lock(folder)
        do {
            try AtomicFile.write(data, named: name, in: folder.number)
        } catch {
            throw failure("A session's file cannot be written (\(error.operation))", error.code)
        }
    }

    func remove(_ name: String) throws(SessionStorageError) {
        guard let folder = try opened(creating: false) else { return }
        try lock(folder)
        try remove(name, in: folder)
        _ = fsync(folder.number)
    }

    func removeAll(withSuffix suffix: String) throws(SessionStorageError) {
        guard let folder = try opened(creating: false) else { return }
        try lock(folder)
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .unavailable("The folder \(path) cannot be listed: \(secretFreeText(of: error)).")
        }
        for name in names where name.hasSuffix(suffix) { try remove(name, in: folder) }
        AtomicFile.sweep(path)
        _ = fsync(folder.number)
    }

    private func remove(_ name: String, in folder: Descriptor) throws(SessionStorageError) {
        guard unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else {
            throw failure("A session's file cannot be removed", errno)
        }
    }

    /// The folder, or nil if it is not there.
    private func opened(creating: Bool) throws(SessionStorageError) -> Descriptor? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var descriptor = open(path, flags)
        if descriptor < 0, errno == ENOENT {
            guard creating else { return nil }
            try make(path)
            descriptor = open(path, flags)
        }
        guard descriptor >= 0 else { throw failure("The folder cannot be opened", errno) }
        let folder = Descriptor(descriptor)
        _ = try status(of: folder, "The folder", kind: S_IFDIR)
        return folder
    }

    /// Makes a folder, and those above it, for this user alone.
    private func make(_ path: String) throws(SessionStorageError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw failure("The folder cannot be made", errno)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("The folder cannot be made", errno) }
    }

    /// - Throws: unless it is of that kind, this user's own, and shut to others.
    private func status(of file: Descriptor, _ what: String, kind: mode_t) throws(SessionStorageError) -> stat {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw failure("\(what) cannot be looked at", errno) }
        guard status.st_mode & S_IFMT == kind else { throw .insecure("\(what) in \(path) is something else.") }
        guard status.st_uid == geteuid() else { throw .insecure("\(what) (\(path)) belongs to another user.") }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .insecure(
                "\(what) (\(path)) has mode \(mode): others may read it. Set it to \(kind == S_IFDIR ? 700 : 600).")
        }
        return status
    }

    /// Let go when the folder is closed.
    private func lock(_ folder: Descriptor) throws(SessionStorageError) {
        while flock(folder.number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("The folder cannot be locked", errno) }
        }
    }

    private func failure(_ what: String, _ code: Int32) -> SessionStorageError {
        let text = "\(what) (\(path)): \(String(cString: strerror(code)))."
        // A symbolic link where none may be.
        return code == ELOOP || code == ENOTDIR ? .insecure(text) : .unavailable(text)
    }

    private func content(of file: Descriptor) throws(SessionStorageError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while data.count <= Self.sizeLimit {
            let count = systemRead(file.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("A session's file cannot be read", errno) }
            guard count > 0 else { break }
            data.append(contentsOf: buffer.prefix(count))
        }
        return data
    }
}

/// An open file: closed when its owner lets go of it.
private final class Descriptor {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}

// By another name than the method that calls it.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
