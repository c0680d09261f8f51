import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct RetryIdempotencyTests {
    private func client(_ transport: StubTransport) -> NetworkClient {
        let policy = RetryPolicy(maxRetries: 2, delay: .immediate).addingIdempotencyKey()
        return NetworkClient(retryPolicy: policy, transport: transport, clock: TestClock(autoAdvance: true))
    }

    @Test(arguments: [HTTPMethod.post, .patch]) func keyIsTheSameForAllAttempts(_ method: HTTPMethod) async throws {
        let transport = StubTransport(.failure(lostConnection), .success(answer(503)), .success(answer()))
        let request = try request("https://a.example/", method)
        #expect(try await client(transport).response(for: request, body: HTTPBody("x")).status == 200)
        let keys = transport.sent("Idempotency-Key")
        let key = try #require(keys.first ?? nil)
        #expect(keys == [key, key, key])
        // A quoted string of structured fields (RFC 9651, section 3.3.3).
        #expect(key.first == "\"" && key.last == "\"" && UUID(uuidString: String(key.dropFirst().dropLast())) != nil)
    }

    @Test func idempotencyKeyDiffersByCall() async throws {
        let transport = StubTransport { _, _, _ in answer() }
        let client = client(transport)
        let context = RequestContext()
        for _ in 0..<2 { _ = try await client.response(for: request("https://a.example/", .post), context: context) }
        #expect(Set(transport.sent("Idempotency-Key")).count == 2)
    }

    @Test func idempotencyKeyOfTheCallerIsKept() async throws {
        let transport = StubTransport(.failure(lostConnection), .success(answer()))
        let request = try request("https://a.example/", .post, headers: ["idempotency-key": "mine"])
        _ = try await client(transport).response(for: request)
        #expect(transport.sent("Idempotency-Key") == ["mine", "mine"])
    }

    @Test(arguments: [HTTPMethod.get, .put, .delete])
    func idempotentMethodsHaveNoKey(_ method: HTTPMethod) async throws {
        let transport = StubTransport { _, _, _ in answer() }
        _ = try await client(transport).response(for: request("https://a.example/", method))
        #expect(transport.sent("Idempotency-Key") == [nil])
    }

    @Test func noKeyByDefault() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 2), transport: transport, clock: TestClock())
        let failure = try await failure { try await client.response(for: request("https://a.example/", .post)) }
        #expect(transport.sent("Idempotency-Key") == [nil] && failure.retryTrace.end == .notIdempotent)
    }

    /// After a 303 the request is a GET.
    @Test(arguments: [307, 308, 303]) func redirectKeepsTheIdempotencyKey(_ status: Int) async throws {
        let transport = StubTransport(
            .success(answer(status, headers: ["Location": "/next"])), .failure(lostConnection), .success(answer()))
        _ = try await client(transport).response(for: request("https://a.example/", .post), body: HTTPBody("x"))
        let keys = transport.sent("Idempotency-Key")
        #expect(keys.count == 3 && keys[0] != nil && keys[1] == (status == 303 ? nil : keys[0]) && keys[2] == keys[1])
    }
}
