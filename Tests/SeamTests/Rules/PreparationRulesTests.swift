import NetTesting
import Networking
import TestLab
import Testing

/// The rules of preparation and identity that one case each shows best. The combinations are in ``CombinationTests``.
@Suite struct PreparationRulesTests {
    private let clock = TestClock(autoAdvance: true)

    /// Answers with the number of the request, fresh for ten minutes.
    private func counting(_ fields: HTTPHeaders = [:], status: Int = 200) -> (StubTransport, Locked<Int>) {
        let count = Locked(0)
        let transport = StubTransport { request, _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var headers = fields
            if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "max-age=600") }
            return TransportResponse(status: status, headers: headers, url: request.url, body: HTTPBody("\(number)"))
        }
        return (transport, count)
    }

    private func text(
        _ client: NetworkClient, _ url: String = "https://a.example/", partition: String? = nil,
        fields: [String: String] = [:], method: String = "GET"
    ) async throws -> String {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        var context = RequestContext(clock: clock)
        context.partition = partition
        return String(decoding: try await client.data(for: request, context: context).data, as: UTF8.self)
    }

    private func client(
        _ transport: StubTransport, _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) -> NetworkClient {
        var configuration = NetworkClient.Configuration()
        configuration.transport = transport
        configuration.cache = ResponseCache(store: NetworkCache(clock: clock, purgeInterval: 0))
        configuration.clock = clock
        change(&configuration)
        return NetworkClient(configuration: configuration)
    }

    // MARK: Rules 1 to 7: whose request

    @Test("Rule 1: the call's name, else the provider's, else the client's; a name wins over the credentials")
    func names() async throws {
        let (transport, _) = counting()
        let token = Locked("1")
        let client = client(transport) {
            $0.partition = { "client" }
            $0.interceptors = [AuthInterceptor(tokenProvider: { token.withLock { $0 } }, partition: { "provider" })]
        }
        #expect(try await text(client) == "1")
        token.withLock { $0 = "2" }
        #expect(try await text(client) == "1", "a refreshed token of a named owner")
        #expect(transport.exchanges.last?.context.identity?.name == "provider")
        #expect(try await text(client, partition: "call") == "2")
        let own = client.with { $0.interceptors = [] }
        #expect(try await text(own) == "3")
        #expect(transport.exchanges.last?.context.identity?.name == "client")
    }

    @Test("Rule 1: an unknown identity is looked up and stored for nobody") func unknown() async throws {
        struct NoTokenYet: TokenProvider {
            func validToken() async throws -> String { "late" }
            func refreshToken() async throws -> String { "late" }
        }
        let (transport, _) = counting()
        let anonymous = client(transport)
        #expect(try await text(anonymous) == "1")
        let client = anonymous.with { $0.interceptors = [AuthInterceptor(tokenProvider: NoTokenYet())] }
        #expect(try await text(client) == "2", "what is stored for anonymous requests is not for this one")
        #expect(transport.exchanges.last?.request.value(forHTTPHeaderField: "Authorization") == "Bearer late")
        #expect(try await text(client) == "3", "the first was stored for nobody")
        #expect(try await text(client) == "3")
    }

    @Test("Rule 2: fields whose names say a secret or a subject keep users apart, and no others")
    func identifyingFields() async throws {
        let (transport, _) = counting()
        let client = client(transport) {
            $0.identifyingFields = ["X-Variant"]
            $0.sharedFields = ["X-User-Locale", "x-team-*"]
        }
        #expect(try await text(client, fields: ["X-Tenant": "a"]) == "1")
        #expect(try await text(client, fields: ["X-Tenant": "b"]) == "2")
        #expect(try await text(client, fields: ["x-tenant": "a", "X-Request-ID": "7", "x-device": "z"]) == "1")
        #expect(try await text(client, fields: ["x-tenant": "a", "X-User-Locale": "de", "X-Team-Color": "red"]) == "1")
        #expect(try await text(client, fields: ["x-tenant": "a", "X-Variant": "b"]) == "3")
    }

    @Test("Rule 2: a field that a provider adds keeps users apart, whatever its name")
    func fieldsOfAProvider() async throws {
        let (transport, _) = counting()
        let code = Locked("1")
        let client = client(transport) {
            $0.interceptors = [
                AuthInterceptor.custom(authenticate: { $0.setValue(code.withLock { $0 }, forHTTPHeaderField: "X-Pin") })
            ]
        }
        #expect(try await text(client) == "1")
        code.withLock { $0 = "2" }
        #expect(try await text(client) == "2")
        code.withLock { $0 = "1" }
        #expect(try await text(client) == "1")
    }

    @Test("Rule 2: a miss says for which other owner the URL is stored") func otherOwner() async throws {
        let (transport, _) = counting()
        let client = client(transport)
        func status(_ fields: [String: String], partition: String? = nil) async throws -> String? {
            var request = URLRequest(url: try #require(URL(string: "https://a.example/other-owner")))
            request.allHTTPHeaderFields = fields
            var context = RequestContext(clock: clock)
            context.partition = partition
            return try await client.data(for: request, context: context).response.headers["Cache-Status"]
        }
        #expect(try await status([:]) == "Networking; fwd=uri-miss; ttl=600; stored")
        let other = "Networking; fwd=uri-miss; ttl=600; stored; detail=\"other-owner"
        #expect(try await status(["X-Tenant": "a"]) == other + "(x-tenant)\"")
        #expect(try await status(["X-Tenant": "a", "Authorization": "b"]) == other + "(authorization)\"")
        #expect(try await status([:], partition: "ada") == other + "(partition)\"")
        client.cookies?.set(Cookie(name: "sid", value: "1", domain: "a.example"))
        #expect(try await status([:]) == "Networking; fwd=uri-miss; ttl=600; stored; detail=cookie-epoch")
    }

    @Test("Rule 2: fields that make other owners over and over are told of once, all together")
    func manyIdentities() async throws {
        final class Notices: NetworkEventObserver {
            let texts = Locked<[String]>([])
            func observe(_ event: NetworkEvent) {
                if case .notice(let text) = event.kind { texts.withLock { $0.append(text) } }
            }
        }
        struct Observing: HTTPInterceptor {
            let notices: Notices
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                var next = next
                next.context.observers.append(notices)
                return try await next(request)
            }
        }
        let notices = Notices()
        let (transport, _) = counting()
        let client = client(transport) { $0.callInterceptors = [Observing(notices: notices)] }
        for number in 0..<20 {
            let fields = ["X-Trace-Key": "\(number)", "X-Probe-Token": "\(number)", "Authorization": "t"]
            for page in 0..<3 { _ = try await text(client, "https://a.example/\(page)", fields: fields) }
        }
        let texts = notices.texts.withLock { $0 }
        #expect(texts.count == 1 && texts[0].contains("x-probe-token, x-trace-key"), "\(texts)")
    }

    private struct Tenant: HTTPInterceptor {
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            var request = request
            request.setValue("acme", forHTTPHeaderField: "X-Tenant")
            return try await next(request)
        }
    }

    private struct OwnedTenant: HTTPInterceptor, CredentialOwner {
        func owner(for url: URL) -> String? { "acme" }
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            try await Tenant().intercept(request, next: next)
        }
    }

    @Test("Rule 3: what is added further in prevents storing, unless its owner is named") func owners() async throws {
        let (transport, _) = counting()
        let hidden = client(transport) { $0.interceptors = [Tenant()] }
        #expect(try await [text(hidden), text(hidden)] == ["1", "2"])
        let owned = client(transport) { $0.interceptors = [OwnedTenant()] }
        #expect(try await [text(owned), text(owned)] == ["3", "3"])
        let other = owned.with { $0.interceptors = [] }
        #expect(try await text(other) == "4", "the owner is part of the identity")
    }

    /// Sends through an authentication that is not in the client's list.
    private struct Wrapping: HTTPInterceptor {
        let inner: AuthInterceptor

        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            try await inner.intercept(request, next: next)
        }
    }

    @Test("Rule 3: what an authentication inside another interceptor authenticated is stored for nobody")
    func wrappedAuthentication() async throws {
        let (transport, _) = counting()
        let signedIn = client(transport) { $0.interceptors = [Wrapping(inner: .bearer("1"))] }
        #expect(try await [text(signedIn), text(signedIn)] == ["1", "2"])
        #expect(transport.exchanges.allSatisfy { $0.request.value(forHTTPHeaderField: "Authorization") == "Bearer 1" })
        let signedOut = signedIn.with { $0.interceptors = [] }
        #expect(try await text(signedOut) == "3")
    }

    @Test("Rule 5: Vary on a credential is satisfied by the identity; on another field by the prepared value")
    func varying() async throws {
        let (transport, _) = counting(["Vary": "Authorization, Accept-Language, X-Tenant"])
        let token = Locked("1")
        let client = client(transport) {
            $0.interceptors = [AuthInterceptor(tokenProvider: { token.withLock { $0 } }, partition: { "ada" })]
        }
        #expect(try await text(client, fields: ["Accept-Language": "de"]) == "1")
        token.withLock { $0 = "2" }
        #expect(try await text(client, fields: ["Accept-Language": "de"]) == "1")
        #expect(try await text(client, fields: ["Accept-Language": "en"]) == "2")
        #expect(try await text(client, fields: ["Accept-Language": "de", "X-Tenant": "b"]) == "3", "the caller's own")
    }

    @Test("Rule 6: a successful unsafe method invalidates its URL for all identities")
    func invalidation() async throws {
        let (transport, _) = counting()
        let client = client(transport)
        #expect(try await text(client, partition: "ada") == "1")
        #expect(try await text(client, partition: "bob") == "2")
        _ = try await text(client, partition: "bob", method: "PUT")
        #expect(try await text(client, partition: "ada") == "4")
    }

    @Test("Rule 7: the transport's identity is part of the key where it selects the server or the user")
    func transports() throws {
        let identities = [
            TransportConfiguration(), changing { $0.unixSocketPath = "/a" }, changing { $0.unixSocketPath = "/b" },
            changing { $0.clientCertificate = .pkcs12(Data("ada".utf8), password: nil) },
            changing { $0.clientCertificate = .pkcs12(Data("bob".utf8), password: nil) },
            changing { $0.proxy = .http(host: "p", port: 1) },
            changing { $0.certificateAuthorities = .only(pem: Data("x".utf8)) },
            changing {
                $0.resolveOverrides = [
                    TransportConfiguration.ResolveOverride(host: "a", port: 1, addresses: ["127.0.0.1"])
                ]
            },
        ].map(\.identity)
        #expect(Set(identities).count == identities.count && identities[0] == nil)
        #expect(changing { $0.timeouts.idle = 1 }.identity == nil)
    }

    private func changing(_ change: (inout TransportConfiguration) -> Void) -> TransportConfiguration {
        var configuration = TransportConfiguration()
        change(&configuration)
        return configuration
    }

    // MARK: Rules 8 to 13: preparation

    /// A hook that numbers what it adapts, and is middleware too.
    private final class Numbering: RequestInterceptor {
        let count = Locked(0)
        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            request.setValue("\(count.withLock { count in count += 1; return count })", forHTTPHeaderField: "X-Count")
            return request
        }
    }

    @Test("Rules 8 and 10: hooks run once per hop, and again for a later attempt, from the unprepared request")
    func hooks() async throws {
        let transport = StubTransport { request, _, context in
            TransportResponse(status: context.attempt == 0 ? 503 : 200, url: request.url, body: HTTPBody("x"))
        }
        let hook = Numbering()
        let client = client(transport) {
            $0.interceptors = [hook]
            $0.retryPolicy = .default
        }
        _ = try await text(client)
        #expect(transport.exchanges.map { $0.request.value(forHTTPHeaderField: "X-Count") } == ["1", "2"])
    }

    @Test("Rule 9: another user's entry is not validated by this one's request") func conditions() async throws {
        let token = Locked("ada")
        let transport = StubTransport { request, _, context in
            // The first attempt of the second call fails, and meanwhile another user signs in.
            if request.value(forHTTPHeaderField: "If-None-Match") != nil, context.attempt == 0 {
                token.withLock { $0 = "bob" }
                return TransportResponse(status: 503, url: request.url)
            }
            if request.value(forHTTPHeaderField: "If-None-Match") != nil {
                return TransportResponse(status: 304, headers: ["ETag": "\"1\""], url: request.url)
            }
            let user = request.value(forHTTPHeaderField: "Authorization") ?? ""
            return TransportResponse(
                status: 200, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0"], url: request.url,
                body: HTTPBody("of \(user)"))
        }
        let client = client(transport) {
            $0.interceptors = [AuthInterceptor(tokenProvider: { token.withLock { $0 } })]
            $0.retryPolicy = .default
        }
        #expect(try await text(client) == "of Bearer ada")
        #expect(try await text(client) == "of Bearer bob")
        #expect(transport.exchanges.last?.request.value(forHTTPHeaderField: "If-None-Match") == nil)
    }

    @Test("Rule 11: what is stored for a named user is served offline though the token has expired")
    func offline() async throws {
        struct Expired: Error {}
        let (transport, count) = counting()
        let monitor = MockConnectionMonitor()
        let isExpired = Locked(false)
        let asked = Locked(0)
        let client = client(transport) {
            $0.connectionMonitor = monitor
            $0.interceptors = [
                AuthInterceptor(
                    tokenProvider: {
                        asked.withLock { $0 += 1 }
                        if isExpired.withLock({ $0 }) { throw Expired() }
                        return "t"
                    }, partition: { "ada" })
            ]
        }
        #expect(try await text(client) == "1")
        isExpired.withLock { $0 = true }
        monitor.isReachable = false
        #expect(try await text(client) == "1")
        #expect(asked.withLock { $0 } == 1, "the lookup comes before the hooks")
        let failure = await #expect(throws: NetworkFailure.self) { try await text(client, "https://a.example/other") }
        #expect(failure?.cause == .noInternetConnection, "the guard comes before the hook's error")
        monitor.isReachable = true
        let refused = await #expect(throws: NetworkFailure.self) { try await text(client, "https://a.example/other") }
        #expect(refused?.cause == .invalidRequest && count.withLock { $0 } == 1, "nothing is sent")
    }

    @Test("Rule 12: a signer sees the final request, wherever it stands in the list") func signers() async throws {
        struct Signer: RequestSigner {
            func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest {
                var request = request
                let fields = ["X-Tenant", "Authorization", "User-Agent"].map {
                    request.value(forHTTPHeaderField: $0) != nil
                }
                request.setValue("\(fields)", forHTTPHeaderField: "X-Signed")
                return request
            }
        }
        let (transport, _) = counting()
        let client = client(transport) {
            $0.interceptors = [
                SigningInterceptor(Signer(), hosts: ["a.example"]), Tenant(), AuthInterceptor.bearer("t"),
            ]
        }
        _ = try await text(client)
        #expect(transport.exchanges.last?.request.value(forHTTPHeaderField: "X-Signed") == "[true, true, true]")
    }

    @Test("Rules 12 and 13: signatures go by the origin of each hop", arguments: [8443, 443])
    func signaturesStayAtTheirOrigin(port: Int) async throws {
        let transport = StubTransport { request, _, _ in
            request.url?.path == "/start"
                ? TransportResponse(
                    status: 302, headers: ["Location": "https://a.example:\(port)/end"], url: request.url)
                : TransportResponse(status: 200, url: request.url, body: HTTPBody("x"))
        }
        let signer = AWSSignatureV4Signer(accessKeyID: "A", secretAccessKey: "s", region: "r", service: "x")
        let client = client(transport) { $0.interceptors = [SigningInterceptor(signer, hosts: ["a.example"])] }
        _ = try await text(client, "https://a.example/start")
        let isSigned = transport.exchanges.last?.request.value(forHTTPHeaderField: "Authorization") != nil
        #expect(isSigned == (port == 443))
    }

    // MARK: Rules 15, 25, 27

    @Test("Rule 15: an operation waits until its user is signed in again") func pendingOperations() async throws {
        let folder = try TemporaryDirectory()
        let user = Locked<String?>("ada")
        let (transport, count) = counting()
        let client = client(transport) { $0.partition = { user.withLock { $0 } } }
        let queue = try await PendingOperationsQueue(
            fileURL: folder.url.appendingPathComponent("queue"), client: client, clock: clock)
        var request = URLRequest(url: try #require(URL(string: "https://a.example/likes")))
        request.httpMethod = "POST"
        request.setValue("Bearer ada", forHTTPHeaderField: "Authorization")
        request.setValue("acme", forHTTPHeaderField: "X-Tenant")
        try await queue.add(request)
        user.withLock { $0 = "bob" }
        #expect(await queue.processAll().held == 1)
        user.withLock { $0 = nil }
        #expect(await queue.processAll().held == 1)
        #expect(count.withLock { $0 } == 0)
        user.withLock { $0 = "ada" }
        #expect(await queue.processAll().succeeded == 1)
        let sent = try #require(transport.exchanges.last?.request)
        #expect(sent.value(forHTTPHeaderField: "Authorization") == nil, "known secret names are not stored")
        #expect(sent.value(forHTTPHeaderField: "X-Tenant") == "acme")
    }

    @Test("Rule 15: the queue does not multiply its retries with the client's") func pendingRetries() async throws {
        let folder = try TemporaryDirectory()
        let (transport, count) = counting(status: 503)
        let client = client(transport) { $0.retryPolicy = .default }
        let queue = try await PendingOperationsQueue(
            fileURL: folder.url.appendingPathComponent("queue"), client: client,
            retryPolicy: RetryPolicy(maxRetries: 2, delay: .immediate), clock: clock)
        var request = URLRequest(url: try #require(URL(string: "https://a.example/likes")))
        request.httpMethod = "PUT"
        try await queue.add(request)
        _ = await queue.processAll()
        #expect(count.withLock { $0 } == 3)
    }

    @Test("Rule 25: a derived client shares what it did not change, and a shutdown ends its own calls only")
    func derivedClients() async throws {
        let server = try MockServer { _ in .text("ok") }
        let parent = NetworkClient()
        let child = parent.with { $0.timeoutInterval = 50 }
        _ = try await child.data(for: URLRequest(url: server.url("/")))
        _ = try await parent.data(for: URLRequest(url: server.url("/")))
        #expect(server.connectionCount == 1, "one connection for both")
        await child.shutdown(.cancel)
        _ = try await parent.data(for: URLRequest(url: server.url("/")))
        await #expect(throws: NetworkFailure.self) { try await child.data(for: URLRequest(url: server.url("/"))) }
        let other = parent.with { $0.transportConfiguration.timeouts.connect = 30 }
        _ = try await other.data(for: URLRequest(url: server.url("/")))
        #expect(server.connectionCount == 2, "other settings of the transport are another transport")
        await parent.shutdown()
        await other.shutdown()
        await server.stop()
    }

    @Test("Rule 25: cancelling a shutdown of one client leaves the calls of the other")
    func cancellingOneOfTwo() async throws {
        let server = try MockServer()
        let parent = NetworkClient()
        let child = parent.with { $0.timeoutInterval = 30 }
        server.on("/slow", MockResponse.ok.fault(.stall(.beforeResponse)))
        server.on("/quick", .text("ok"))
        let slow = Task { try await child.data(for: URLRequest(url: server.url("/slow"))) }
        _ = try await server.takeRequest()
        await child.shutdown(.cancel)
        let failure = await #expect(throws: NetworkFailure.self) { _ = try await slow.value }
        #expect(failure?.cause == .cancelled)
        _ = try await parent.data(for: URLRequest(url: server.url("/quick")))
        await parent.shutdown()
        await server.stop()
    }

    @Test("Rule 27: cached: decides, whatever the client's policy") func cached() async throws {
        let (transport, count) = counting()
        let client = client(transport) {
            $0.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
            $0.baseURL = URL(string: "https://a.example")
        }
        let request = Request<String>(path: "/x")
        #expect(try await client.send(request, cached: true) == "1")
        #expect(try await client.send(request, cached: true) == "1")
        #expect(try await client.send(request) == "2", "nil is the client's rules: reload")
        #expect(try await client.send(request, cached: false) == "3")
        #expect(try await client.send(request, cached: true) == "2", "false stores nothing")
        _ = try await client.send(Request<String>(method: .put, path: "/x"), cached: false)
        #expect(try await client.send(request, cached: true) == "5", "and unsafe methods still invalidate")
        let post = await #expect(throws: NetworkFailure.self) {
            try await client.send(Request<String>(method: .post, path: "/x"), cached: true)
        }
        #expect(post?.cause == .invalidRequest)
        let none = await #expect(throws: NetworkFailure.self) {
            try await client.with { $0.cache = nil }.send(request, cached: true)
        }
        #expect(none?.code == "unsupported" && count.withLock { $0 } == 5)
    }
}
