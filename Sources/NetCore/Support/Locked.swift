/// A value behind a lock: the one lock type of this SDK.
///
/// `Mutex` is above our floors (iOS 18), and `NSLock` alone does not say what it guards. Hold it for a few instructions:
/// never call out to a user's code, and never `await`, inside ``withLock(_:)``.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked, since the compiler cannot see that `lock` guards `value`: every access goes through `withLock`.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: consuming Value) {
        self.value = value
    }

    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
