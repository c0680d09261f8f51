import NetCore

/// Where a ``ConnectionMonitor`` gets its news from: the system, or a test. One serves from one start to the next stop.
protocol StatusSource: Sendable {
    /// Begins. The first status may come before this returns; afterwards each that may be new, in order, one at a time.
    func start(_ report: @escaping @Sendable (ConnectionStatus) -> Void)

    /// Ends, once and for all. A report that is under way may still come.
    func stop()
}

/// Says once that nothing is known, which keeps no request from being sent: on systems that tell apps nothing.
struct SilentSource: StatusSource {
    func start(_ report: @escaping @Sendable (ConnectionStatus) -> Void) { report(.unknown) }
    func stop() {}
}
