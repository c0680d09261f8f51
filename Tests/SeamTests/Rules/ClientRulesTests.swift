import NetTesting
import Networking
import TestLab
import Testing

/// The rules of pending operations (15), derived clients (25) and `cached:` (27).
@Suite struct ClientRulesTests: RulesSuite {
    let clock = TestClock(autoAdvance: true)

    /// The client that the README shows.
    @Test(arguments: [[:], ["Set-Cookie": "visitor=1; Path=/"]] as [HTTPHeaders])
    func freshResponseIsSentOnce(_ fields: HTTPHeaders) async throws {
        let (transport, auth) = (counting(fields), AuthInterceptor(tokenProvider: { "secret-1" }))
        let cache = ResponseCache(maxEntries: 100)
        let client = NetworkClient(interceptors: [auth], cache: cache, transport: transport)
        for _ in 0..<3 { #expect(try await text(client) == "1") }
        #expect(transport.sent("Authorization") == ["Bearer secret-1"])
    }

    @Test("Rule 15: an operation waits until its user is signed in again")
    func pendingOperationWaitsForItsUser() async throws {
        let folder = try TemporaryDirectory()
        let user = Locked<String?>("ada")
        let transport = counting()
        let client = client(transport) { $0.partition = { user.withLock { $0 } } }
        let queue = try await PendingOperationsQueue(fileURL: folder.file("queue"), client: client, clock: clock)
        let fields = ["Authorization": "Bearer ada", "X-Tenant": "acme"]
        try await queue.add(request("/likes", method: "POST", fields: fields))
        for other in ["bob", nil] {
            user.withLock { $0 = other }
            #expect(await queue.processAll().held == 1 && transport.exchanges.isEmpty)
        }
        user.withLock { $0 = "ada" }
        #expect(await queue.processAll().succeeded == 1)
        let sent = try #require(transport.exchanges.last?.request)
        #expect(sent.value(forHTTPHeaderField: "Authorization") == nil, "known secret names are not stored")
        #expect(sent.value(forHTTPHeaderField: "X-Tenant") == "acme")
    }

    @Test("Rule 15: the queue does not multiply its retries with the client's")
    func pendingOperationsDoNotMultiplyRetries() async throws {
        let folder = try TemporaryDirectory()
        let transport = counting(status: 503)
        let client = client(transport) { $0.retryPolicy = .default }
        let queue = try await PendingOperationsQueue(
            fileURL: folder.file("queue"), client: client, retryPolicy: RetryPolicy(maxRetries: 2, delay: .immediate),
            clock: clock)
        try await queue.add(request("/likes", method: "PUT"))
        _ = await queue.processAll()
        #expect(transport.exchanges.count == 3)
    }

    @Test("Rule 25: cancelling a shutdown of one client leaves the calls of the other")
    func shutdownOfADerivedClientKeepsTheOthersCalls() async throws {
        let server = try MockServer()
        let parent = NetworkClient()
        let child = parent.with { $0.timeoutInterval = 30 }
        server.on("/slow", MockResponse.ok.fault(.stall(.beforeResponse)))
        server.on("/quick", .text("ok"))
        let slow = Task { try await child.data(for: URLRequest(url: server.url("/slow"))) }
        _ = try await server.takeRequest()
        await child.shutdown(.cancel)
        #expect(try await failure { try await slow.value }.cause == .cancelled)
        _ = try await parent.data(for: URLRequest(url: server.url("/quick")))
    }

    @Test("Rule 27: cached: decides, whatever the client's policy") func cachedDecidesOverThePolicy() async throws {
        let transport = counting()
        let client = client(transport) {
            ($0.cachePolicy, $0.baseURL) = (.reloadIgnoringLocalAndRemoteCacheData, URL(string: "https://a.example"))
        }
        let request = Request<String>(path: "/x")
        for _ in 0..<2 { #expect(try await client.send(request, cached: true) == "1") }
        #expect(try await client.send(request) == "2", "nil is the client's rules: reload")
        #expect(try await client.send(request, cached: false) == "3")
        #expect(try await client.send(request, cached: true) == "2", "false stores nothing")
        _ = try await client.send(Request<String>(method: .put, path: "/x"), cached: false)
        #expect(try await client.send(request, cached: true) == "5", "and unsafe methods still invalidate")
        let post = Request<String>(method: .post, path: "/x")
        #expect(try await failure { try await client.send(post, cached: true) }.cause == .invalidRequest)
        let none = try await failure { try await client.with { $0.cache = nil }.send(request, cached: true) }
        #expect(none.code == "unsupported" && transport.exchanges.count == 5)
    }
}
