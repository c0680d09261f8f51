import NetTesting
import NetTransfer

/// A server with one file, of which the first connection gives a half and then nothing more.
struct Origin {
    static let content = MockResponse.generatedBytes(count: 1_000_000)
    let server: MockServer
    let folder: URL

    /// Runs the body with a server and an empty folder.
    static func run(stallsAtFirst: Bool = true, _ body: (Origin) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("download-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try MockServer()
        let resource = MockResource(content, etag: "\"v1\"")
        server.on("/file.bin", resource)
        if stallsAtFirst {
            server.enqueue(
                MockResponse.data(content).header("ETag", "\"v1\"").header("Accept-Ranges", "bytes")
                    .fault(.stall(.inBody)))
        }
        do {
            try await body(Origin(server: server, folder: folder))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    var file: URL { folder.appendingPathComponent("file.bin") }

    var words: [String] {
        [server.url("/file.bin").absoluteString, file.path, "--state", folder.appendingPathComponent("state").path]
    }

    /// The file as it was saved; nil if there is none.
    var saved: Data? { FileManager.default.contents(atPath: file.path) }

    /// The first byte that the last request asked for.
    var lastRangeStart: Int? {
        let range = server.requests.last?.headers["Range"] ?? ""
        return range.hasPrefix("bytes=") ? Int(range.dropFirst(6).prefix { $0 != "-" }) : nil
    }
}
