/// The circuits of a breaker. Only origins that have failed have one, so the usual request needs no lookup.
struct CircuitBoard {
    enum Admission {
        case granted(generation: UInt64)
        /// Refused until that uptime.
        case refused(TimeInterval)
    }

    /// The number of protocol violations in a row that opens a circuit, unless the failure threshold is higher.
    static let violationStreak = 10

    let failureThreshold: Int
    let resetTimeout: TimeInterval
    let capacity: Int
    /// Gets each change under the lock, so that all streams see one order.
    let broadcast = Broadcast<CircuitBreaker.Change>()
    var circuits: [Origin: Circuit] = [:]
    var lastGeneration: UInt64 = 0
    /// The clock of the requests, to convert an uptime to a date.
    var clock: any NetworkClock = .system

    var isEmpty: Bool { circuits.isEmpty }

    mutating func admit(_ origin: Origin, at time: ClockReading) -> Admission {
        guard let index = circuits.index(forKey: origin) else { return .granted(generation: 0) }
        switch circuits.values[index].phase {
        case .closed: break
        case .open(let until) where time.uptime < until, .halfOpen(let until) where time.uptime < until:
            return .refused(until)
        case .open, .halfOpen: enter(.halfOpen(until: time.uptime + resetTimeout), index, at: time)
        }
        return .granted(generation: circuits.values[index].generation)
    }

    /// Records the outcome of an attempt that was admitted in that generation.
    mutating func record(_ outcome: CircuitOutcome, of generation: UInt64, from origin: Origin, at time: ClockReading) {
        if generation == 0, outcome == .failure || outcome == .violation, circuits[origin] == nil {
            if circuits.count >= capacity { removeQuarter() }
            circuits[origin] = Circuit(touched: time.uptime)
        }
        guard let index = circuits.index(forKey: origin), circuits.values[index].generation == generation else {
            return
        }
        switch (circuits.values[index].phase, outcome) {
        case (.closed(let failures), .failure) where failures + 1 < failureThreshold:
            circuits.values[index].phase = .closed(failures: failures + 1)
            circuits.values[index].touched = time.uptime
        case (.closed, .violation)
        where circuits.values[index].violations + 1 < max(Self.violationStreak, failureThreshold):
            circuits.values[index].violations += 1
            circuits.values[index].touched = time.uptime
        case (.closed, .failure), (.halfOpen, .failure), (.closed, .violation), (.halfOpen, .violation):
            enter(.open(until: time.uptime + resetTimeout), index, at: time)
        case (.closed, .success):
            circuits.values[index].phase = .closed(failures: 0)
            circuits.values[index].violations = 0
            // A circuit that was open is kept: its generation tells earlier attempts from later ones.
            if generation == 0 { circuits.remove(at: index) }
        case (.halfOpen, .success): enter(.closed(failures: 0), index, at: time)
        case (.halfOpen, .none):
            // The next request is the trial.
            enter(.open(until: time.uptime), index, at: time)
        case (.closed, .none), (.open, _): break
        }
    }

    mutating func reset(_ origin: Origin, at time: ClockReading) {
        guard let index = circuits.index(forKey: origin) else { return }
        if case .closed = circuits.values[index].phase {
            circuits.values[index].phase = .closed(failures: 0)
        } else {
            enter(.closed(failures: 0), index, at: time)
        }
    }

    private mutating func enter(
        _ phase: Circuit.Phase, _ index: Dictionary<Origin, Circuit>.Index, at time: ClockReading
    ) {
        let (origin, before) = (circuits.keys[index], circuits.values[index].state(at: time))
        lastGeneration += 1
        let circuit = Circuit(phase: phase, generation: lastGeneration, touched: time.uptime)
        circuits.values[index] = circuit
        broadcast.send(
            CircuitBreaker.Change(
                origin: origin.description, host: origin.host, from: before, to: circuit.state(at: time),
                date: time.now))
    }

    /// Removes a quarter: working circuits first, open ones last, idle before busy.
    private mutating func removeQuarter() {
        let ranked = circuits.map { (origin: $0.key, weight: $0.value.weight, touched: $0.value.touched) }
            .sorted { ($0.weight, $0.touched) < ($1.weight, $1.touched) }
        for entry in ranked.prefix(max(1, circuits.count / 4)) { circuits[entry.origin] = nil }
    }
}

/// The circuit of one origin. Times are uptimes.
///
/// Each change of its state starts a generation. An attempt counts only in the generation in which it began: an attempt from before the
/// circuit opened says nothing about the server afterwards.
struct Circuit {
    enum Phase {
        case closed(failures: Int)
        case open(until: TimeInterval)
        /// A trial that has not ended by then is given up, and another one may begin. So a trial that hangs does not block the host.
        case halfOpen(until: TimeInterval)
    }

    var phase = Phase.closed(failures: 0)
    /// The number of protocol violations in a row.
    var violations = 0
    /// Zero for a circuit that has never opened, and for an origin without a circuit.
    var generation: UInt64 = 0
    /// The uptime of the last change. Idle circuits are removed first.
    var touched: TimeInterval

    func state(at time: ClockReading) -> CircuitBreaker.State {
        switch phase {
        case .closed: .closed
        case .open(let until): .open(until: time.date(of: until))
        case .halfOpen: .halfOpen
        }
    }

    /// The order of removal: 0 for a working circuit, 1 for one with failures, 2 for an open one.
    var weight: Int {
        switch phase {
        case .closed(let failures): failures == 0 ? 0 : 1
        case .open, .halfOpen: 2
        }
    }
}

/// The meaning of an attempt for a circuit.
enum CircuitOutcome {
    case success
    case failure
    /// The server violated its protocol. It may still work for other requests.
    case violation
    /// The attempt was cancelled, or failed on this side.
    case none
}

/// Uptime and date, read together. It is read before a lock is taken, since a clock may be the user's code.
struct ClockReading {
    let uptime: TimeInterval
    let now: Date

    init(_ clock: any NetworkClock) {
        uptime = clock.uptime
        now = clock.now
    }

    func date(of uptime: TimeInterval) -> Date { now.addingTimeInterval(uptime - self.uptime) }
}
