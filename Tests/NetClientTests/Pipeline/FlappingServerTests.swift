import NetClient
import NetTesting
import TestLab
import Testing

/// Ten thousand concurrent calls over sockets to a server that answers with errors, resets and delays. In a process of
/// its own, since so many tasks would delay all tests.
@Suite struct FlappingServerTests {
    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func eachAttemptReachesTheServer() async {
            await #expect(processExitsWith: .success) { try await FlappingServerTests().tenThousandCalls() }
        }
    #endif

    private func tenThousandCalls() async throws {
        let received = Locked<UInt64>(0)
        let server = try MockServer(keepingRequestsUpTo: 0) { request in
            switch received.next() % 10 {
            case 0, 1: .status(500)
            case 2: .status(503)
            // After the first byte, or libcurl would send it again by itself.
            case 3: .text(String(repeating: "x", count: 1000)).fault(.reset(.inBody))
            case 4: .text("late").delayed(by: 0.01)
            default: .text(request.path)
            }
        }
        let attempts = Locked(0)
        let concurrency = ConcurrencyLimiter(maxConcurrentPerHost: 24)
        let client = NetworkClient(
            interceptors: [Before { _, _ in attempts.withLock { $0 += 1 } }],
            retryPolicy: RetryPolicy(maxRetries: 2, delay: .fullJitter(base: 0.005, maximum: 0.02)),
            resilience: Resilience(
                retryBudget: RetryPolicy.Budget(extraLoad: 0.3),
                circuitBreaker: CircuitBreaker(failureThreshold: 4, resetTimeout: 0.02),
                concurrencyLimiter: concurrency))
        let url = server.url
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
                    #expect(text == "late" || text == response.url?.path, "the response of another call")
                }
                tally.add(result)
            }
        }
        #expect(tally.total == 10_000, "\(tally)")
        #expect(tally.succeeded > 0 && tally.failed > 0 && tally.rejected > 0 && tally.cancelled == 0, "\(tally)")
        #expect(attempts.withLock { UInt64($0) } == received.withLock { $0 })
        #expect(concurrency.activeCount(for: url) == 0 && concurrency.waitingCount(for: url) == 0)
        await client.shutdown()
        await server.stop()
    }
}
