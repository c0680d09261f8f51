#if canImport(Observation)
    import Observation

    @testable import NetClient

    /// TestLab's `waitUntil` cannot read the main actor's state.
    @MainActor func wait(_ condition: () -> Bool) async throws {
        while !condition() { try await SystemClock().sleep(for: 0.001) }
    }

    @MainActor @Suite(.timeLimit(.minutes(5))) struct NetworkMonitorTests {
        private let script = StatusScript()

        @Test func followsTheConnectionMonitor() async throws {
            let monitor = NetworkMonitor(following: script.monitor())
            #expect(monitor.isConnected && monitor.connectionType == .wifi && monitor.status == .online)
            script.say(.mobile)
            try await wait { monitor.connectionType == .cellular }
            #expect(monitor.status.isExpensive && monitor.isConnected)
            script.say(.offline)
            try await wait { !monitor.isConnected }
            #expect(monitor.connectionType == NetworkMonitor.ConnectionType.unknown)
        }

        @Test func firstStatusIsThatOfTheMonitorOrOfTheSharedOne() {
            struct Fixed: ConnectionMonitoring {
                let status = ConnectionStatus.mobile
                var isReachable: Bool { status.isReachable }
            }
            #expect(NetworkMonitor(following: Fixed()).status == .mobile)
            #expect(NetworkMonitor().isConnected == ConnectionMonitor.shared.isReachable)
        }

        @Test func changesAreObserved() async throws {
            let monitor = NetworkMonitor(following: script.monitor())
            let calls = Locked(0)
            withObservationTracking {
                _ = monitor.isConnected
            } onChange: {
                calls.withLock { $0 += 1 }
            }
            script.say(.offline)
            try await wait { calls.withLock { $0 } == 1 }
            try await wait { !monitor.isConnected }
        }

        @Test func releasedMonitorStopsItsSource() async throws {
            weak var gone: NetworkMonitor?
            do {
                let monitor = NetworkMonitor(following: script.monitor())
                gone = monitor
                script.say(.offline)
                try await wait { !monitor.isConnected }
            }
            #expect(gone == nil)
            try await wait { script.stops == 1 }
        }
    }

    @MainActor @Suite(.timeLimit(.minutes(5))) struct RequestStateTests {
        /// Holds loads until the test answers them.
        private final class Answers: Sendable {
            private let waiting = Locked<[CheckedContinuation<Int, any Error>]>([])
            var count: Int { waiting.withLock(\.count) }
            func next() async throws -> Int {
                try await withCheckedThrowingContinuation { continuation in
                    waiting.withLock { $0.append(continuation) }
                }
            }
            func answer(_ index: Int, with result: Result<Int, any Error>) {
                waiting.withLock { $0[index] }.resume(with: result)
            }
        }

        private let answers = Answers()

        @Test func loadSetsTheValue() async throws {
            let state = RequestState { [answers] in try await answers.next() }
            #expect(state.value == nil && state.failure == nil && !state.isLoading)
            let load = Task { await state.load() }
            try await wait { answers.count == 1 }
            #expect(state.isLoading && state.value == nil)
            answers.answer(0, with: .success(7))
            await load.value
            #expect(state.value == 7 && !state.isLoading && state.failure == nil)
        }

        @Test func failureKeepsTheValue() async throws {
            let state = RequestState(1) { [answers] in try await answers.next() }
            let load = Task { await state.load() }
            try await wait { answers.count == 1 }
            answers.answer(0, with: .failure(NetworkError.noInternetConnection))
            await load.value
            #expect(state.value == 1 && state.failure?.cause == .noInternetConnection)
            let again = Task { await state.load() }
            try await wait { answers.count == 2 }
            #expect(state.failure == nil && state.value == 1 && state.isLoading)
            answers.answer(1, with: .success(2))
            await again.value
            #expect(state.value == 2)
        }

        /// `.refreshable` cancels its task when the view is updated.
        @Test func refreshContinuesAfterItsTaskIsCancelled() async throws {
            let clock = TestClock()
            let state = RequestState(1) {
                try await clock.sleep(for: 60)
                return 2
            }
            let refresh = Task { await state.refresh() }
            try await clock.waitForSleepers()
            refresh.cancel()
            await clock.advance(by: 60)
            await refresh.value
            #expect(state.value == 2 && !state.isLoading && state.failure == nil)
            let stopped = Task { await state.refresh() }
            try await clock.waitForSleepers()
            state.cancel()
            await stopped.value
            #expect(state.value == 2 && !state.isLoading && state.failure == nil)
        }

        @Test func resultOfAnOlderLoadIsIgnored() async throws {
            let state = RequestState { [answers] in try await answers.next() }
            let older = Task { await state.load() }
            try await wait { answers.count == 1 }
            let newer = Task { await state.load() }
            try await wait { answers.count == 2 }
            answers.answer(1, with: .success(2))
            await newer.value
            answers.answer(0, with: .success(1))
            await older.value
            #expect(state.value == 2 && !state.isLoading)
        }

        @Test func changesAreObserved() async throws {
            let state = RequestState { 3 }
            let calls = Locked(0)
            withObservationTracking {
                _ = state.value
            } onChange: {
                calls.withLock { $0 += 1 }
            }
            await state.load()
            #expect(calls.withLock { $0 } == 1)
        }

        @Test func cancellationStopsTheLoadWithoutAFailureAndReleasesTheState() async throws {
            let clock = TestClock()
            let isOver = Locked(false)
            weak var gone: RequestState<Int>?
            do {
                let state = RequestState<Int> {
                    defer { isOver.withLock { $0 = true } }
                    try await clock.sleep(for: 60)
                    return 1
                }
                gone = state
                let load = Task { await state.load() }
                try await clock.waitForSleepers()
                load.cancel()
                await load.value
                #expect(!state.isLoading && state.failure == nil && state.value == nil)
            }
            #expect(gone == nil && isOver.withLock { $0 })
        }
    }
#endif
