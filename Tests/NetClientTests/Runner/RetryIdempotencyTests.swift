import NetClient
import NetTesting
import TestLab
import Testing

/// The keys that the SDK adds.
@Suite struct RetryIdempotencyTests {
    private let clock = TestClock(autoAdvance: true)
    private let policy = RetryPolicy(maxRetries: 2, delay: .immediate).addingIdempotencyKey()

    private func keys(_ transport: StubTransport) -> [String?] { transport.sent("Idempotency-Key") }

    @Test(arguments: [HTTPMethod.post, .patch]) func itIsTheSameForAllAttempts(_ method: HTTPMethod) async throws {
        let transport = StubTransport(.failure(lostConnection), .success(answer(503)), .success(answer()))
        let client = NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
        let response = try await client.response(for: request("https://a.example/", method), body: HTTPBody("x"))
        #expect(response.status == 200)
        let keys = keys(transport)
        let key = try #require(keys.first ?? nil)
        #expect(keys == [key, key, key])
        // A string of structured fields (RFC 9651, section 3.3.3): in quotes.
        #expect(key.first == "\"" && key.last == "\"" && UUID(uuidString: String(key.dropFirst().dropLast())) != nil)
    }

    @Test func itDiffersFromCallToCall() async throws {
        let transport = StubTransport { _, _, _ in answer() }
        let client = NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
        // One context for both: they are two calls all the same.
        let context = RequestContext(clock: clock)
        for _ in 0..<2 { _ = try await client.response(for: request("https://a.example/", .post), context: context) }
        #expect(Set(keys(transport)).count == 2)
    }

    @Test func callersOwnStands() async throws {
        let transport = StubTransport(.failure(lostConnection), .success(answer()))
        let client = NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
        _ = try await client.response(for: request("https://a.example/", .post, headers: ["idempotency-key": "mine"]))
        #expect(keys(transport) == ["mine", "mine"])
    }

    @Test(arguments: [HTTPMethod.get, .put, .delete]) func whatIsIdempotentNeedsNone(_ method: HTTPMethod) async throws
    {
        let transport = StubTransport { _, _, _ in answer() }
        let client = NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
        _ = try await client.response(for: request("https://a.example/", method))
        #expect(keys(transport) == [nil])
    }

    @Test func noneIsAddedUnlessThePolicySaysSo() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 2), transport: transport, clock: clock)
        let failure = try await failure { try await client.response(for: request("https://a.example/", .post)) }
        #expect(keys(transport) == [nil] && failure.retryTrace.end == .notIdempotent)
    }

    /// 307 and 308 repeat the request elsewhere: the same call. After a 303 it is a GET.
    @Test(arguments: [307, 308, 303]) func itGoesAlongWithARedirect(_ status: Int) async throws {
        let transport = StubTransport(
            .success(answer(status, headers: ["Location": "/next"])), .failure(lostConnection), .success(answer()))
        let client = NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
        _ = try await client.response(for: request("https://a.example/", .post), body: HTTPBody("x"))
        let keys = keys(transport)
        #expect(keys.count == 3 && keys[0] != nil && keys[1] == (status == 303 ? nil : keys[0]) && keys[2] == keys[1])
    }
}
