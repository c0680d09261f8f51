extension RetryPolicy {
    /// Limits the retries of all calls together. When a server is down, three retries for each call would be four times its load.
    ///
    /// Within a window (by default ten seconds) the number of retries is limited to a fraction of the calls plus a minimum, so that a client with few
    /// calls can retry at all. If the budget is empty, the caller gets the failure, and ``RetryTrace/end`` is ``RetryTrace/End/budgetEmpty``. Retries
    /// of a policy and of a `retryCount` count. Those of a hook, after new credentials and after a stale connection do not.
    ///
    /// ```swift
    /// let client = NetworkClient(retryPolicy: .default, resilience: Resilience(retryBudget: RetryPolicy.Budget(extraLoad: 0.1)))
    /// ```
    ///
    /// Share one budget between clients of the same server.
    public final class Budget: Sendable {
        private let extraLoad: Double
        private let minimumPerSecond: Double
        private let window: TimeInterval

        private struct Slot {
            var calls = 0
            var retries = 0
        }

        private struct State {
            /// The parts of the window, as a ring.
            var slots = [Slot](repeating: Slot(), count: RetryPolicy.Budget.parts)
            /// The number of the current part, counted from uptime zero.
            var current: Int64 = 0
            var total = Slot()
        }

        private let state = Locked(State())
        private static let parts = 10

        /// Creates a budget.
        ///
        /// - Parameters:
        ///   - extraLoad: the number of retries for each call, such as 0.2 for one in five; a negative number or NaN counts as zero.
        ///   - minimumPerSecond: the additional number of retries in a second; a negative number or NaN counts as zero.
        ///   - window: the length of the window, in seconds; zero, a negative number or NaN counts as 10.
        public init(extraLoad: Double = 0.2, minimumPerSecond: Double = 10, window: TimeInterval = 10) {
            self.extraLoad = extraLoad > 0 ? min(extraLoad, 1e9) : 0
            self.minimumPerSecond = minimumPerSecond > 0 ? min(minimumPerSecond, 1e9) : 0
            self.window = window > 0 ? min(window, 1e9) : 10
        }

        package func noteCall(at uptime: TimeInterval) {
            state.withLock { state in
                let index = advance(&state, to: uptime)
                state.slots[index].calls += 1
                state.total.calls += 1
            }
        }

        /// Counts a retry if the budget permits it, and returns whether it does.
        package func takeRetry(at uptime: TimeInterval) -> Bool {
            state.withLock { state in
                let index = advance(&state, to: uptime)
                let granted = extraLoad * Double(state.total.calls) + minimumPerSecond * window
                // Tolerates rounding: a tenth of ten is one.
                guard Double(state.total.retries + 1) <= granted + 1e-9 else { return false }
                state.slots[index].retries += 1
                state.total.retries += 1
                return true
            }
        }

        /// Drops the parts that have left the window, and returns the index of the part for that time. An earlier time counts as the last one.
        private func advance(_ state: inout State, to uptime: TimeInterval) -> Int {
            let position = uptime / window * Double(Self.parts)
            let number = position > 0 ? Int64(min(position, 1e15)) : 0
            if number > state.current {
                for step in 1...min(number - state.current, Int64(Self.parts)) {
                    let index = Int((state.current + step) % Int64(Self.parts))
                    state.total.calls -= state.slots[index].calls
                    state.total.retries -= state.slots[index].retries
                    state.slots[index] = Slot()
                }
                state.current = number
            }
            return Int(state.current % Int64(Self.parts))
        }
    }
}
