import NetCore

/// A clock that a test advances. A sleep ends only by cancellation.
final class HandClock: NetworkClock {
    private let time = Locked(TimeInterval(1_000_000))
    var now: Date { Date(timeIntervalSince1970: uptime) }
    var uptime: TimeInterval { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
    func sleep(for seconds: TimeInterval) async throws { try await Task.sleep(nanoseconds: .max / 2) }
}
