/// Tells the first of all who ask.
package final class OnceFlag: Sendable {
    private let taken = Locked(false)

    package init() {}

    /// True for the first call.
    package func take() -> Bool {
        taken.withLock { taken in
            defer { taken = true }
            return !taken
        }
    }
}
