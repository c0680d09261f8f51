import NetClient
import NetTesting
import Testing

/// Only the server on a Unix-domain socket may redirect to that socket (SSRF).
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
        let urls = transport.exchanges.compactMap { $0.request.url?.absoluteString }
        return (urls, refusal, transport.sent("Authorization"))
    }

    @Test(arguments: [
        "http+unix://%2Frun%2Fa.sock/", "HTTP+UNIX://%2Frun%2Fa.sock/", "http+unix://%2Frun%2Fa.sock", "http+unix://x/",
    ]) func redirectToASocketIsRefused(_ location: String) async throws {
        for start in ["http://a.example/", "https://a.example/"] {
            let result = try await sent(start, [start: location], RedirectPolicy(allowsInsecure: true))
            #expect(result.urls == [start] && result.refusal == .scheme)
        }
    }

    @Test func redirectToTheSameSocketIsFollowed() async throws {
        let (start, next) = ("http+unix://%2Frun%2Fa.sock/v1", "http+unix://%2Frun%2Fa.sock/v2?x=1")
        for location in ["/v2?x=1", next, "v2?x=1"] {
            let result = try await sent(start, [start: location])
            #expect(result.urls == [start, next] && result.fields == ["secret", "secret"])
        }
    }

    @Test(arguments: ["http+unix://%2Frun%2Fb.sock/", "//%2Frun%2Fb.sock/", "http+unix://%2Frun%2FA.sock/"])
    func redirectToAnotherSocketIsRefused(_ location: String) async throws {
        let start = "http+unix://%2Frun%2Fa.sock/v1"
        let result = try await sent(start, [start: location])
        #expect(result.urls == [start] && result.refusal == .scheme)
    }

    /// Without credentials, and not back.
    @Test func redirectFromASocketToTheNetworkIsFollowed() async throws {
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
        let pages = client.pages(of: [Int].self, for: try request("http+unix://%2Frun%2Fa.sock/"))
        #expect(try await pages.reduce(into: []) { $0.append($1.value) } == [[1], [1]])
        await #expect(throws: (any Error).self) {
            for try await _ in client.pages(of: [Int].self, for: try request("http://a.example/")) {}
        }
        #expect(transport.exchanges.count == 3)
    }

    @Test func endpointsAndCookiesOfASocket() async throws {
        let transport = StubTransport { request, _, _ in answer(200, "1", headers: ["Set-Cookie": "a=b"]) }
        var configuration = NetworkClient.Configuration(baseURL: URL(string: "http+unix://%2Frun%2Fa.sock/v1"))
        configuration.transport = transport
        let client = NetworkClient(configuration: configuration)
        for _ in 0..<2 { #expect(try await client.send(Request<Int>(path: "/users/1")) == 1) }
        let url = "http+unix://%2Frun%2Fa.sock/v1/users/1"
        #expect(transport.exchanges.map { $0.request.url?.absoluteString } == [url, url])
        #expect(transport.exchanges.allSatisfy { $0.request.value(forHTTPHeaderField: "Cookie") == nil })
    }
}
