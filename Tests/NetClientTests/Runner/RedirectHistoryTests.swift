import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct RedirectHistoryTests {
    private static func chain(_ last: Result<TransportResponse, any Error>) -> StubTransport {
        StubTransport(
            .success(answer(302, "body", headers: ["Location": "/b?token=S3CR3T", "Set-Cookie": "sid=S3CR3T"])),
            .success(answer(308, headers: ["Location": "https://b.example/c"])), last)
    }

    @Test func redirectsOfAResponse() async throws {
        let client = NetworkClient(transport: Self.chain(.success(answer(200, "there"))))
        let response = try await client.response(for: request("https://a.example/a"))
        let hops = response.redirects
        try #require(hops.map(\.status) == [302, 308])
        #expect(response.status == 200)
        #expect(hops.map(\.url?.absoluteString) == ["https://a.example/a", "https://a.example/b?token=S3CR3T"])
        #expect(hops[0].headers["Location"] == "/b?token=S3CR3T" && hops[0].headers["Set-Cookie"] == "sid=S3CR3T")
        #expect(hops == response.retryTrace.hops && response.retryTrace.redirects == 2)
        #expect(textsShowing("S3CR3T", of: hops) == [] && textsShowing("S3CR3T", of: response.retryTrace) == [])
        #expect(textsShowing("302", of: response.retryTrace) != [])
        let direct = NetworkClient(transport: StubTransport(.success(answer(200))))
        #expect(try await direct.response(for: request()).redirects.isEmpty)
    }

    @Test func redirectsOfAFailure() async throws {
        for last: Result<TransportResponse, any Error> in [.failure(lostConnection), .success(answer(404))] {
            let client = NetworkClient(transport: Self.chain(last))
            let failure = try await failure { try await client.data(for: request("https://a.example/a")) }
            #expect(failure.redirects.map(\.status) == [302, 308])
        }
    }
}
