/// An open file, which is closed when the last reference is released. Reads take a position, so that several readers can share it.
package final class DiskFile: Sendable {
    package let descriptor: Int32

    /// Opens a file. A new file is readable by its owner only (0600). A symbolic link is not followed.
    package init(_ path: String, _ flags: Int32) throws(SystemError) {
        descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError("open", path) }
    }

    /// Opens a regular file to append to, and creates it if it does not exist. Resets its permissions to 0600. Anything but a regular
    /// file fails with `ENOTSUP`.
    package convenience init(appendingTo path: String) throws(SystemError) {
        // Without O_NONBLOCK a named pipe would wait for a reader.
        try self.init(path, O_APPEND | O_WRONLY | O_CREAT | O_NONBLOCK)
        guard try status().isRegular else { throw SystemError("open", path, code: ENOTSUP) }
        guard fchmod(descriptor, 0o600) == 0 else { throw SystemError("chmod", path) }
    }

    /// Takes ownership of a descriptor.
    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        unlock()
        close(descriptor)
    }

    /// Returns the file's status.
    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
        return FileStatus(status)
    }

    /// Writes all bytes at the end of a file opened with `O_APPEND`, else after the previous write.
    package func write(_ bytes: some ContiguousBytes) throws(SystemError) {
        try write(bytes) { rest, _ in systemWrite(descriptor, rest) }
    }

    /// - Parameter call: writes some of the bytes, given how many were written before.
    private func write(
        _ bytes: some ContiguousBytes, by call: (UnsafeRawBufferPointer, Int) -> Int
    ) throws(SystemError) {
        let failure = bytes.withUnsafeBytes { bytes -> SystemError? in
            var written = 0
            while written < bytes.count {
                let count = call(UnsafeRawBufferPointer(rebasing: bytes[written...]), written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return SystemError("write") }
                written += count
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Writes all bytes at a position, for a file opened without `O_APPEND`.
    package func write(_ bytes: some ContiguousBytes, at position: Int64) throws(SystemError) {
        try write(bytes) { pwrite(descriptor, $0.baseAddress, $0.count, off_t(position) + off_t($1)) }
    }

    /// Reads bytes from a position. It returns fewer only at the end of the file.
    package func read(_ count: Int, at position: Int64) throws(SystemError) -> Data {
        guard count > 0 else { return Data() }
        guard let buffer = malloc(count) else { throw SystemError("malloc", code: ENOMEM) }
        var filled = 0
        do throws(SystemError) {
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(start: buffer + filled, count: count - filled)
                let read = try read(into: rest, at: position + Int64(filled))
                guard read > 0 else { break }
                filled += read
            }
        } catch {
            free(buffer)
            throw error
        }
        guard filled > 0 else {
            free(buffer)
            return Data()
        }
        return Data(bytesNoCopy: buffer, count: filled, deallocator: .free)
    }

    /// Reads bytes from a position into a buffer, as many as the system gives at once, and returns their number: zero at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(SystemError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError("read") }
        }
    }

    /// Flushes the file to the storage medium, as far as the system supports that.
    package func sync() throws(SystemError) {
        #if canImport(Darwin)
            // On Apple platforms fsync leaves the bytes in the drive's cache.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    }

    /// Starts to write bytes to the storage medium, so that a later ``sync()`` has less to do. It promises nothing, and does nothing where
    /// the system has no such call.
    package func startWriteback(at position: Int64, count: Int64) {
        #if os(Linux)
            _ = LinuxFiles.syncFileRange?(descriptor, position, count, LinuxFiles.startsWriteback)
        #endif
    }

    /// Gives the file a length, and takes the space for it where the file system can: `ENOSPC` if it is not there. New bytes are zeros.
    package func reserve(_ length: Int64) throws(SystemError) {
        #if os(Linux)
            if let fallocate = LinuxFiles.fallocate, fallocate(descriptor, 0, 0, length) != 0, errno == ENOSPC {
                throw SystemError("fallocate")
            }
        #endif
        try truncate(to: length)
    }

    package func truncate(to length: Int64) throws(SystemError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw SystemError("ftruncate") }
    }

    /// Tries to lock the file, and returns whether it did. Closing the file or ending the process releases the lock.
    package func lock(_ kind: LockKind) -> Bool { flock(descriptor, kind.operation | LOCK_NB) == 0 }

    /// Locks the file for this process alone. Polls, since a blocking `flock` could wait forever for a process that was stopped. Fails with
    /// `ETIMEDOUT` after so many seconds, or with `EWOULDBLOCK` for zero.
    package func lock(within seconds: TimeInterval) throws(SystemError) {
        var waited: UInt32 = 0
        var pause: UInt32 = 20
        while !lock(.exclusive) {
            guard TimeInterval(waited) < seconds * 1e6 else {
                throw SystemError("lock", code: seconds > 0 ? ETIMEDOUT : EWOULDBLOCK)
            }
            usleep(pause)
            waited += pause
            pause = min(pause * 2, 2000)
        }
    }

    /// Releases the lock. Closing the file may release it later: a child process that is being started has a copy of the descriptor until it
    /// calls `exec`.
    package func unlock() { flock(descriptor, LOCK_UN) }

    package enum LockKind {
        case shared, exclusive

        fileprivate var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
    }

    /// Sets the modification date. A failure only affects the order of eviction, and is not reported.
    package func touch(_ date: Date) {
        let time = timespec(date)
        let times = [time, time]
        _ = futimens(descriptor, times)
    }
}

extension timespec {
    fileprivate init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        // A date that a file cannot have becomes 1970.
        guard seconds > 0, seconds < 1e11 else {
            self.init(tv_sec: 0, tv_nsec: 0)
            return
        }
        self.init(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    }
}

#if os(Linux)
    /// Calls of Linux that Swift's headers leave out.
    enum LinuxFiles {
        private static let library = DynamicLibrary(["libc.so.6"])
        /// `renameat2`.
        static let rename:
            (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)? =
                library?.symbol("renameat2")
        /// `RENAME_EXCHANGE`.
        static let exchanges: UInt32 = 2
        static let fallocate: (@convention(c) (Int32, Int32, Int64, Int64) -> Int32)? = library?.symbol("fallocate64")
        static let syncFileRange: (@convention(c) (Int32, Int64, Int64, UInt32) -> Int32)? =
            library?.symbol("sync_file_range")
        /// `SYNC_FILE_RANGE_WRITE`.
        static let startsWriteback: UInt32 = 2
    }
#endif

/// `write(2)`, which ``DiskFile/write(_:)`` shadows.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
