import NetCore

/// A file that only this user can read (0600), to write to.
final class PrivateFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens a file to add to its end, and makes it if it is not there.
    ///
    /// Resets the file's permissions to 0600. A symbolic link, and what is not a regular file, is refused and left as it is.
    init(appendingTo path: String) throws(LogFileError) {
        self.path = path
        // A named pipe must not make the caller wait for a reader.
        descriptor = open(path, O_APPEND | O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw Self.obstacle(at: path) ?? LogFileError("open", path, code: code)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, FileStatus(status).isRegular else {
            let error = Self.obstacle(at: path) ?? LogFileError("stat", path)
            close(descriptor)
            throw error
        }
        guard fchmod(descriptor, 0o600) == 0 else {
            let error = LogFileError("chmod", path)
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    /// Bytes that it has.
    func size() throws(LogFileError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw LogFileError("stat", path) }
        return Int64(status.st_size)
    }

    func write(_ data: Data) throws(LogFileError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw LogFileError("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Puts a file there whole or not at all, in place of an older one. A symbolic link is followed: see ``FileTarget``.
    static func replace(_ url: URL, with data: Data) throws(LogFileError) {
        do {
            let target = try FileTarget(url.path)
            if let obstacle = target.obstacle { throw LogFileError(obstacle, at: url.path, target.kind) }
            try AtomicFile.write(data, to: target.path)
        } catch let error as SystemError {
            throw LogFileError(error.operation, error.path ?? url.path, code: error.code)
        } catch let error as LogFileError {
            throw error
        } catch {
            throw LogFileError("write", url.path)
        }
    }

    /// What keeps a log from a path: a link, or anything but a regular file.
    static func obstacle(at path: String) -> LogFileError? {
        guard let kind = Directory.status(of: path)?.kind, kind != .regular else { return nil }
        return LogFileError("\(path) is \(kind.rawValue), not a regular file.", at: path, kind)
    }
}

/// Why a file of this SDK's logging cannot be written.
public struct LogFileError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The file.
    public let path: String
    /// The system's number: `ENOSPC`, `EACCES`. Where there is something else than a regular file, `EISDIR` for a folder, `ELOOP` for a
    /// symbolic link, and `ENOTSUP` for a device, a named pipe or a socket.
    public let systemCode: Int32
    private let text: String

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        text = "Cannot \(operation) \(path): \(String(cString: strerror(code)))"
        self.path = path
        systemCode = code
    }

    /// What is there is not a file that may be written.
    init(_ obstacle: String, at path: String, _ kind: FileKind?) {
        text = obstacle
        self.path = path
        systemCode = kind == .folder ? EISDIR : kind == .link ? ELOOP : ENOTSUP
    }

    /// What could not be done, to which file, and why.
    public var description: String { text }
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// Named so that it is not taken for the method of the same name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
