import NetTesting
import Networking
import TestLab
import Testing

/// The rules of preparation and identity that one case each shows best. The combinations are in ``CombinationTests``.
@Suite struct PreparationRulesTests: RulesSuite {
    let clock = TestClock(autoAdvance: true)

    // MARK: Rules 1 to 7: whose request

    @Test("Rule 1: the call's name, else the provider's, else the client's; a name wins over the credentials")
    func nearestPartitionNamesTheOwner() async throws {
        let transport = counting()
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
        #expect(try await text(own) == "3" && transport.exchanges.last?.context.identity?.name == "client")
    }

    @Test("Rule 1: an unknown identity is not looked up and not stored")
    func requestWithAnUnknownTokenIsNotCached() async throws {
        let transport = counting()
        let anonymous = client(transport)
        #expect(try await text(anonymous) == "1")
        let client = anonymous.with { $0.interceptors = [AuthInterceptor(tokenProvider: LateToken())] }
        #expect(try await text(client) == "2", "what is stored for anonymous requests is not for this one")
        #expect(transport.sent("Authorization").last == "Bearer late")
        #expect(try await [text(client), text(client)] == ["3", "3"], "the first was stored for nobody")
    }

    @Test("Rule 2: fields whose names say a secret or a subject keep users apart, and no others")
    func identifyingFieldsKeepUsersApart() async throws {
        let client = client(counting()) {
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
    func fieldOfAProviderIdentifiesTheUser() async throws {
        let code = Locked("")
        let client = client(counting()) {
            $0.interceptors = [AuthInterceptor.custom(authenticate: { $0 = $0.setting("X-Pin", code.withLock { $0 }) })]
        }
        for pin in ["1", "2", "1"] {
            code.withLock { $0 = pin }
            #expect(try await text(client) == pin)
        }
    }

    @Test("Rule 2: a miss says for which other owner the URL is stored")
    func cacheStatusNamesTheOtherOwner() async throws {
        let client = client(counting())
        func status(_ fields: [String: String], partition: String? = nil) async throws -> String? {
            try await get(client, "/other-owner", fields: fields, partition: partition).headers["Cache-Status"]
        }
        #expect(try await status([:]) == "Networking; fwd=uri-miss; ttl=86400; stored")
        let other = "Networking; fwd=uri-miss; ttl=86400; stored; detail=\"other-owner"
        #expect(try await status(["X-Tenant": "a"]) == other + "(x-tenant)\"")
        #expect(try await status(["X-Tenant": "a", "Authorization": "b"]) == other + "(authorization)\"")
        #expect(try await status([:], partition: "ada") == other + "(partition)\"")
        client.cookies?.set(Cookie(name: "sid", value: "1", domain: "a.example"))
        #expect(try await status([:]) == "Networking; fwd=uri-miss; ttl=86400; stored; detail=cookie-epoch")
    }

    @Test("Rule 2: fields that make other owners over and over are told of once, all together")
    func changingIdentifyingFieldsAreReportedOnce() async throws {
        let observer = NoticeObserver()
        let client = client(counting())
        for number in 0..<20 {
            let fields = ["X-Trace-Key": "\(number)", "X-Probe-Token": "\(number)", "Authorization": "t"]
            for page in 0..<3 {
                _ = try await get(client, "/\(page)", fields: fields, observers: [observer])
            }
        }
        let texts = observer.notices
        #expect(texts.count == 1 && texts[0].contains("x-probe-token, x-trace-key"), "\(texts)")
    }

    private static let tenant = FieldMiddleware(field: "X-Tenant") { "acme" }

    /// Sends through an authentication that is not in the client's list.
    private struct Wrapping: HTTPInterceptor {
        let inner: AuthInterceptor
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            try await inner.intercept(request, next: next)
        }
    }

    @Test("Rule 3: what an authentication inside another interceptor authenticated is stored for nobody")
    func wrappedAuthenticationPreventsStoring() async throws {
        let transport = counting()
        let signedIn = client(transport) { $0.interceptors = [Wrapping(inner: .bearer("1"))] }
        #expect(try await [text(signedIn), text(signedIn)] == ["1", "2"])
        #expect(transport.sent("Authorization") == ["Bearer 1", "Bearer 1"])
        #expect(try await text(signedIn.with { $0.interceptors = [] }) == "3")
    }

    @Test("Rule 5: Vary on a credential is satisfied by the identity; on another field by the prepared value")
    func varyOnACredentialIsSatisfiedByTheIdentity() async throws {
        let token = Locked("1")
        let client = client(counting(["Vary": "Authorization, Accept-Language, X-Tenant"])) {
            $0.interceptors = [AuthInterceptor(tokenProvider: { token.withLock { $0 } }, partition: { "ada" })]
        }
        #expect(try await text(client, fields: ["Accept-Language": "de"]) == "1")
        token.withLock { $0 = "2" }
        #expect(try await text(client, fields: ["Accept-Language": "de"]) == "1")
        #expect(try await text(client, fields: ["Accept-Language": "en"]) == "2")
        #expect(try await text(client, fields: ["Accept-Language": "de", "X-Tenant": "b"]) == "3", "the caller's own")
    }

    // MARK: Rules 8 to 13: preparation

    @Test("Rule 9: another user's entry is not validated by this one's request")
    func entryOfAnotherUserIsNotRevalidated() async throws {
        let token = Locked("ada")
        let transport = StubTransport { request, _, context in
            // The first attempt of the second call fails, and meanwhile another user signs in.
            if request.value(forHTTPHeaderField: "If-None-Match") != nil {
                token.withLock { $0 = "bob" }
                let status = context.attempt == 0 ? 503 : 304
                return TransportResponse(status: status, headers: ["ETag": "\"1\""], url: request.url)
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
        #expect(try await [text(client), text(client)] == ["of Bearer ada", "of Bearer bob"])
        #expect(transport.sent("If-None-Match").last == .some(nil))
    }

    @Test("Rule 11: what is stored for a named user is served offline though the token has expired")
    func cachedResponseIsServedOfflineWithAnExpiredToken() async throws {
        struct Expired: Error {}
        let (transport, monitor) = (counting(), MockConnectionMonitor())
        let (isExpired, asked) = (Locked(false), Locked(0))
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
        let offline = try await failure { try await text(client, "/other") }
        #expect(offline.cause == .noInternetConnection, "the guard comes before the hook's error")
        monitor.isReachable = true
        let refused = try await failure { try await text(client, "/other") }
        #expect(refused.cause == .invalidRequest && transport.exchanges.count == 1, "nothing is sent")
    }

    @Test("Rule 12: a signer sees the final request, wherever it stands in the list")
    func signerSeesTheFinalRequest() async throws {
        struct Signer: RequestSigner {
            func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest {
                let fields = ["X-Tenant", "Authorization", "User-Agent"]
                return request.setting("X-Signed", "\(fields.map { request.value(forHTTPHeaderField: $0) != nil })")
            }
        }
        let transport = counting()
        let client = client(transport) {
            let signing = SigningInterceptor(Signer(), hosts: ["a.example"])
            $0.interceptors = [signing, Self.tenant, AuthInterceptor.bearer("t")]
        }
        _ = try await text(client)
        #expect(transport.sent("X-Signed").last == "[true, true, true]")
    }
}
