import NetLogging

/// Keeps what it is given.
final class RecordingSink: LogSink {
    private let kept = Locked<[LogEvent]>([])

    var events: [LogEvent] { kept.withLock { $0 } }
    var messages: [String] { events.map(\.message) }

    func write(_ event: LogEvent) { kept.withLock { $0.append(event) } }
}

/// A clock that goes on when it is told to.
final class HandClock: NetworkClock {
    private let time = Locked(TimeInterval(1_700_000_000.123))

    var now: Date { Date(timeIntervalSince1970: uptime) }
    var uptime: TimeInterval { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
    func sleep(for seconds: TimeInterval) async throws {}
}
