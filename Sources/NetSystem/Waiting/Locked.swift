/// A value behind a lock: the one lock type of this SDK.
///
/// `Mutex` is above our floors (iOS 18), and `NSLock` alone does not say what it guards. Hold it for a few instructions:
/// never call out to a user's code, and never `await`, inside ``withLock(_:)``.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked, since the compiler cannot see that `lock` guards `value`: every access goes through `withLock`.
    private let lock = PlainLock()
    private var value: Value

    package init(_ value: consuming Value) {
        self.value = value
    }

    deinit {
        lock.free()
    }

    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

#if !canImport(Darwin) && (canImport(Glibc) || canImport(Musl))
    /// A POSIX mutex: `NSLock` is an object that holds a pointer to one, which costs a request with a dozen of them a microsecond.
    private struct PlainLock {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        init() {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        func lock() { pthread_mutex_lock(mutex) }
        func unlock() { pthread_mutex_unlock(mutex) }

        func free() {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }
    }
#else
    private struct PlainLock {
        private let mutex = NSLock()

        func lock() { mutex.lock() }
        func unlock() { mutex.unlock() }
        func free() {}
    }
#endif

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

/// Carries a value to where it is used next, past the compiler's check: the code that makes one sees to it that only one isolation uses it at a
/// time.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
