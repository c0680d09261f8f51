import NetClient
import NetTesting
import TestLab
import Testing

/// Ten thousand concurrent calls to a server that fails at random. Some are cancelled.
@Suite struct RetryStormTests {
    private enum End: Equatable {
        case value(attempts: Int)
        case failure(attempts: Int, RetryTrace.End?)
        case cancelled

        var isOverBudget: Bool { if case .failure(_, .budgetEmpty) = self { true } else { false } }
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func eachAttemptIsInTheRetryTrace() async {
            await #expect(processExitsWith: .success) { try await RetryStormTests().tenThousandCalls() }
        }
    #endif

    private func tenThousandCalls() async throws {
        let clock = TestClock(autoAdvance: true)
        let sent = Locked<[RequestContext.ID: Int]>([:])
        let inFlight = Locked(0)
        let transport = FlappingTransport(sent: sent, inFlight: inFlight)
        var policy = RetryPolicy(maxRetries: 4, delay: .decorrelatedJitter(base: 0.01, maximum: 1))
        policy.maximumRetryAfter = 5
        var client: NetworkClient? = NetworkClient(
            retryPolicy: policy, transport: transport,
            resilience: Resilience(retryBudget: RetryPolicy.Budget(extraLoad: 0.6, minimumPerSecond: 0, window: 1e6)),
            clock: clock)
        weak let released = client
        let ends = try await storm(10_000, over: #require(client), clock: clock)
        await client?.shutdown(.drain)
        client = nil
        #expect(ends.count == 10_000)
        let journal = sent.withLock { $0 }
        var counts = (values: 0, failures: 0, cancelled: 0)
        for (id, end) in ends {
            switch end {
            case .value(let attempts):
                counts.values += 1
                if journal[id] != attempts { Issue.record("\(attempts) attempts, \(journal[id] ?? 0) sent") }
            case .failure(let attempts, _):
                counts.failures += 1
                if journal[id] != attempts { Issue.record("\(attempts) attempts, \(journal[id] ?? 0) sent") }
            case .cancelled:
                counts.cancelled += 1
                if journal[id, default: 0] > 6 { Issue.record("\(journal[id] ?? 0) sent") }
            }
        }
        // The storm must have all kinds of ends.
        #expect(counts.values > 1000 && counts.failures > 100 && counts.cancelled > 100)
        #expect(Set(journal.values).isSuperset(of: 1...5) && ends.contains { $0.1.isOverBudget })
        #expect(inFlight.withLock { $0 } == 0 && clock.sleeperCount == 0)
        #expect(released == nil, "a remaining task would retain it")
    }

    private func storm(
        _ count: Int, over client: NetworkClient, clock: TestClock
    ) async throws -> [(RequestContext.ID, End)] {
        let request = try request()
        return try await atOnce(count) { number in
            let context = RequestContext.with { if number % 7 == 0 { $0[RetryCountKey.self] = 1 } }
            let call = Task { try await client.response(for: request, context: context) }
            if number % 3 == 0 {
                for _ in 0..<Int.random(in: 0..<30) { await Task.yield() }
                call.cancel()
            }
            return (context.id, await Self.end(of: call))
        }
    }

    private static func end(of call: Task<TransportResponse, any Error>) async -> End {
        do {
            let response = try await call.value
            let trace = response.retryTrace
            return response.status == 200
                ? .value(attempts: trace.attempts) : .failure(attempts: trace.attempts, trace.end)
        } catch let failure as NetworkFailure {
            return failure.isCancellation
                ? .cancelled : .failure(attempts: failure.retryTrace.attempts, failure.retryTrace.end)
        } catch {
            Issue.record("not a NetworkFailure: \(error)")
            return .cancelled
        }
    }
}

/// Answers, fails and loses connections at random.
private struct FlappingTransport: HTTPTransport {
    let sent: Locked<[RequestContext.ID: Int]>
    let inFlight: Locked<Int>

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        sent.withLock { $0[context.id, default: 0] += 1 }
        inFlight.withLock { $0 += 1 }
        defer { inFlight.withLock { $0 -= 1 } }
        for _ in 0..<Int.random(in: 0..<8) {
            await Task.yield()
            try Task.checkCancellation()
        }
        switch Int.random(in: 0..<10) {
        case 0, 1: throw lostConnection
        case 2: throw TransportError(.connectionLost, phase: .waiting, message: "", isUnprocessed: true)
        case 3: return answer(503, headers: ["Retry-After": "\(Int.random(in: 0...6))"])
        case 4: return answer(500, "down")
        default: return answer(200, "up")
        }
    }
}
