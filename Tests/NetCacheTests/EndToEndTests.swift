import NetCache
import NetClient
import NetTesting
import TestLab
import Testing

@Suite("Caches and queues, end to end") struct EndToEndTests {
    private let server: MockServer
    private let client = NetworkClient(cache: ResponseCache(maxEntries: 10))
    init() throws { server = try MockServer() }

    @Test func storedRedirectAppearsInRedirects() async throws {
        server.on(.get, "/a", .redirect(to: "/b", status: 301).header("Cache-Control", "max-age=3600"))
        server.on(.get, "/b", .text("there").trailers(["X-Sum": "1"]).header("Cache-Control", "max-age=3600"))
        for isStored in [false, true] {
            let (data, response) = try await client.data(for: URLRequest(url: server.url("/a")))
            #expect(data == Data("there".utf8) && response.redirects.map(\.status) == [301])
            #expect(response.redirects.first?.url == server.url("/a"))
            #expect(response.redirects.first?.headers["Cache-Status"]?.contains("hit") == isStored)
            // A stored response came over no connection, and its trailers are not stored (RFC 9111, section 3.1).
            #expect((response.connection == nil) == isStored && (response.trailers == nil) == isStored)
        }
        #expect(server.requests.map(\.path) == ["/a", "/b"])
    }

    @Test func staleIfErrorServesAfterTheServerStops() async throws {
        let client = NetworkClient(cache: .shared)
        let request = URLRequest(url: server.url("/\(UUID().uuidString)"))
        server.enqueue(.text("one").header("Cache-Control", "max-age=0, stale-if-error=3600"))
        _ = try await client.data(for: request)
        await server.stop()
        let reply = try await client.data(for: request)
        #expect(reply.data == Data("one".utf8))
        #expect(reply.response.headers["Cache-Status"]?.contains("stale-if-error") == true)
    }

    @Test func responseOnDiskIsServedAfterTheServerStops() async throws {
        let directory = try TemporaryDirectory()
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
        try await failure { try await second.data(for: URLRequest(url: url), context: context) }
    }

    /// Without a cache behind it, the interceptor could only add directives that the server ignores.
    @Test func offlineInterceptorWithoutACacheIsRefused() async throws {
        server.on(.get, "/a", .text("a"))
        let request = URLRequest(url: server.url("/a"))
        let behind = NetworkClient(interceptors: [OfflineInterceptor()], cache: ResponseCache())
        let without = NetworkClient(callInterceptors: [OfflineInterceptor(mode: .cacheOnly)])
        for client in [behind, without] {
            let cause = try await failure { try await client.data(for: request) }.cause
            #expect(cause.code == "unsupported" && "\(cause)".contains("callInterceptors"), "\(cause)")
        }
        #expect(server.requests.isEmpty)
        let right = NetworkClient(cache: ResponseCache(), callInterceptors: [OfflineInterceptor()])
        #expect(try await right.data(for: request).data == Data("a".utf8))
    }

    @Test func operationIsSentAfterARestart() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("outbox")
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
