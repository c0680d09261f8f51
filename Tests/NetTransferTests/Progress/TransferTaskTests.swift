import NetTesting
import TestLab
import Testing

@testable import NetTransfer

@Suite struct TransferTaskTests {
    @Test func concurrentWaitersGetTheValue() async throws {
        let (task, opener) = gated(42)
        #expect(!task.isFinished)
        async let values = atOnce(20) { _ in try await task.value }
        opener.yield()
        #expect(try await values == Array(repeating: 42, count: 20))
        #expect(try await (task.isFinished, task.value) == (true, 42))
    }

    @Test func thrownErrorBecomesANetworkFailure() async throws {
        let task = TransferTask<Int> { throw NetworkError.timeout }
        #expect(try await failure { try await task.value }.cause == .timeout)
        do throws(NetworkFailure) { _ = try await task.value } catch { #expect(error.cause == .timeout) }
    }

    @Test func cancelFailsTheTask() async throws {
        let clock = TestClock()
        let task = TransferTask { try await clock.sleep(for: .infinity) }
        try await clock.waitForSleepers()
        for _ in 0..<2 { task.cancel() }
        #expect(try await failure { try await task.value }.cause == .cancelled)
        task.cancel()
    }

    @Test func cancelAfterTheEndHasNoEffect() async throws {
        let task = TransferTask { 1 }
        #expect(try await task.value == 1)
        task.cancel()
        #expect(try await task.value == 1)
    }

    @Test func cancelledWaiterDoesNotCancelTheTransfer() async throws {
        let clock = TestClock()
        let task = TransferTask {
            try await clock.sleep(for: 10)
            return "done"
        }
        try await clock.waitForSleepers()
        let waiter = Task { try await task.value }
        waiter.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await waiter.value }
        #expect(!task.isFinished)
        await clock.advance(by: 10)
        #expect(try await task.value == "done")
    }

    @Test func cancelledWaitersMayRaceWithTheEnd() async throws {
        for _ in 0..<200 {
            let (task, opener) = gated(1)
            let waiters = (0..<4).map { _ in Task { try? await task.value } }
            opener.yield()
            for waiter in waiters { waiter.cancel() }
            for waiter in waiters { _ = await waiter.value }
            #expect(try await task.value == 1)
        }
    }

    @Test func releasingTheTaskKeepsTheTransfer() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let clock = TestClock()
        weak var object: TransferTask<Void>?
        do {
            let task = TransferTask<Void> {
                try await clock.sleep(for: 5)
                continuation.yield(1)
                continuation.finish()
            }
            object = task
        }
        try await clock.waitForSleepers()
        #expect(object == nil)
        await clock.advance(by: 5)
        #expect(await stream.reduce(0, +) == 1)
    }

    @Test func pauseIsUnsupportedWithoutPausing() throws {
        let task = TransferTask { 1 }
        #expect(throws: NetworkError.self) { try task.pause() }
        do throws(NetworkError) { try task.resume() } catch { #expect(error.code == "unsupported") }
    }
}

#if canImport(Observation)
    @MainActor @Suite(.timeLimit(.minutes(5))) struct TransferStateTests {
        private func wait(_ condition: () -> Bool) async throws {
            while !condition() { try await SystemClock().sleep(for: 0.001) }
        }

        @Test func followsProgressAndResult() async throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            let (progress, teller) = AsyncStream<TransferProgress>.makeStream()
            let (task, opener) = gated(42)
            let state = TransferState(progress, task)
            #expect(state.progress == nil && state.fractionCompleted == nil && !state.isFinished)
            teller.yield(TransferProgress(bytesCompleted: 30, totalBytes: 120))
            try await wait { state.fractionCompleted == 0.25 }
            #expect(!state.isFinished && state.value == nil)
            teller.finish()
            opener.finish()
            try await wait { state.isFinished }
            #expect(state.value == 42 && state.failure == nil)
        }

        @Test func failureIsPublished() async throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            let (progress, teller) = AsyncStream<TransferProgress>.makeStream()
            teller.finish()
            let clock = TestClock()
            let state = TransferState(progress, TransferTask { try await clock.sleep(for: .infinity) })
            try await clock.waitForSleepers()
            state.cancel()
            try await wait { state.isFinished }
            #expect(state.failure?.cause == .cancelled && state.value == nil)
        }

        @Test func pauseIsUnsupportedWithoutPausing() throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            let state = TransferState(AsyncStream { $0.finish() }, TransferTask { 1 })
            #expect(throws: NetworkError.self) { try state.pause() }
            #expect(throws: NetworkError.self) { try state.resume() }
        }

        @Test func releasingTheStateKeepsTheTransfer() async throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            let (task, opener) = gated(42)
            weak var gone: TransferState<Int>?
            do {
                let (progress, _) = AsyncStream<TransferProgress>.makeStream()
                let state = TransferState(progress, task)
                gone = state
                #expect(!state.isFinished)
            }
            try await wait { gone == nil }
            opener.finish()
            #expect(try await task.value == 42)
        }
    }
#endif
