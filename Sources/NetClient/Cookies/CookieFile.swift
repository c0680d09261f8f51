import NetCore

/// The file of a store: replaced as a whole, readable by its owner only, and changed by one process at a time.
struct CookieFile: Sendable {
    let path: String

    /// In bytes. A full store takes about 13 MB.
    private static let sizeLimit = 32 << 20
    /// How long another process may hold the lock, in steps of 10 ms.
    private static let lockAttempts = 300

    /// Nil if there is none.
    func read() throws(SystemError) -> Data? {
        let file: DiskFile
        do {
            file = try DiskFile(path, O_RDONLY | O_NONBLOCK)
        } catch  where error.code == ENOENT {
            return nil
        }
        return try file.read(Self.sizeLimit, at: 0)
    }

    /// Replaces the file. Call it under the lock.
    func write(_ data: Data) throws(SystemError) {
        try AtomicFile.write(data, to: path)
    }

    /// Calls a closure while no other process, and no other store of this one, does so for the same file.
    func withLock(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        try Directory.make(folder)
        let lock = try DiskFile(path + ".lock", O_RDWR | O_CREAT)
        var attempts = 0
        while !lock.lock(.exclusive) {
            attempts += 1
            guard attempts < Self.lockAttempts else { throw SystemError("flock", path + ".lock", code: EWOULDBLOCK) }
            usleep(10_000)
        }
        defer { lock.unlock() }
        try body()
    }

    private var folder: String { Directory.folder(of: path) }
}
