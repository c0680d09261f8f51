import Testing

@testable import NetSystem

@Suite(.timeLimit(.minutes(5))) struct InFlightCallsTests {
    private let calls = InFlightCalls()

    /// Returns whether the wait of a call goes on until the test ends it.
    private func waits(_ call: UInt64) async throws -> Bool {
        do {
            // Without a cancellation the sleep ends by itself.
            try await calls.run(for: call) { try await Task.sleep(nanoseconds: 100_000_000) }
            return true
        } catch is CancellationError { return false }
    }

    @Test func waitOfACancelledCallEnds() async throws {
        let early = try #require(calls.enter())
        #expect(try await waits(early))
        calls.cancelAll()
        #expect(try await !waits(early))
        let late = try #require(calls.enter())
        #expect(try await waits(late))
        // Work that belongs to no call.
        #expect(try await waits(0))
        calls.close(cancelling: true)
        #expect(try await !waits(late))
    }

    /// Such as the pause before a download's next attempt, whose call has ended.
    @Test func cancelAllEndsAWaitThatBeginsAfterItsCall() async throws {
        _ = calls.enter()
        calls.cancelAll()
        let next = calls.nextCall
        #expect(try await waits(next), "the cancellation was earlier")
        _ = calls.enter()
        calls.cancelAll()
        #expect(try await !waits(next))
    }
}
