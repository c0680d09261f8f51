import NetCore

/// The circuit of one origin. Times are uptimes.
///
/// Each state it enters is a generation. An attempt counts only in the one in which it began: what was sent before the circuit
/// opened says nothing about the server after it, and of thousands that fail together only the first few are needed.
struct Circuit {
    enum Phase {
        case closed(failures: Int)
        case open(until: TimeInterval)
        /// A trial that has not ended by then is given up: another may be made, so that one that hangs cannot block the host.
        case halfOpen(until: TimeInterval)
    }

    var phase = Phase.closed(failures: 0)
    /// Breaches of the protocol in a row, with no success between them.
    var violations = 0
    /// Zero for a circuit that has never opened, which is the same as one that is not there.
    var generation: UInt64 = 0
    /// When it last changed: the idle are forgotten first.
    var touched: TimeInterval
    /// The clock of the request that changed it last, to tell the date that an uptime is.
    var clock: any NetworkClock

    func state(at moment: Moment) -> CircuitBreaker.State {
        switch phase {
        case .closed: .closed
        case .open(let until): .open(until: moment.date(of: until))
        case .halfOpen: .halfOpen
        }
    }

    /// When a request will be let through again; nil if one is now.
    func refusal(now: TimeInterval) -> TimeInterval? {
        switch phase {
        case .closed: nil
        case .open(let until), .halfOpen(let until): now < until ? until : nil
        }
    }

    /// Whether forgetting it loses least: 0 for one that works, 1 for one that has seen failures, 2 for one that is open.
    var weight: Int {
        switch phase {
        case .closed(let failures): failures == 0 ? 0 : 1
        case .open, .halfOpen: 2
        }
    }
}

/// What an attempt says about the server.
enum CircuitOutcome {
    case success
    case failure
    /// The server broke the rules of its protocol. It works, but not for this request; one that does it every time works for none.
    case violation
    /// Nothing: it was cancelled, or failed for a reason on this side.
    case none
}

/// One moment by both of a clock's measures, read before a lock is taken: a clock may be anybody's code.
struct Moment {
    let uptime: TimeInterval
    let now: Date

    init(_ clock: any NetworkClock) {
        uptime = clock.uptime
        now = clock.now
    }

    func date(of uptime: TimeInterval) -> Date { now.addingTimeInterval(uptime - self.uptime) }
}
