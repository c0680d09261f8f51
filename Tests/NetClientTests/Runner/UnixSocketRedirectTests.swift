import NetClient
import NetTesting
import TestLab
import Testing

/// No server but the one on the socket itself may lead a call to a Unix-domain socket (SSRF).
@Suite struct UnixSocketRedirectTests {
    private func sent(
        _ start: String, _ locations: [String: String], _ policy: RedirectPolicy = .default
    ) async throws -> (urls: [String], refusal: RedirectPolicy.Refusal.Reason?, fields: [String?]) {
        let transport = StubTransport { request, _, _ in
            guard let location = locations[request.url?.absoluteString ?? ""] else { return answer() }
            return answer(302, headers: ["Location": location])
        }
        let client = NetworkClient(transport: transport, redirectPolicy: policy)
        var refusal: RedirectPolicy.Refusal.Reason?
        let first = try request(start, headers: ["Authorization": "secret"])
        do throws(NetworkFailure) {
            _ = try await client.response(for: first)
        } catch {
            refusal = (error.underlyingError as? RedirectPolicy.Refusal)?.reason
        }
        let requests = transport.exchanges.map(\.request)
        return (
            requests.compactMap { $0.url?.absoluteString }, refusal,
            requests.map { $0.value(forHTTPHeaderField: "Authorization") }
        )
    }

    @Test(arguments: [
        "http+unix://%2Frun%2Fa.sock/", "HTTP+UNIX://%2Frun%2Fa.sock/", "http+unix://%2Frun%2Fa.sock", "http+unix://x/",
    ])
    func otherServersLeadToNone(_ location: String) async throws {
        for start in ["http://a.example/", "https://a.example/"] {
            let result = try await sent(start, [start: location], RedirectPolicy(allowsInsecure: true))
            #expect(result.urls == [start] && result.refusal == .scheme)
        }
    }

    @Test func aSocketLeadsToItself() async throws {
        let (start, next) = ("http+unix://%2Frun%2Fa.sock/v1", "http+unix://%2Frun%2Fa.sock/v2?x=1")
        for location in ["/v2?x=1", next, "v2?x=1"] {
            let result = try await sent(start, [start: location])
            #expect(result.urls == [start, next] && result.fields == ["secret", "secret"])
        }
    }

    @Test(arguments: ["http+unix://%2Frun%2Fb.sock/", "//%2Frun%2Fb.sock/", "http+unix://%2Frun%2FA.sock/"])
    func butToNoOther(_ location: String) async throws {
        let start = "http+unix://%2Frun%2Fa.sock/v1"
        let result = try await sent(start, [start: location])
        #expect(result.urls == [start] && result.refusal == .scheme)
    }

    /// Its credentials do not follow, and there is no way back.
    @Test func aSocketLeadsToTheNetwork() async throws {
        let (start, away) = ("http+unix://%2Frun%2Fa.sock/v1", "http://a.example/x")
        let result = try await sent(start, [start: away, away: start])
        #expect(result.urls == [start, away] && result.fields == ["secret", nil] && result.refusal == .scheme)
    }

    @Test func pagesStayOnTheSocket() async throws {
        let transport = StubTransport { request, _, _ in
            let isFirst = request.url?.absoluteString.contains("page=2") == false
            let next = request.url?.scheme == "http" ? "http+unix://%2Frun%2Fa.sock/?page=2" : "?page=2"
            return answer(200, "[1]", headers: isFirst ? ["Link": "<\(next)>; rel=\"next\""] : [:])
        }
        let client = NetworkClient(transport: transport)
        var pages: [[Int]] = []
        for try await page in client.pages(of: [Int].self, for: try request("http+unix://%2Frun%2Fa.sock/")) {
            pages.append(page.value)
        }
        #expect(pages == [[1], [1]])
        await #expect(throws: (any Error).self) {
            for try await _ in client.pages(of: [Int].self, for: try request("http://a.example/")) {}
        }
        #expect(transport.exchanges.count == 3)
    }

    /// Paths, cookies and coalescing.
    @Test func endpointsAndCookies() async throws {
        let transport = StubTransport { request, _, _ in answer(200, "1", headers: ["Set-Cookie": "a=b"]) }
        var configuration = NetworkClient.Configuration(baseURL: URL(string: "http+unix://%2Frun%2Fa.sock/v1"))
        configuration.transport = transport
        let client = NetworkClient(configuration: configuration)
        for _ in 0..<2 { #expect(try await client.send(Request<Int>(path: "/users/1")) == 1) }
        #expect(
            transport.exchanges.map { $0.request.url?.absoluteString }
                == Array(repeating: "http+unix://%2Frun%2Fa.sock/v1/users/1", count: 2))
        #expect(transport.exchanges.allSatisfy { $0.request.value(forHTTPHeaderField: "Cookie") == nil })
    }
}
