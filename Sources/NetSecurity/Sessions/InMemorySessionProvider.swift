public import NetCore

/// Keeps sessions in memory only: for tests, and for sessions that are to end with the process (seed 000).
public final class InMemorySessionProvider: SessionProvider, @unchecked Sendable {
    // Unchecked as its superclass; it has no state of its own.

    /// A provider of no sessions yet.
    ///
    /// - Parameter clock: tells what has expired.
    public init(clock: any NetworkClock = .system) {
        super.init(storage: InMemorySessionStorage(), clock: clock)
    }
}
