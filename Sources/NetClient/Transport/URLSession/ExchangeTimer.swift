import Dispatch

/// One timer of an exchange. `Task.sleep` will not do: what it leaves behind when it is cancelled stays until its time.
final class ExchangeTimer: @unchecked Sendable {
    // Unchecked, since `DispatchSourceTimer` is not marked on every platform: its methods may be called from any thread.
    private let source: any DispatchSourceTimer

    private static let queue = DispatchQueue(label: "NetClient.URLSessionTransport.timers")

    /// Nanoseconds of a clock that only goes forward.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// A timer that does nothing before ``fire(at:)``.
    init(_ handler: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: Self.queue)
        source.setEventHandler(handler: handler)
        source.activate()
    }

    /// Calls the handler at that time, in place of the time set before.
    func fire(at time: UInt64) {
        source.schedule(deadline: DispatchTime(uptimeNanoseconds: time), leeway: .milliseconds(1))
    }

    func cancel() {
        source.cancel()
    }

    deinit {
        source.cancel()
    }
}

/// When an exchange has to end, in nanoseconds of ``ExchangeTimer/now``.
struct ExchangeDeadlines: Sendable {
    /// The longest time without a byte.
    let idle: UInt64?
    /// The end, whatever happens.
    let total: UInt64?

    init(request: URLRequest, timeouts: TransportConfiguration.Timeouts, remaining: TimeInterval?) {
        idle = Self.nanoseconds(request.idleTimeout(or: timeouts.idle))
        // Nothing left of the call's time is a limit too, unlike a timeout of zero.
        let rest = remaining.flatMap { $0 > 0 ? Self.nanoseconds($0) : 0 }
        total = [Self.nanoseconds(timeouts.total), rest].compactMap { $0 }.min().map { ExchangeTimer.now + $0 }
    }

    /// Nil for "no limit": what is not above zero, and what nobody lives to see.
    private static func nanoseconds(_ seconds: TimeInterval?) -> UInt64? {
        guard let seconds, seconds > 0, seconds < 100 * 365 * 86_400 else { return nil }
        return UInt64(seconds * 1_000_000_000)
    }

    /// Which limit has run out, or else when to look again.
    func check(lastActivity: UInt64) -> (expired: TransportError.Code?, next: UInt64?) {
        let now = ExchangeTimer.now
        if let total, total <= now { return (.totalTimeout, nil) }
        let idleEnd = idle.map { lastActivity + $0 }
        if let idleEnd, idleEnd <= now { return (.idleTimeout, nil) }
        return (nil, [total, idleEnd].compactMap { $0 }.min())
    }
}
