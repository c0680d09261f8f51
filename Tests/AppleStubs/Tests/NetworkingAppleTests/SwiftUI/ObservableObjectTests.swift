import Combine
import NetCore
import NetTesting
import Testing

@testable import NetClient
@testable import NetTransfer

/// The faces for SwiftUI of iOS 15 and 16. What the state machine does is tested with those of iOS 17, too.
@MainActor @Suite(.timeLimit(.minutes(5)))
struct ObservableObjectTests {
    private func wait(_ condition: () -> Bool) async throws {
        while !condition() { try await SystemClock().sleep(for: 0.001) }
    }

    /// Counts what a view would be drawn again for.
    private func count(_ object: some ObservableObject) -> (Locked<Int>, AnyCancellable) {
        let count = Locked(0)
        let subscription = object.objectWillChange.sink { _ in count.withLock { $0 += 1 } }
        return (count, subscription)
    }

    @Test func requestObjectPublishesItsStates() async throws {
        let answers = Locked<[Result<Int, any Error>]>([
            .success(7), .failure(NetworkError.noInternetConnection), .success(8),
        ])
        let state = RequestStateObject { try answers.withLock { $0.removeFirst() }.get() }
        let (changes, subscription) = count(state)
        defer { subscription.cancel() }
        #expect(state.value == nil && state.failure == nil && !state.isLoading)
        await state.load()
        #expect(state.value == 7 && state.failure == nil && !state.isLoading)
        #expect(changes.withLock { $0 } >= 3)
        await state.load()
        // The value of before stays.
        #expect(state.value == 7 && state.failure?.cause == .noInternetConnection)
        await state.load()
        #expect(state.value == 8 && state.failure == nil)
    }

    enum Stop: CaseIterable { case callerOfLoad, callerOfRefresh, cancel }

    /// Cancelling the caller stops a load and no refresh, ``RequestStateObject/cancel()`` stops both.
    @Test(arguments: Stop.allCases)
    func stoppedLoadIsNoFailureAndReleasesTheState(_ stop: Stop) async throws {
        let clock = TestClock()
        weak var gone: RequestStateObject<Int>?
        do {
            let state = RequestStateObject(1) {
                try await clock.sleep(for: 60)
                return 2
            }
            gone = state
            let call = Task { if stop == .callerOfLoad { await state.load() } else { await state.refresh() } }
            try await clock.waitForSleepers()
            #expect(state.isLoading)
            if stop == .cancel { state.cancel() } else { call.cancel() }
            if stop == .callerOfRefresh { await clock.advance(by: 60) }
            await call.value
            #expect(!state.isLoading && state.failure == nil && state.value == (stop == .callerOfRefresh ? 2 : 1))
        }
        #expect(gone == nil)
    }

    @Test func transferObjectPublishesProgressAndResult() async throws {
        let (progress, teller) = AsyncStream<TransferProgress>.makeStream()
        let (task, opener) = gated(42)
        let state = TransferStateObject(progress, task)
        let (changes, subscription) = count(state)
        defer { subscription.cancel() }
        teller.yield(TransferProgress(bytesCompleted: 30, totalBytes: 120))
        try await wait { state.fractionCompleted == 0.25 }
        #expect(!state.isFinished && state.value == nil)
        #expect(throws: NetworkError.self) { try state.pause() }
        #expect(throws: NetworkError.self) { try state.resume() }
        teller.finish()
        opener.finish()
        try await wait { state.isFinished }
        #expect(state.value == 42 && state.failure == nil)
        #expect(changes.withLock { $0 } == 2)
    }

    @Test func stoppedTransferObjectFails() async throws {
        let clock = TestClock()
        let task = TransferTask<Int> {
            try await clock.sleep(for: .infinity)
            return 1
        }
        let state = TransferStateObject(AsyncStream { $0.finish() }, task)
        try await clock.waitForSleepers()
        state.cancel()
        try await wait { state.isFinished }
        #expect(state.failure?.cause == .cancelled && state.value == nil)
    }

    @Test func networkMonitorPublishesChangesOnly() async throws {
        let source = MockConnectionMonitor(isReachable: true)
        let monitor = NetworkMonitorObject(following: source)
        let (changes, subscription) = count(monitor)
        defer { subscription.cancel() }
        #expect(monitor.isConnected)
        source.isReachable = false
        try await wait { !monitor.isConnected }
        source.isReachable = false
        source.isReachable = true
        try await wait { monitor.isConnected }
        #expect((changes.withLock { $0 }, monitor.connectionType) == (2, monitor.status.interfaceType))
        #expect(!monitor.status.isExpensive && !monitor.status.isConstrained)
    }
}
