import NetCore

/// Held by whoever uploads: by one in all processes. The system lets go of it when a process ends, however it ends.
final class UploadLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Nil if somebody else holds it.
    init?(path: String) throws {
        self.path = path
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw SystemError("open", path) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                return nil
            }
            // Its last holder may have removed the file meanwhile: a lock on what has no name keeps nobody out.
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
                close(descriptor)
                continue
            }
            self.descriptor = descriptor
            return
        }
    }

    deinit {
        unlink(path)
        close(descriptor)
    }
}
