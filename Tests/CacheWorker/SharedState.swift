import NetCore

/// Numbers that up to eight processes share in a file: how far each has come, and the version of each resource.
final class SharedState: Sendable {
    private let descriptor: Int32
    private let who, processes: Int
    /// Its lock also keeps the tasks of this process apart: a lock of the file belongs to the descriptor, which all of them share.
    private let step = Locked(UInt64(0))

    init(_ file: URL, who: Int, processes: Int = 2) throws {
        (self.who, self.processes) = (who, processes)
        descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }

    private func read(_ index: Int) -> UInt64 {
        var value = UInt64(0)
        return pread(descriptor, &value, 8, off_t(index * 8)) == 8 ? value : 0
    }

    private func write(_ value: UInt64, at index: Int) {
        var value = value
        _ = pwrite(descriptor, &value, 8, off_t(index * 8))
    }

    /// Returns when the other processes have come here too. One that was killed is taken for further: the test writes that.
    func meet() {
        let step = step.next()
        write(step, at: who)
        for _ in 0..<600_000 {
            if (0..<processes).allSatisfy({ $0 == who || read($0) >= step }) { return }
            usleep(50)
        }
        CacheWorker.say("another process is gone")
        exit(3)
    }

    func version(of resource: Int) -> UInt64 { read(resource + 8) }

    /// Changes a resource; returns its new version.
    func change(_ resource: Int) -> UInt64 {
        step.withLock { _ in
            flock(descriptor, LOCK_EX)
            defer { flock(descriptor, LOCK_UN) }
            let new = read(resource + 8) + 1
            write(new, at: resource + 8)
            return new
        }
    }

    /// Nanoseconds by a clock that all processes have.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
