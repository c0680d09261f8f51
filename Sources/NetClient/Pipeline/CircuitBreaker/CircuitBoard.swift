import NetCore

/// All circuits of a breaker. Only origins that have failed have one: where all is well there is nothing to look up.
struct CircuitBoard {
    enum Admission {
        case granted(generation: UInt64, isTrial: Bool)
        /// Until that uptime.
        case refused(TimeInterval)
    }

    typealias Notice = (CircuitBreaker.Change) -> Void

    /// How many breaches of the protocol in a row open a circuit, if that many failures do not.
    static let violationStreak = 10

    let failureThreshold: Int
    let resetTimeout: TimeInterval
    let capacity: Int

    private(set) var circuits: [Origin: Circuit] = [:]
    private var lastGeneration: UInt64 = 0

    init(failureThreshold: Int, resetTimeout: TimeInterval, capacity: Int) {
        self.failureThreshold = failureThreshold
        self.resetTimeout = resetTimeout
        self.capacity = capacity
    }

    var isEmpty: Bool { circuits.isEmpty }

    /// Lets an attempt through or not.
    mutating func admit(
        _ origin: Origin, at moment: Moment, clock: any NetworkClock, onChange: Notice
    ) -> Admission {
        guard let index = circuits.index(forKey: origin) else { return .granted(generation: 0, isTrial: false) }
        if case .closed = circuits.values[index].phase {
            return .granted(generation: circuits.values[index].generation, isTrial: false)
        }
        if let until = circuits.values[index].refusal(now: moment.uptime) { return .refused(until) }
        circuits.values[index].clock = clock
        enter(.halfOpen(until: moment.uptime + resetTimeout), index, at: moment, onChange)
        return .granted(generation: circuits.values[index].generation, isTrial: true)
    }

    /// Takes down how an attempt ended.
    ///
    /// - Parameter generation: what it was let through with.
    mutating func record(
        _ outcome: CircuitOutcome, of generation: UInt64, from origin: Origin, at moment: Moment,
        clock: any NetworkClock, onChange: Notice
    ) {
        switch outcome {
        case .failure where generation == 0, .violation where generation == 0:
            makePlace(for: origin, at: moment, clock: clock)
        default: break
        }
        guard let index = circuits.index(forKey: origin), circuits.values[index].generation == generation else {
            return
        }
        switch (circuits.values[index].phase, outcome) {
        case (.closed(let failures), .failure) where failures + 1 < failureThreshold:
            circuits.values[index].phase = .closed(failures: failures + 1)
            circuits.values[index].touched = moment.uptime
        case (.closed, .violation)
        where circuits.values[index].violations + 1 < max(Self.violationStreak, failureThreshold):
            circuits.values[index].violations += 1
            circuits.values[index].touched = moment.uptime
        case (.closed, .failure), (.halfOpen, .failure), (.closed, .violation), (.halfOpen, .violation):
            enter(.open(until: moment.uptime + resetTimeout), index, at: moment, onChange)
        case (.closed, .success):
            circuits.values[index].phase = .closed(failures: 0)
            circuits.values[index].violations = 0
            // One that has been open is kept, so that what was sent before that is still told from what was sent after.
            if generation == 0 { circuits.remove(at: index) }
        case (.halfOpen, .success):
            enter(.closed(failures: 0), index, at: moment, onChange)
        case (.halfOpen, .none):
            // The place of the trial is free again: the next request takes it.
            enter(.open(until: moment.uptime), index, at: moment, onChange)
        case (.closed, .none), (.open, _):
            break
        }
    }

    /// Closes a circuit by hand.
    mutating func reset(_ origin: Origin, at moment: Moment, onChange: Notice) {
        guard let index = circuits.index(forKey: origin) else { return }
        if case .closed = circuits.values[index].phase {
            circuits.values[index].phase = .closed(failures: 0)
        } else {
            enter(.closed(failures: 0), index, at: moment, onChange)
        }
    }

    private mutating func enter(
        _ phase: Circuit.Phase, _ index: Dictionary<Origin, Circuit>.Index, at moment: Moment, _ onChange: Notice
    ) {
        let before = circuits.values[index].state(at: moment)
        lastGeneration += 1
        circuits.values[index].phase = phase
        circuits.values[index].violations = 0
        circuits.values[index].generation = lastGeneration
        circuits.values[index].touched = moment.uptime
        let origin = circuits.keys[index]
        let after = circuits.values[index].state(at: moment)
        onChange(
            CircuitBreaker.Change(
                origin: origin.description, host: origin.host, from: before, to: after, date: moment.now))
    }

    /// Gives a circuit to an origin that has failed. Nothing else is worth one.
    private mutating func makePlace(for origin: Origin, at moment: Moment, clock: any NetworkClock) {
        guard circuits[origin] == nil else { return }
        if circuits.count >= capacity { forgetAQuarter() }
        circuits[origin] = Circuit(touched: moment.uptime, clock: clock)
    }

    /// Those that work first, those that are open last, the idle before the busy.
    private mutating func forgetAQuarter() {
        let ranked = circuits.map { (origin: $0.key, weight: $0.value.weight, touched: $0.value.touched) }
            .sorted { ($0.weight, $0.touched) < ($1.weight, $1.touched) }
        for entry in ranked.prefix(max(1, circuits.count / 4)) { circuits[entry.origin] = nil }
    }
}
