import NetClient
import NetTesting
import Testing

/// Credentials go to the origin that they belong to, and nowhere else.
@Suite struct CredentialOriginTests {
    private func follow(
        from start: String = "https://a.example/", to target: String, hosts: Set<String> = [], status: Int = 200
    ) async throws -> (sent: [String?], refreshes: Int) {
        let tokens = NumberedTokens()
        var auth = AuthInterceptor(provider: tokens)
        auth.additionalHosts = hosts
        let transport = StubTransport { request, _, _ in
            request.url?.absoluteString == start ? answer(302, headers: ["Location": target]) : answer(status)
        }
        _ = try await NetworkClient(interceptors: [auth], transport: transport).response(for: request(start))
        return (transport.sent("Authorization"), tokens.refreshes)
    }

    @Test(arguments: ["/other", "https://A.example:443/b"]) func sameOriginGetsThem(target: String) async throws {
        #expect(try await follow(to: target).sent == ["Bearer 0", "Bearer 0"])
    }

    @Test(arguments: [
        "https://b.example/", "https://a.example:8443/", "https://sub.a.example/", "https://a.example.evil.test/",
        "https://a.example@b.example/",
    ])
    func otherOriginGetsNothing(target: String) async throws {
        #expect(try await follow(to: target).sent == ["Bearer 0", nil])
    }

    @Test func anotherSchemeIsAnotherOrigin() async throws {
        #expect(try await follow(from: "http://a.example/", to: "https://a.example/").sent == ["Bearer 0", nil])
    }

    @Test func refusalOfAnotherOriginRefreshesNothing() async throws {
        let (sent, refreshes) = try await follow(to: "https://b.example/", status: 401)
        #expect(sent == ["Bearer 0", nil] && refreshes == 0)
    }

    @Test func hostsThatWereNamedGetThem() async throws {
        #expect(try await follow(to: "https://cdn.example/", hosts: ["CDN.example"]).sent == ["Bearer 0", "Bearer 0"])
        #expect(try await follow(to: "https://x.cdn.example/", hosts: ["cdn.example"]).sent == ["Bearer 0", nil])
        let (sent, refreshes) = try await follow(to: "https://cdn.example/", hosts: ["cdn.example"], status: 401)
        #expect(sent.count == 3 && refreshes == 1)
    }

    @Test func namedHostOverPlainHTTPGetsNothing() async throws {
        var auth = AuthInterceptor.bearer("t")
        auth.additionalHosts = ["cdn.example"]
        var context = RequestContext()
        context.origin = try request("https://a.example/").url
        let sent = Locked<[URLRequest]>([])
        let next = Next(context: context) { request, _, _ in
            sent.withLock { $0.append(request) }
            return answer()
        }
        for url in ["http://cdn.example/", "https://cdn.example/"] {
            _ = try await auth.intercept(request(url), next: next)
        }
        #expect(sent.withLock { $0.map { $0.value(forHTTPHeaderField: "Authorization") } } == [nil, "Bearer t"])
    }

    /// A provider can narrow what the client allows.
    @Test func urlsThatTheProviderDoesNotCoverGetNothing() async throws {
        final class Narrow: AuthenticationProvider {
            let tokens = NumberedTokens()

            func authenticate(_ request: inout URLRequest) async throws { try await tokens.authenticate(&request) }
            func reauthenticate() async throws { try await tokens.reauthenticate() }
            func covers(_ url: URL) -> Bool { url.path == "/mine" }
        }
        let provider = Narrow()
        let transport = StubTransport { _, _, _ in answer(401) }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: provider)], transport: transport)
        _ = try? await client.response(for: request("https://a.example/other"))
        #expect(transport.sent("Authorization") == [nil])
        #expect(provider.tokens.refreshes == 0)
        _ = try? await client.response(for: request("https://a.example/mine"))
        #expect(transport.exchanges.count == 3 && provider.tokens.refreshes == 1)
    }
}
