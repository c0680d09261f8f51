import NetCore

/// Small files that only this user can read (0600), written so that a crash at any moment leaves the old one or the new one.
enum PrivateFile {
    struct SystemFailure: Error {
        let text: String

        init(_ call: String, _ path: String) {
            text = "\(call) \(path): \(String(cString: strerror(errno)))"
        }
    }

    static func makeDirectory(_ url: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SystemFailure("mkdir", url.path)
        }
    }

    static func write(_ data: Data, to url: URL) throws {
        let temporary = "\(url.path).new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("open", temporary) }
        do {
            defer { close(descriptor) }
            try write(data, to: descriptor, path: temporary)
            guard fsync(descriptor) == 0 else { throw SystemFailure("fsync", temporary) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, url.path) == 0 else {
            let failure = SystemFailure("rename", url.path)
            unlink(temporary)
            throw failure
        }
        syncDirectory(url.deletingLastPathComponent().path)
    }

    private static func write(_ data: Data, to descriptor: Int32, path: String) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// So that the name survives a power failure. Not every file system can; that is no failure.
    private static func syncDirectory(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
