import NetCache

/// The notes as they are on this device, on disk: what the server said last, and what was changed here since.
struct Shelf: Sendable {
    private let disk: DiskCache
    private let key = URL(fileURLWithPath: "/notes")

    init(folder: URL) {
        disk = DiskCache(directory: folder)
    }

    func read() throws -> [Note]? {
        try disk.getResponse(for: key).map { try JSONDecoder().decode([Note].self, from: $0) }
    }

    func write(_ notes: [Note]) throws {
        disk.setResponse(try JSONEncoder().encode(notes), for: key, expireTime: nil)
    }
}
