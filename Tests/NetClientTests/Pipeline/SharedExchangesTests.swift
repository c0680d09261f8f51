import NetCache

/// Which calls share an exchange.
@Suite struct ExchangeKeyTests {
    private enum Tenant: RequestContext.Key { static let defaultValue = "" }
    private enum Uncomparable: RequestContext.Key { static let defaultValue: @Sendable () -> Void = {} }

    struct Call: Sendable {
        var url = "https://a.example/path?q=1"
        var method = HTTPMethod.get
        var headers = ["Accept": "application/json"]
        var timeout: TimeInterval = 60
        var loading = URLRequest.CachePolicy.useProtocolCachePolicy
        var body: HTTPBody?
        var context = RequestContext.with { $0.delivery = .collected(limit: 1_000) }
        static func with(_ change: (inout Call) -> Void) -> Call {
            var call = Call()
            change(&call)
            return call
        }
        func request() throws -> URLRequest {
            var request = try NetClientTests.request(url, method, headers: headers)
            request.timeoutInterval = timeout
            request.cachePolicy = loading
            return request
        }
    }

    /// How many exchanges two calls need.
    private func exchanges(_ first: Call, _ second: Call) async throws -> Int {
        let coalescer = RequestCoalescer()
        let transport = HeldTransport()
        let gate = Next { try await transport.send($0, body: $1, context: $2) }
        var tasks: [Task<TransportResponse, any Error>] = []
        for call in [first, second] {
            let request = try call.request()
            var next = gate
            next.body = call.body
            next.context = call.context
            let before = coalescer.waitingCount + transport.started.count
            tasks.append(Task { [next] in try await coalescer.intercept(request, next: next) })
            // A shared exchange counts twice, as waiting and as sent.
            try await waitUntil("it waits or is sent") {
                coalescer.waitingCount + transport.started.count > before ? () : nil
            }
            try await waitUntil("what was begun is sent") { transport.held.count >= coalescer.inFlightCount ? () : nil }
        }
        let count = transport.held.count
        for _ in 0..<count { transport.answer() }
        for task in tasks { _ = try await task.value }
        return count
    }

    static let same: [String: Call] = [
        "nothing": Call(), "case and default port": .with { $0.url = "HTTPS://A.Example:443/path?q=1" },
        "fragment": .with { $0.url += "#part" }, "tracing": .with { $0.headers["Traceparent"] = "00-1" },
        "partition nil": .with { $0.context.partition = nil },
        "start": .with { $0.context.origin = URL(string: "https://a.example/elsewhere") },
    ]

    @Test(arguments: same.keys.sorted()) func equalCallsShareAnExchange(name: String) async throws {
        let call = try #require(Self.same[name])
        #expect(try await exchanges(Call(), call) == 1)
        #expect(try await exchanges(call, call) == 1)
    }

