/// Limits the retries of all calls together: when a server is down, three retries for each call would be four times its load,
/// just when it can bear least.
///
/// Within a window (the last ten seconds) there may be as many retries as a fraction of the calls in it, and a minimum besides, so
/// that a client with few calls retries at all. When the budget is empty a failure is given to the caller as it is, and
/// ``RetryTrace/end`` says ``RetryTrace/End/budgetEmpty``. A policy's retries and those of a `retryCount` are counted; a hook's, the
/// repeat after new credentials and the one after a stale connection are not.
///
/// ```swift
/// let client = NetworkClient(retryPolicy: .default, resilience: Resilience(retryBudget: RetryBudget(extraLoad: 0.1)))
/// ```
///
/// Share one between clients of the same server.
public final class RetryBudget: Sendable {
    /// How many retries there may be for each call: 0.2 for one in five.
    public let extraLoad: Double
    /// How many retries a second are granted besides.
    public let minimumPerSecond: Double
    /// How far back calls and retries count, in seconds.
    public let window: TimeInterval

    private struct Slot {
        var calls = 0
        var retries = 0
    }

    private struct State {
        /// The window in parts, as a ring: what falls out of it is forgotten part by part.
        var slots = [Slot](repeating: Slot(), count: RetryBudget.parts)
        /// The number of the part that is written now, counted from uptime zero.
        var current: Int64 = 0
        var total = Slot()
    }

    private let state = Locked(State())
    private static let parts = 10

    /// A budget.
    ///
    /// - Parameters:
    ///   - extraLoad: how many retries there may be for each call; a negative number or NaN counts as zero.
    ///   - minimumPerSecond: how many a second besides; the same.
    ///   - window: how far back calls and retries count, in seconds; what is not above zero counts as 10.
    public init(extraLoad: Double = 0.2, minimumPerSecond: Double = 10, window: TimeInterval = 10) {
        self.extraLoad = extraLoad > 0 ? min(extraLoad, 1e9) : 0
        self.minimumPerSecond = minimumPerSecond > 0 ? min(minimumPerSecond, 1e9) : 0
        self.window = window > 0 ? min(window, 1e9) : 10
    }

    /// A call begins.
    package func noteCall(at uptime: TimeInterval) {
        state.withLock { state in
            let index = advance(&state, to: uptime)
            state.slots[index].calls += 1
            state.total.calls += 1
        }
    }

    /// Whether a call may be sent again. If so, it is counted.
    package func takeRetry(at uptime: TimeInterval) -> Bool {
        state.withLock { state in
            let index = advance(&state, to: uptime)
            let granted = extraLoad * Double(state.total.calls) + minimumPerSecond * window
            // A tenth of ten is a whole, whatever it is in binary.
            guard Double(state.total.retries + 1) <= granted + 1e-9 else { return false }
            state.slots[index].retries += 1
            state.total.retries += 1
            return true
        }
    }

    /// Forgets what has fallen out of the window, and gives the index of the part for that time. A time before the last one counts
    /// as that.
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
