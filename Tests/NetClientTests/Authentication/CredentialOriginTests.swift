import NetClient
import NetTesting
import Testing

/// Credentials are sent only to their origin.
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

    @Test(arguments: [
        ("/other", "Bearer 0"), ("https://A.example:443/b", "Bearer 0"), ("https://b.example/", nil),
        ("https://a.example:8443/", nil), ("https://sub.a.example/", nil), ("https://a.example.evil.test/", nil),
        ("https://a.example@b.example/", nil),
    ]) func redirectToAnotherOriginDropsCredentials(target: String, second: String?) async throws {
        #expect(try await follow(to: target).sent == ["Bearer 0", second])
    }

    @Test func anotherSchemeOrA401OfAnotherOriginGetsNoCredentials() async throws {
        #expect(try await follow(from: "http://a.example/", to: "https://a.example/").sent == ["Bearer 0", nil])
        let refused = try await follow(to: "https://b.example/", status: 401)
        #expect(refused.sent == ["Bearer 0", nil] && refused.refreshes == 0)
    }

    @Test func additionalHostsGetCredentials() async throws {
        #expect(try await follow(to: "https://cdn.example/", hosts: ["CDN.example"]).sent == ["Bearer 0", "Bearer 0"])
        #expect(try await follow(to: "https://x.cdn.example/", hosts: ["cdn.example"]).sent == ["Bearer 0", nil])
        let refused = try await follow(to: "https://cdn.example/", hosts: ["cdn.example"], status: 401)
        #expect(refused.sent.count == 3 && refused.refreshes == 1)
    }

    @Test func additionalHostOverPlainHTTPGetsNoCredentials() async throws {
        var auth = AuthInterceptor.bearer("t")
        auth.additionalHosts = ["cdn.example"]
        let (origin, transport) = (try url(), StubTransport { _, _, _ in answer() })
        let next = Next(context: .with { $0.origin = origin }) { try await transport.send($0, body: $1, context: $2) }
        for url in ["http://cdn.example/", "https://cdn.example/"] {
            _ = try await auth.intercept(request(url), next: next)
        }
        #expect(transport.sent("Authorization") == [nil, "Bearer t"])
    }

    @Test func urlsThatTheProviderDoesNotCoverGetNoCredentials() async throws {
        let tokens = NumberedTokens(prefix: "https://a.example/mine")
        let transport = StubTransport { _, _, _ in answer(401) }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport)
        _ = try? await client.response(for: request("https://a.example/other"))
        #expect(transport.sent("Authorization") == [nil] && tokens.refreshes == 0)
        _ = try? await client.response(for: request("https://a.example/mine"))
        #expect(transport.exchanges.count == 3 && tokens.refreshes == 1)
    }
}
