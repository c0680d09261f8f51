import NetCache
import NetClient
import NetTesting
import TestLab
import Testing

@Suite("Offline, end to end") struct OfflineEndToEndTests {
    @Test func responseOnDiskIsServedAfterTheServerStops() async throws {
        let directory = try TemporaryDirectory()
        let server = try MockServer()
        let text = String(repeating: "words ", count: 20_000)
        server.on(.get, "/a", .text(text).header("Cache-Control", "max-age=0"))
        let url = server.url("/a")
        func client() -> NetworkClient {
            let store = TieredCache(upper: NetworkCache(), lower: DiskCache(directory: directory.url))
            return NetworkClient(cache: ResponseCache(store: store), callInterceptors: [OfflineInterceptor()])
        }
        let first = client()
        #expect(try await first.data(for: URLRequest(url: url)).data == Data(text.utf8))
        await first.shutdown()
        await server.stop()
        let second = client()
        let stored = try await second.data(for: URLRequest(url: url))
        #expect(stored.data == Data(text.utf8))
        #expect(stored.response.headers["Cache-Status"]?.hasPrefix("Networking; hit") == true)
        var context = RequestContext()
        context.offlineMode = .networkOnly
        await #expect(throws: NetworkFailure.self) {
            try await second.data(for: URLRequest(url: url), context: context)
        }
        await second.shutdown()
    }

    /// Without a cache behind it, the interceptor could only add directives that the server ignores.
    @Test func offlineInterceptorWithoutACacheIsRefused() async throws {
        let server = try MockServer()
        server.on(.get, "/a", .text("a"))
        let request = URLRequest(url: server.url("/a"))
        let behind = NetworkClient(interceptors: [OfflineInterceptor()], cache: ResponseCache())
        let without = NetworkClient(callInterceptors: [OfflineInterceptor(mode: .cacheOnly)])
        for client in [behind, without] {
            let failure = await #expect(throws: NetworkFailure.self) { try await client.data(for: request) }
            guard case .unsupported(let advice)? = failure?.cause else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(advice.contains("callInterceptors"))
        }
        #expect(server.requests.isEmpty)
        let right = NetworkClient(cache: ResponseCache(), callInterceptors: [OfflineInterceptor()])
        #expect(try await right.data(for: request).data == Data("a".utf8))
        for client in [behind, without, right] { await client.shutdown() }
    }

    @Test func webSocketHandshakeBypassesTheInterceptor() {
        #expect(!OfflineInterceptor().handlesUpgrades, "a client without caches for a handshake leaves this out too")
    }

    @Test func operationIsSentAfterARestart() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("outbox")
        let server = try MockServer()
        let client = NetworkClient()
        var request = URLRequest(url: server.url("/likes"))
        (request.httpMethod, request.httpBody) = ("POST", Data(#"{"liked":true}"#.utf8))
        server.enqueue(.fault(.reset(.beforeResponse)), .status(503), .text("done", status: 201))
        do {
            let queue = try await PendingOperationsQueue(fileURL: file, client: client, retryPolicy: .none)
            try await queue.add(request)
            #expect(await queue.processAll().stop?.cause == .networkUnavailable)
        }
        let clock = TestClock(autoAdvance: true)
        let queue = try await PendingOperationsQueue(
            fileURL: file, client: client, retryPolicy: RetryPolicy(maxRetries: 1, delay: .fixed(3)), clock: clock)
        #expect(await (queue.processAll().succeeded, clock.sleeps) == (1, [3]))
        let keys = server.requests.map { $0.headers["Idempotency-Key"] }
        #expect((keys.count, Set(keys).count, keys.first??.isEmpty) == (3, 1, false))
        #expect(server.requests.last?.bodyText == #"{"liked":true}"#)
    }
}
