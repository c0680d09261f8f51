/// A file that is open: closed when its last owner lets go of it.
///
/// Positions are given with each call, so that several readers may share it.
package final class DiskFile: Sendable {
    package let descriptor: Int32

    /// Opens a file. What it creates only this user can read (0600); a symbolic link is not followed.
    package init(_ path: String, _ flags: Int32) throws(SystemError) {
        descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError("open", path) }
    }

    /// Opens a regular file to append to, and creates it if it does not exist. Resets its permissions to 0600.
    ///
    /// - Throws: ``SystemError``, with `ENOTSUP` for anything but a regular file.
    package convenience init(appendingTo path: String) throws(SystemError) {
        // Without O_NONBLOCK a named pipe would wait for a reader.
        try self.init(path, O_APPEND | O_WRONLY | O_CREAT | O_NONBLOCK)
        guard try status().isRegular else { throw SystemError("open", path, code: ENOTSUP) }
        guard fchmod(descriptor, 0o600) == 0 else { throw SystemError("chmod", path) }
    }

    /// Takes over a descriptor.
    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        unlock()
        close(descriptor)
    }

    /// Its length in bytes, and when it was written or used last.
    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
        return FileStatus(status)
    }

    /// Writes all bytes at the end of a file that was opened with `O_APPEND`, or behind those written before.
    package func write(_ bytes: some ContiguousBytes) throws(SystemError) {
        let failure = bytes.withUnsafeBytes { bytes -> SystemError? in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return SystemError("write") }
                rest = rest.dropFirst(count)
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// The bytes from a position on: fewer than asked for only at the end of the file.
    package func read(_ count: Int, at position: Int64) throws(SystemError) -> Data {
        guard count > 0 else { return Data() }
        guard let buffer = malloc(count) else { throw SystemError("malloc", code: ENOMEM) }
        var filled = 0
        while filled < count {
            let read = pread(descriptor, buffer + filled, count - filled, off_t(position) + off_t(filled))
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else {
                let error = SystemError("read")
                free(buffer)
                throw error
            }
            guard read > 0 else { break }
            filled += read
        }
        guard filled > 0 else {
            free(buffer)
            return Data()
        }
        return Data(bytesNoCopy: buffer, count: filled, deallocator: .free)
    }

    /// Returns when the bytes are on the medium, as far as the system can say.
    package func sync() throws(SystemError) {
        #if canImport(Darwin)
            // There, fsync leaves the bytes in the drive's own memory.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    }

    package func truncate(to length: Int64) throws(SystemError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw SystemError("ftruncate") }
    }

    /// Whether the lock could be had at once. It is let go when the file is closed, also by the end of the process.
    package func lock(_ kind: LockKind) -> Bool {
        flock(descriptor, kind.operation | LOCK_NB) == 0
    }

    /// Lets go of the lock. The end of the file does so too, but not at once: a child that is being started just then has a copy of the
    /// descriptor, with which the lock would live on until it runs.
    package func unlock() {
        flock(descriptor, LOCK_UN)
    }

    package enum LockKind {
        case shared, exclusive

        fileprivate var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
    }

    /// Notes a moment as the time of its last change. A failure costs the order of eviction, and is not reported.
    package func touch(_ date: Date) {
        let time = timespec(date)
        let times = [time, time]
        _ = futimens(descriptor, times)
    }
}

extension timespec {
    fileprivate init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        // What is no time of a file counts as the beginning of time.
        guard seconds > 0, seconds < 1e11 else {
            self.init(tv_sec: 0, tv_nsec: 0)
            return
        }
        self.init(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    }
}

/// By another name than the method that calls it.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// A call to the system that failed.
package struct SystemError: Error, Hashable, CustomStringConvertible, LocalizedError {
    package let operation: String
    package let path: String?
    package let code: Int32

    /// Takes the code from `errno`, so make it at once.
    package init(_ operation: String, _ path: String? = nil) {
        self.init(operation, path, code: errno)
    }

    package init(_ operation: String, _ path: String? = nil, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    package var description: String {
        "\(operation)\(path.map { " \($0)" } ?? "") failed: \(String(cString: strerror(code))) (\(code))"
    }
    package var errorDescription: String? { description }
}
