import NetTesting
import TestLab
import Testing

@testable import NetWebSocket

@Suite(.timeLimit(.minutes(5))) struct WebSocketCoreTests {
    /// A clock whose sleeps end when the test says so, also those of a cancelled task.
    private final class UncancellableClock: NetworkClock {
        private let sleepers = Locked<[CheckedContinuation<Void, Never>]>([])
        let now = Date(timeIntervalSince1970: 0)
        let uptime: TimeInterval = 0

        var isAwaited: Bool { sleepers.withLock { !$0.isEmpty } }

        func sleep(for seconds: TimeInterval) async throws {
            await withCheckedContinuation { sleeper in sleepers.withLock { $0.append(sleeper) } }
        }

        func wake() {
            while let sleeper = sleepers.withLock({ $0.popLast() }) { sleeper.resume() }
        }
    }

    /// A connection that is lost while the next ping waits for its time.
    private struct LostLink: WebSocketLink {
        let clock: UncancellableClock
        let hasLeft = Locked(false)
        let closure = WebSocket.Closure(code: .abnormalClosure)

        private func fail() -> TransportError {
            TransportError(.connectionLost, phase: .receivingBody, message: "lost", isUnprocessed: false)
        }

        func receive() async throws -> WebSocket.Message? {
            try await waitUntil("a ping waits") { clock.isAwaited ? () : nil }
            throw fail()
        }

        func send(_ message: WebSocket.Message) async throws { throw fail() }
        func ping() async throws { throw fail() }
        func close(_ closure: WebSocket.Closure) async throws {}
        func leave(after failure: (any Error)?) async { hasLeft.withLock { $0 = failure is TransportError } }
        func drop() {}
    }

    @Test func lossIsReportedAlthoughTheClockIgnoresCancellation() async throws {
        let clock = UncancellableClock()
        let link = LostLink(clock: clock)
        let core = WebSocketCore(link, options: .init { $0.pingInterval = 30 }, clock: clock)
        core.start()
        await #expect(throws: TransportError.self) { try await core.inbox.next() }
        #expect(core.closure?.code == .abnormalClosure)
        try await waitUntil("the link is left") { link.hasLeft.withLock { $0 } ? () : nil }
        #expect(clock.isAwaited, "the clock still sleeps")
        clock.wake()
    }
}