    @Test func callsWithEqualContextsShareAnExchange() async throws {
        let tokens = NumberedTokens()
        for call in [
            Call.with { $0.context[Tenant.self] = "acme" }, .with { $0.context.partition = "ann" },
            .with { $0.context[AuthenticationProviderKey.self] = tokens },
            .with { $0.context[AuthenticationProviderKey.self] = NoAuthProvider() },
            .with { $0.context[AuthenticationProviderKey.self] = IdleProvider(partition: "ann") },
            .with { $0.method = .head }, .with { $0.method = .options }, .with { $0.url = "https://a.example" },
        ] { #expect(try await exchanges(call, call) == 1) }
        let withSlash = Call.with { $0.url = "https://a.example/" }
        #expect(try await exchanges(.with { $0.url = "https://a.example" }, withSlash) == 1)
    }

    static let other: [String: Call] = [
        "path": .with { $0.url = "https://a.example/other?q=1" },
        "case of the path": .with { $0.url = "https://a.example/Path?q=1" },
        "query": .with { $0.url = "https://a.example/path?q=2" },
        "host": .with { $0.url = "https://b.example/path?q=1" },
        "scheme": .with { $0.url = "http://a.example/path?q=1" },
        "port": .with { $0.url = "https://a.example:444/path?q=1" }, "method": .with { $0.method = .head },
        "accept": .with { $0.headers["Accept"] = "text/html" },
        "language": .with { $0.headers["Accept-Language"] = "de" },
        "range": .with { $0.headers["Range"] = "bytes=0-9" },
        "authorization": .with { $0.headers["Authorization"] = "Bearer b" },
        "cookie": .with { $0.headers["Cookie"] = "session=b" }, "key": .with { $0.headers["X-API-Key"] = "b" },
        "any header": .with { $0.headers["X-Tenant"] = "b" }, "timeout": .with { $0.timeout = 5 },
        "cache policy of the request": .with { $0.loading = .reloadIgnoringLocalCacheData },
        "cache policy of the context": .with { $0.context.cachePolicy = .networkOnly },
        "partition": .with { $0.context.partition = "ann" }, "priority": .with { $0.context.priority = .high },
        "limit": .with { $0.context.delivery = .collected(limit: 999) },
        "value": .with { $0.context[Tenant.self] = "acme" },
        "provider": .with { $0.context[AuthenticationProviderKey.self] = NumberedTokens() },
        "no provider": .with { $0.context[AuthenticationProviderKey.self] = NoAuthProvider() },
        "start elsewhere": .with { $0.context.origin = URL(string: "https://b.example/") },
    ]

    @Test(arguments: other.keys.sorted()) func differentCallsDoNotShareAnExchange(name: String) async throws {
        #expect(try await exchanges(Call(), #require(Self.other[name])) == 2)
    }

    /// Each is the same call twice.
    static let alone: [String: Call] = [
        "post": .with { $0.method = .post }, "put": .with { $0.method = .put },
        "trace": .with { $0.method = "TRACE" }, "body": .with { $0.body = HTTPBody("body") },
        "stream": .with { $0.context.delivery = .streamed }, "progress": .with { $0.context.progress = { _ in } },
        "uncomparable": .with { $0.context[Uncomparable.self] = {} },
        "provider that is a value": .with { $0.context[AuthenticationProviderKey.self] = IdleProvider() },
        "user information": .with { $0.url = "https://ann:secret@a.example/" },
    ]

    @Test(arguments: alone.keys.sorted()) func uncacheableCallsDoNotShareAnExchange(name: String) async throws {
        let call = try #require(Self.alone[name])
        #expect(try await exchanges(call, call) == 2)
    }

    @Test func callsWithDifferentProvidersDoNotShareAnExchange() async throws {
        func call(_ provider: any AuthenticationProvider) -> Call {
            .with { $0.context[AuthenticationProviderKey.self] = provider }
        }
        #expect(try await exchanges(call(IdleProvider(partition: "ann")), call(IdleProvider(partition: "bob"))) == 2)
        #expect(try await exchanges(call(NumberedTokens()), call(NumberedTokens())) == 2)
    }

    @Test func clientsOfOneCoalescerDoNotShareExchanges() async throws {
        let coalescer = RequestCoalescer()
        let transports = [HeldTransport(), HeldTransport()]
        var tasks: [Task<TransportResponse, any Error>] = []
        for transport in transports {
            let client = NetworkClient(transport: transport, callInterceptors: [coalescer])
            let request = try request()
            tasks.append(Task { try await client.response(for: request) as TransportResponse })
        }
        for transport in transports {
            try await transport.waitForHeld(1)
            transport.answer()
        }
        for task in tasks { _ = try await task.value }
    }
}

/// A response for one user must not reach another, even if an interceptor adds the credentials.
@Suite struct HiddenCredentialsTests {
    private let user = Locked("ann")
    private let isOpen = Locked(false)
    private let coalescer = RequestCoalescer()

    /// A client that adds the credentials of the current user. Its transport answers with them, after it is opened.
    private func client(
        _ coalescer: RequestCoalescer, field: String = "Authorization"
    ) -> (client: NetworkClient, transport: StubTransport) {
        let transport = StubTransport { [isOpen] request, _, _ in
            try await waitUntil("it is opened") { isOpen.withLock { $0 } ? () : nil }
            return answer(200, request.value(forHTTPHeaderField: field) ?? "none")
        }
        let signIn = Before { [user] request, _ in request.setValue(user.withLock { $0 }, forHTTPHeaderField: field) }
        let client = NetworkClient(interceptors: [signIn], transport: transport, callInterceptors: [coalescer])
        return (client, transport)
    }

