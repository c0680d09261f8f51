import NetCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A file that only this user can read (0600), to write to.
final class PrivateFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens it, and makes it if it is not there. One that others could read is theirs no longer; a symbolic link is not followed.
    init(_ path: String, flags: Int32) throws(LogFileError) {
        self.path = path
        descriptor = open(path, flags | O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw LogFileError("open", path) }
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

    func sync() throws(LogFileError) {
        guard fsync(descriptor) == 0 else { throw LogFileError("fsync", path) }
    }

    /// Puts a file there whole or not at all, in place of an older one.
    static func replace(_ url: URL, with data: Data) throws(LogFileError) {
        let temporary = url.path + ".\(UInt64.random(in: 0 ... .max)).partial"
        do throws(LogFileError) {
            let file = try PrivateFile(temporary, flags: O_EXCL)
            try file.write(data)
            try file.sync()
            guard rename(temporary, url.path) == 0 else { throw LogFileError("rename", url.path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}

/// Why a file of this SDK's logging cannot be written.
public struct LogFileError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The file.
    public let path: String
    /// The system's number: `ENOSPC`, `EACCES`.
    public let systemCode: Int32
    private let operation: String

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        systemCode = code
    }

    /// What could not be done, to which file, and why.
    public var description: String { "Cannot \(operation) \(path): \(String(cString: strerror(systemCode)))" }
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// Named so that it is not taken for the method of the same name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
