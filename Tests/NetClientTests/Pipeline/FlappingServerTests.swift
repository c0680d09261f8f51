import NetClient
import NetTesting
import TestLab
import Testing

/// Ten thousand calls at once, over real sockets, to a server that answers with errors, resets and delays. In a process of its own,
/// since that many tasks would hold up every other test.
@Suite struct FlappingServerTests {
    /// What the server saw: it counts by itself.
    private final class Server: Sendable {
        let received = Locked(0)
        let mock: MockServer

        init() throws {
            let received = received
            mock = try MockServer(keepingRequestsUpTo: 0) { request in
                let number = received.withLock { count in
                    count += 1
                    return count
                }
                switch number % 10 {
                case 0, 1: return .status(500)
                case 2: return .status(503)
                // After the first byte, or libcurl would send it again by itself.
                case 3: return .text(String(repeating: "x", count: 1000)).fault(.reset(.inBody))
                case 4: return .text("late").delayed(by: 0.01)
                default: return .text(request.path)
                }
            }
        }
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func everyCallEndsAndTheServerCountsTheSame() async {
            await #expect(processExitsWith: .success) { try await FlappingServerTests().tenThousandCalls() }
        }
    #endif

    private func tenThousandCalls() async throws {
        let server = try Server()
        let attempts = Locked(0)
        let concurrency = ConcurrencyLimiter(maxConcurrentPerHost: 24)
        let client = NetworkClient(
            interceptors: [AttemptCounter(count: attempts)],
            retryPolicy: RetryPolicy(maxRetries: 2, delay: .fullJitter(base: 0.005, maximum: 0.02)),
            resilience: Resilience(
                retryBudget: RetryPolicy.Budget(extraLoad: 0.3),
                circuitBreaker: CircuitBreaker(failureThreshold: 4, resetTimeout: 0.02),
                concurrencyLimiter: concurrency))
        let url = server.mock.url
        var tally = Tally()
        await withTaskGroup(of: Result<TransportResponse, any Error>.self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    await Task {
                        try await client.response(for: URLRequest(url: url.appendingPathComponent("\(number)")))
                            as TransportResponse
                    }.result
                }
            }
            for await result in group {
                if case .success(let response) = result, response.status == 200 {
                    let text = String(decoding: response.body.data ?? Data(), as: UTF8.self)
                    #expect(text == "late" || text == response.url?.path, "nobody gets another's answer")
                }
                tally.add(result)
            }
        }
        #expect(tally.total == 10_000, "\(tally)")
        #expect(tally.succeeded > 0 && tally.failed > 0 && tally.rejected > 0 && tally.cancelled == 0, "\(tally)")
        #expect(attempts.withLock { $0 } == server.received.withLock { $0 })
        #expect(concurrency.activeCount(for: url) == 0 && concurrency.waitingCount(for: url) == 0)
        await client.shutdown()
        await server.mock.stop()
    }
}
