#if canImport(Observation)
    import NetTesting
    import NetTransfer
    import Observation
    import Testing

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
