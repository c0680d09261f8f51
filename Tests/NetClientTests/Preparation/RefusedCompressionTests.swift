@testable import NetClient

/// A compressed body that is sent again.
@Suite(.timeLimit(.minutes(2))) struct RefusedCompressionTests {
    private static let text = RequestCompressionTests.text

    /// A server that refuses content codings.
    private static func plainServer(accepting coding: String? = nil) throws -> MockServer {
        try MockServer { request in
            guard request.headers["Content-Encoding"] != nil else { return .text("ok") }
            return .status(415, headers: coding.map { ["Accept-Encoding": $0] } ?? [:])
        }
    }

    private static func codings(_ server: MockServer) -> [String?] {
        server.requests.map { $0.headers["Content-Encoding"] }
    }

    private func send(
        to server: MockServer, by client: NetworkClient = RequestCompressionTests.client(),
        body: HTTPBody = HTTPBody(text)
    ) async throws -> TransportResponse {
        try await client.response(for: RequestCompressionTests.post(server.url("/")), body: body)
    }

    @Test(arguments: [nil, "", "identity", "br, deflate", "gzip;q=0", "*;q=0.000"])
    func refusedCodingIsRepeatedWithoutAndRemembered(_ accepted: String?) async throws {
        let (server, other) = (try Self.plainServer(accepting: accepted), try MockServer { _ in .text("ok") })
        let client = RequestCompressionTests.client()
        let response = try await send(to: server, by: client)
        let retries = response.retryTrace.retries.map(\.description)
        #expect(retries == ["attempt 0: request_failed 415; again by content_coding after 0 s"])
        #expect(response.status == 200)
        #expect(Self.codings(server) == ["gzip", nil] && server.requests.last?.body == Self.text)
        // By derived clients, and for this server only.
        for client in [client, client.with { $0.timeoutInterval = 9 }] {
            #expect(try await send(to: server, by: client).retryTrace.retries.isEmpty)
        }
        _ = try await send(to: other, by: client)
        #expect(Self.codings(server) == ["gzip", nil, nil, nil] && Self.codings(other) == ["gzip"])
    }

    /// The 415 is about the media type (RFC 9110, section 12.5.3).
    @Test(arguments: ["gzip", "GZIP;q=0.5, br", "x-gzip", "*"])
    func status415IsReturnedIfTheServerAcceptsTheCoding(_ accepted: String) async throws {
        let server = try Self.plainServer(accepting: accepted)
        let client = RequestCompressionTests.client()
        for _ in 0..<2 { #expect(try await send(to: server, by: client).status == 415) }
        #expect(Self.codings(server) == ["gzip", "gzip"])
    }

    /// The coding was not the reason.
    @Test func second415IsNotRemembered() async throws {
        let server = try MockServer { _ in .status(415) }
        let client = RequestCompressionTests.client()
        for _ in 0..<2 { #expect(try await send(to: server, by: client).status == 415) }
        #expect(Self.codings(server) == ["gzip", nil, "gzip", nil])
    }

    @Test func oneShotBodyIsNotRepeated() async throws {
        let server = try Self.plainServer()
        let client = RequestCompressionTests.client()
        for status in [415, 200] {
            let body = oneShot(String(decoding: Self.text, as: UTF8.self))
            #expect(try await send(to: server, by: client, body: body).status == status)
        }
        #expect(Self.codings(server) == ["gzip", nil])
    }

    @Test func uncompressedBodyIsNotRepeated() async throws {
        let server = try MockServer { _ in .status(415) }
        #expect(try await send(to: server, body: HTTPBody("short")).status == 415 && server.requestCount == 1)
    }

    @Test func retriesAreCompressedAgain() async throws {
        let server = try MockServer()
        server.enqueue(.status(503), .status(415), .status(503), .text("ok"))
        let client = RequestCompressionTests.client {
            $0.retryPolicy = RetryPolicy(maxRetries: 3, delay: .immediate, shouldRetry: { _ in true })
        }
        let response = try await send(to: server, by: client)
        #expect(response.retryTrace.retries.map(\.reason) == [.policy, .contentCoding, .policy])
        #expect(Self.codings(server) == ["gzip", "gzip", nil, nil])
        #expect(server.requests[0].body == server.requests[1].body)
        #expect(server.requests.map(\.decodedBody) == Array(repeating: Self.text, count: 4))
    }

    @Test(arguments: [307, 308, 303]) func redirectsAreCompressed(_ status: Int) async throws {
        let (server, other) = (try MockServer(), try MockServer { _ in .text("ok") })
        server.enqueue(
            .redirect(to: "/next", status: status == 303 ? 307 : status),
            .redirect(to: other.url("/").absoluteString, status: status))
        #expect(try await send(to: server).status == 200)
        #expect(server.requests.map(\.decodedBody) == [Self.text, Self.text])
        let last = try #require(other.requests.first)
        #expect(last.decodedBody == (status == 303 ? Data() : Self.text))
        #expect(last.headers["Content-Encoding"] == (status == 303 ? nil : "gzip"))
    }

    @Test func reauthenticationIsCompressed() async throws {
        let server = try MockServer { request in
            request.headers["Authorization"] == "Bearer 1" ? .text("ok") : .status(401)
        }
        let client = RequestCompressionTests.client { $0.authenticationProvider = NumberedTokens() }
        for body in [HTTPBody(Self.text), RequestCompressionTests.replaying(Self.text)] {
            #expect(try await send(to: server, by: client, body: body).status == 200)
        }
        #expect(server.requests.map(\.decodedBody) == [Self.text, Self.text, Self.text])
    }

    @Test func oldestOf64RefusalsIsForgotten() throws {
        let refusals = CodingRefusals()
        for port in 1...65 { refusals.insert(URL(string: "http://a.example:\(port)/x"), "gzip") }
        let known = try [1, 2, 65].map { refusals.contains(try url("http://a.example:\($0)/y?z"), "gzip") }
        #expect(known == [false, true, true])
        #expect(try !refusals.contains(url("http://a.example:65/"), "zstd") && !refusals.contains(nil, "gzip"))
    }
}
