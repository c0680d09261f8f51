/// `Retry-After` (RFC 9110, section 10.2.3).
@Suite struct RetryAfterTests {
    private let clock = TestClock(now: Date(timeIntervalSince1970: 784_111_777), autoAdvance: true)

    /// The delays after a response with these fields. The policy's delay is half a second.
    private func delays(
        after fields: HTTPHeaders, status: Int = 503, random: Double = 0,
        policy: RetryPolicy = RetryPolicy(maxRetries: 1, delay: .fixed(0.5))
    ) async throws -> [TimeInterval] {
        let transport = StubTransport(.success(answer(status, headers: fields)), .success(answer()))
        let client = NetworkClient(retryPolicy: policy, transport: transport, clock: clock, random: { random })
        let before = clock.sleeps.count
        _ = try await client.response(for: request())
        return Array(clock.sleeps[before...])
    }

    @Test(arguments: [
        ("0", 0.5), ("1", 1.0), (" 7 ", 7.0), ("007", 7.0), ("120", 120.0), ("Sun, 06 Nov 1994 08:49:47 GMT", 10.0),
        ("Sunday, 06-Nov-94 08:49:47 GMT", 10.0), ("Sun Nov  6 08:49:47 1994", 10.0),
        // Malformed or past.
        ("", 0.5), ("-1", 0.5), ("1.5", 0.5), ("soon", 0.5), ("1, 2", 0.5), ("٣", 0.5), ("+1", 0.5), ("0x10", 0.5),
        ("Sun, 06 Nov 1994 08:49:47 CET", 0.5), ("Sun, 06 Nov 1994 08:00:00 GMT", 0.5),
    ]) func secondsOrADate(_ value: String, delay: TimeInterval) async throws {
        #expect(try await delays(after: ["Retry-After": value]) == [delay])
    }

    /// The device's clock is an hour behind.
    @Test func retryAfterIsRelativeToTheDateField() async throws {
        let fields: HTTPHeaders = [
            "Retry-After": "Sun, 06 Nov 1994 09:49:47 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT",
        ]
        #expect(try await delays(after: fields) == [10])
        // The date of a cached response is old. The clock has advanced by ten seconds.
        let cached: HTTPHeaders = [
            "Retry-After": "Sun, 06 Nov 1994 08:49:57 GMT", "Date": "Sun, 06 Nov 1994 08:40:00 GMT", "Age": "577",
        ]
        #expect(try await delays(after: cached) == [10])
    }

    @Test func retryAfterHasJitter() async throws {
        #expect(try await delays(after: ["Retry-After": "10"], random: 0) == [10])
        #expect(try await delays(after: ["Retry-After": "10"], random: 1) == [11])
    }

    @Test func retryAfterOfEachRetriedStatus() async throws {
        #expect(try await delays(after: ["Retry-After": "3"], status: 429) == [3])
        #expect(try await delays(after: ["Retry-After": "3"], status: 500) == [3])
        #expect(try await delays(after: ["Retry-After": "3"], status: 429, policy: .default) == [])
    }

    @Test(arguments: ["121", "99999999999999999999999999999999", "Sun, 06 Nov 1994 09:49:37 GMT"])
    func tooLongRetryAfterEndsTheCall(_ value: String) async throws {
        let transport = StubTransport(.success(answer(503, "busy", headers: ["Retry-After": value])))
        let client = NetworkClient(retryPolicy: .default, transport: transport, clock: clock)
        let response = try await client.response(for: request())
        #expect(response.status == 503 && response.body.data == Data("busy".utf8))
        #expect(transport.exchanges.count == 1 && clock.sleeps.isEmpty)
        guard case .retryAfterTooLong(120.nextUp...) = response.retryTrace.end else {
            return _ = Issue.record("\(response.retryTrace)")
        }
    }

    @Test func maximumRetryAfterOfThePolicy() async throws {
        var policy = RetryPolicy(maxRetries: 1, delay: .immediate)
        policy.maximumRetryAfter = 3600
        #expect(try await delays(after: ["Retry-After": "3600"], policy: policy) == [3600])
        policy.maximumRetryAfter = .nan
        let transport = StubTransport(.success(answer(503, headers: ["Retry-After": "1"])))
        let client = NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
        #expect(try await client.response(for: request()).retryTrace.end == .retryAfterTooLong(1))
    }

    @Test func retryCountRespectsRetryAfterAndHooksDoNot() async throws {
        let context = RequestContext.with { $0[RetryCountKey.self] = 1 }
        let busy = answer(503, headers: ["Retry-After": "9"])
        let counted = NetworkClient(
            transport: StubTransport(.success(busy), .success(answer())), clock: clock, random: { 0 })
        let response = try await counted.response(for: request(), context: context)
        #expect(clock.sleeps == [9] && response.retryTrace.retries.first?.retryAfter == 9)
        let hook = Hook(retrying: { _, _, _ in .retryWithDelay(2) })
        let hooked = NetworkClient(
            interceptors: [hook], transport: StubTransport(.success(busy), .success(answer())), clock: clock)
        _ = try await hooked.response(for: request())
        #expect(clock.sleeps == [9, 2])
    }
}
