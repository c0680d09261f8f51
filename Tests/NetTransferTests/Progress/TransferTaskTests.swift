import NetTesting
import TestLab
import Testing

@testable import NetTransfer

@Suite struct TransferTaskTests {
    @Test func concurrentWaitersGetTheValue() async throws {
        let (task, opener) = gated(42)
        #expect(!task.isFinished)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await task.value } }
            opener.yield()
            for try await value in group { #expect(value == 42) }
        }
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

    @Test func pauseAndResumeCallTheTransfer() throws {
        let journal = Locked<[String]>([])
        let pausing = TransferPausing(
            pause: { journal.withLock { $0.append("pause") } }, resume: { journal.withLock { $0.append("resume") } })
        let task = TransferTask(pausing: pausing) { 1 }
        try task.pause()
        try task.resume()
        #expect(journal.withLock { $0 } == ["pause", "resume"])
    }
}
