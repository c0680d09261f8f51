import NetTesting
import TestLab
import Testing

@testable import NetClient

/// A client that waits for the network after its transport reports to be offline. The monitor may not know it.
@Suite(.timeLimit(.minutes(5))) struct OfflineReportTests {
    private static let report = NetworkFailure(cause: .noInternetConnection)

    private let script = StatusScript()
    private let clock = TestClock()
    private let transport = StubTransport(.failure(report), .failure(report), .success(answer()))

    /// The sleeps without the empty ones between attempts.
    private var waits: [TimeInterval] { clock.sleeps.filter { $0 > 0 } }

    private func client(
        _ policy: Resilience.OfflinePolicy, monitor: (any ConnectionMonitoring)? = nil,
        _ transport: StubTransport? = nil
    ) -> NetworkClient {
        NetworkClient(
            transport: transport ?? self.transport, resilience: Resilience(offline: policy),
            connectionMonitor: monitor, clock: clock)
    }

    @Test(arguments: [true, false]) func callIsRepeatedUntilOnline(_ hasMonitor: Bool) async throws {
        let client = client(.wait(), monitor: hasMonitor ? script.monitor() : nil)
        let response = try await clock.run { try await client.response(for: request("https://a.example/", .post)) }
        #expect(response.status == 200 && transport.exchanges.count == 3)
        #expect(response.retryTrace.retries.map(\.reason) == [.offline, .offline] && waits == [1, 2])
    }

    /// The clock does not advance, so only the monitor can end the wait.
    @Test func networkChangeEndsTheWait() async throws {
        let client = client(.wait(timeout: 60), monitor: script.monitor())
        let changes = Task { [script] in
            while !Task.isCancelled {
                script.say(.offline)
                await Task.yield()
                script.say(.online)
                await Task.yield()
            }
        }
        defer { changes.cancel() }
        #expect(try await client.response(for: request()).status == 200)
    }

    @Test func timeoutCoversAllWaits() async throws {
        let transport = StubTransport { _, _, _ in throw Self.report }
        let client = client(.wait(timeout: 5), monitor: script.monitor(), transport)
        let failure = try await failure { try await clock.run { try await client.response(for: request()) } }
        #expect(failure.cause == .noInternetConnection && waits == [1, 2, 2] && transport.exchanges.count == 3)
    }

    @Test func deadlineEndsTheWaitWithATimeout() async throws {
        let client = client(.wait(), monitor: script.monitor(), StubTransport { _, _, _ in throw Self.report })
        let context = clock.context(deadline: clock.uptime + 2)
        let call = Task { [clock] in
            try await clock.run { try await client.response(for: request(), context: context) }
        }
        #expect(try await failure { try await call.value }.cause == .timeout)
    }

    @Test(arguments: [Resilience.OfflinePolicy.failImmediately, .wait(timeout: 0)])
    func policyWithoutAWaitFailsImmediately(_ policy: Resilience.OfflinePolicy) async throws {
        let client = client(policy, monitor: script.monitor())
        let failure = try await failure { try await client.response(for: request()) }
        #expect(failure.cause == .noInternetConnection && transport.exchanges.count == 1 && clock.sleeps.isEmpty)
    }

    @Test func oneShotBodyIsNotSentAgain() async throws {
        let client = client(.wait(), monitor: script.monitor())
        let failure = try await failure {
            try await client.response(for: request("https://a.example/", .post), body: oneShot(""))
        }
        #expect(failure.cause == .noInternetConnection && clock.sleeps.isEmpty)
    }

    @Test func shutdownEndsTheWait() async throws {
        let client = client(.wait(), monitor: script.monitor())
        let call = Task { try await client.response(for: request()) }
        try await clock.waitForSleepers()
        await client.shutdown(.cancel)
        #expect(try await failure { try await call.value }.cause == .cancelled)
    }
}
