import NetCache
import NetClient

/// Connects the public HTTP cache tests (`Scripts/check-cache-suite`) to a ``ResponseCache``: one JSON object per line on standard input,
/// one per line on standard output. Not a product.
///
/// The argument names the store: `memory` (the default), `disk` or `tiered`. It only performs requests: it maps the cache mode of a message to a `URLRequest.CachePolicy` or a `Cache-Control` field.
@main
struct CacheDriver {
    static func main() async {
        let driver = Driver(store: CommandLine.arguments.dropFirst().first ?? "memory")
        await withTaskGroup(of: Void.self) { group in
            for await line in lines() { group.addTask { await driver.answer(line) } }
        }
    }

    /// Reads on a thread of its own, since reading blocks.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// One private cache, used by a client that follows redirects and one that does not.
private struct Driver {
    private let cache: ResponseCache
    private let following, manual: NetworkClient
    private let output = Output()

    /// - Parameter store: `memory`, `disk` or `tiered`; the last two over a new folder.
    init(store: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-driver-\(UUID().uuidString)")
        cache =
            switch store {
            case "disk": ResponseCache(store: DiskCache(directory: folder))
            case "tiered": ResponseCache(store: TieredCache(upper: NetworkCache(), lower: DiskCache(directory: folder)))
            default: ResponseCache()
            }
        following = NetworkClient(cache: cache, transport: platformTransport())
        manual = following.with { $0.redirectPolicy = .doNotFollow }
    }

    func answer(_ line: String) async {
        do {
            try await output.write(await answer(try JSONDecoder().decode(Message.self, from: Data(line.utf8))))
        } catch {
            FileHandle.standardError.write(Data("cache-driver: \(error)\n".utf8))
        }
    }

    private func answer(_ message: Message) async -> Answer {
        if message.cmd == "reset" {
            await cache.invalidateAll()
            return Answer(id: message.id, ok: true, info: ["name": "ResponseCache", "version": "1"])
        }
        do {
            let client = message.redirect == "manual" ? manual : following
            let response = try await client.response(for: try message.request())
            return Answer(
                id: message.id, status: response.status, headers: response.headers.map { [$0.name, $0.value] },
                bodyBase64: (response.body.data ?? Data()).base64EncodedString())
        } catch {
            return Answer(id: message.id, error: "\(error)")
        }
    }
}

private func platformTransport() -> any HTTPTransport {
    #if os(Linux)
        var configuration = TransportConfiguration()
        // No connection is reused: some tests send more bytes than they announce, which would begin the next response.
        configuration.limits.idleConnections = 0
        return CurlTransport(configuration: configuration)
    #else
        URLSessionTransport()
    #endif
}

/// A command of the test program.
private struct Message: Decodable {
    let id: Int
    let cmd, url, method, body, cacheMode, redirect: String?
    let headers: [[String]]?

    private enum CodingKeys: String, CodingKey {
        case id, cmd, url, method, headers, body, redirect
        case cacheMode = "cache_mode"
    }

    struct Malformed: Error { let url: String? }

    func request() throws -> URLRequest {
        guard let url = url.flatMap(URL.init(string:)) else { throw Malformed(url: url) }
        var request = URLRequest(url: url)
        request.httpMethod = method ?? "GET"
        for field in headers ?? [] where field.count == 2 { request.setValue(field[1], forHTTPHeaderField: field[0]) }
        request.httpBody = body.map { Data($0.utf8) }
        switch cacheMode {
        case "reload": request.cachePolicy = .reloadIgnoringLocalCacheData
        case "no-cache": request.cachePolicy = .reloadRevalidatingCacheData
        case "force-cache": request.cachePolicy = .returnCacheDataElseLoad
        case "only-if-cached": request.cachePolicy = .returnCacheDataDontLoad
        case "no-store": request.setValue("no-store", forHTTPHeaderField: "Cache-Control")
        default: break
        }
        return request
    }
}

/// A reply to the test program.
private struct Answer: Encodable, Sendable {
    let id: Int
    var ok: Bool?
    var info: [String: String]?
    var status: Int?
    var headers: [[String]]?
    var bodyBase64, error: String?

    private enum CodingKeys: String, CodingKey {
        case id, ok, info, status, headers, error
        case bodyBase64 = "body_b64"
    }
}

/// Standard output, one whole line at a time.
private actor Output {
    func write(_ answer: Answer) throws {
        FileHandle.standardOutput.write(try JSONEncoder().encode(answer) + Data("\n".utf8))
    }
}