    /// Ann's call begins, Bob signs in and asks for the same.
    private func answers(
        _ client: NetworkClient, _ transport: StubTransport, _ coalescer: RequestCoalescer,
        partitions: [String?] = [nil, nil]
    ) async throws -> [String] {
        let count = transport.exchanges.count
        user.withLock { $0 = "ann" }
        isOpen.withLock { $0 = false }
        var tasks: [Task<Data?, any Error>] = []
        for (index, name) in ["ann", "bob"].enumerated() {
            user.withLock { $0 = name }
            let request = try request()
            let context = RequestContext.with { $0.partition = partitions[index] }
            tasks.append(Task { try await client.response(for: request, context: context).body.data })
            try await waitUntil("it waits") { coalescer.waitingCount == index + 1 ? () : nil }
            try await waitUntil("Ann's is sent") { transport.exchanges.count > count ? () : nil }
        }
        isOpen.withLock { $0 = true }
        var answers: [String] = []
        for task in tasks { answers.append(String(decoding: try await task.value ?? Data(), as: UTF8.self)) }
        return answers
    }

    @Test(arguments: ["Authorization", "Cookie", "X-API-Key", "X-Tenant"])
    func callsOfDifferentUsersAreNotShared(field: String) async throws {
        let (client, transport) = client(coalescer, field: field)
        #expect(try await answers(client, transport, coalescer) == ["ann", "bob"] && transport.exchanges.count == 2)
        // Later calls do not wait for each other.
        isOpen.withLock { $0 = false }
        let request = try request()
        let tasks = (0..<5).map { _ in Task { try await client.response(for: request) as TransportResponse } }
        try await waitUntil("all are sent") { transport.exchanges.count == 7 ? () : nil }
        #expect(coalescer.waitingCount == 0)
        isOpen.withLock { $0 = true }
        for task in tasks { _ = try await task.value }
    }

    @Test func callsOfOnePartitionAreShared() async throws {
        let (client, transport) = client(coalescer)
        _ = try await answers(client, transport, coalescer, partitions: ["ann", "ann"])
        #expect(transport.exchanges.count == 1)
        _ = try await answers(client, transport, coalescer, partitions: ["ann", "bob"])
        #expect(transport.exchanges.count == 3)
    }

    @Test func callsAreSharedWithSharesUnnamedCredentials() async throws {
        let coalescer = RequestCoalescer(sharesUnnamedCredentials: true)
        let (client, transport) = client(coalescer)
        _ = try await answers(client, transport, coalescer)
        #expect(transport.exchanges.count == 1)
    }

    @Test func callsWithHarmlessFieldsAreShared() async throws {
        let (client, transport) = client(coalescer, field: "User-Agent")
        #expect(try await answers(client, transport, coalescer).count == 2 && transport.exchanges.count == 1)
    }

    @Test func staleIfErrorResponseIsNotShared() async throws {
        let isLost = Locked(false)
        let transport = StubTransport { [isOpen] request, _, _ in
            let token = request.value(forHTTPHeaderField: "Authorization") ?? "nobody"
            if token == "Bearer ann", isLost.withLock({ $0 }) {
                try await waitUntil("it is let go") { isOpen.withLock { $0 } ? () : nil }
                throw lostConnection
            }
            return answer(200, token, headers: ["Cache-Control": "max-age=0, stale-if-error=600"])
        }
        let auth = AuthInterceptor(tokenProvider: { [user] in user.withLock { $0 } })
        let client = NetworkClient(
            interceptors: [auth], cache: ResponseCache(), transport: transport, callInterceptors: [coalescer])
        _ = try await client.response(for: request())
        isLost.withLock { $0 = true }
        #expect(try await answers(client, transport, coalescer) == ["Bearer ann", "Bearer bob"])
        #expect(transport.sent("Authorization") == ["Bearer ann", "Bearer ann", "Bearer bob"])
    }
}
