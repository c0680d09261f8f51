#if !canImport(Darwin)
    import Synchronization
#endif

/// A value behind a lock. `Mutex` requires iOS 18, and `NSLock` alone does not say what it guards. Hold the lock for a few instructions: do
/// not call user code or `await` inside ``withLock(_:)``.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that `lock` guards `value`: every access goes through `withLock`.
    @usableFromInline let lock = PlainLock()
    // The lock excludes overlapping accesses, which Swift would look for at each access.
    @exclusivity(unchecked) @usableFromInline var value: Value

    package init(_ value: consuming Value) { self.value = value }

    deinit { lock.free() }

    @inlinable package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked<UInt64> {
    /// Adds one, and returns the new number.
    @inlinable package func next() -> UInt64 {
        withLock { number in
            number += 1
            return number
        }
    }
}

#if !canImport(Darwin) && (canImport(Glibc) || canImport(Musl))
    /// A POSIX mutex. `NSLock` is an object with a pointer to one, which costs a microsecond in a request with a dozen locks.
    @usableFromInline struct PlainLock {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        init() {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        @usableFromInline func lock() { pthread_mutex_lock(mutex) }
        @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

        func free() {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }
    }
#else
    @usableFromInline struct PlainLock {
        private let mutex = NSLock()

        @usableFromInline func lock() { mutex.lock() }
        @usableFromInline func unlock() { mutex.unlock() }
        func free() {}
    }
#endif

/// A flag that can be taken once.
package final class OnceFlag: Sendable {
    package init() {}

    #if canImport(Darwin)
        private let taken = Locked(false)

        package var isTaken: Bool { taken.withLock { $0 } }

        /// Takes the flag, and returns true for the first call only.
        package func take() -> Bool {
            taken.withLock { taken in
                defer { taken = true }
                return !taken
            }
        }
    #else
        private let taken = Atomic(false)

        package var isTaken: Bool { taken.load(ordering: .acquiring) }

        /// Takes the flag, and returns true for the first call only.
        package func take() -> Bool { !taken.exchange(true, ordering: .acquiringAndReleasing) }
    #endif
}

/// Passes a value to another isolation without the compiler's check. The creator ensures that only one isolation uses it at a time.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// Begins an operation here, in a task that can be cancelled apart from the caller's. A task that is scheduled instead costs a change of
/// threads: the systems before those of 2025 have no other.
package func beginTask<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
) -> Task<Value, any Error> {
    if #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { try await operation() }
    } else {
        Task { try await operation() }
    }
}

/// A queue for slow disk work, which must not block Swift's cooperative threads (one per core): syncing, bodies in chunks, walks through
/// folders. A small read or write in the page cache stays on the caller's thread, as it takes less time than a switch to another.
package struct IOQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a new serial queue.
    package init(label: String) { queue = DispatchQueue(label: label) }

    private static let lanes = (0..<4).map { IOQueue(label: "networking.io.\($0)") }
    private static let last = Locked<UInt64>(0)

    /// Returns one of four shared serial queues. The work of one reader or writer stays in order, and many of them use only four threads.
    package static func lane() -> IOQueue { lanes[Int(last.next() % UInt64(lanes.count))] }

    /// Runs the work on the queue and waits for its result.
    package func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result { () throws(Failure) in try work() }) }
        }.get()
    }

    /// Starts the work on the queue without waiting.
    package func start(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
