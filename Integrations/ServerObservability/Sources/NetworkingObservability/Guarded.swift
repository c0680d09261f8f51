#if canImport(Darwin)
    import Darwin

    private typealias SystemLock = os_unfair_lock
#elseif canImport(Glibc)
    import Glibc

    private typealias SystemLock = pthread_mutex_t
#elseif canImport(Musl)
    import Musl

    private typealias SystemLock = pthread_mutex_t
#endif

/// A value behind a lock, in one allocation. `Mutex` requires macOS 15, and the lock of the SDK is internal to its package.
///
/// Do not `await` inside ``withLock(_:)``.
struct Guarded<Value>: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that the lock guards the value: every access goes through `withLock`.
    private let storage: LockStorage<Value>

    init(_ value: Value) {
        storage = .make(value)
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try storage.withLock(body)
    }
}

private final class LockStorage<Value>: ManagedBuffer<Value, SystemLock> {
    static func make(_ value: Value) -> LockStorage {
        let buffer = LockStorage.create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { lock in
                lock.initialize(to: SystemLock())
                #if !canImport(Darwin)
                    pthread_mutex_init(lock, nil)
                #endif
            }
            return value
        }
        return unsafeDowncast(buffer, to: LockStorage.self)
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try withUnsafeMutablePointers { value, lock in
            #if canImport(Darwin)
                os_unfair_lock_lock(lock)
                defer { os_unfair_lock_unlock(lock) }
            #else
                pthread_mutex_lock(lock)
                defer { pthread_mutex_unlock(lock) }
            #endif
            return try body(&value.pointee)
        }
    }

    deinit {
        withUnsafeMutablePointerToElements { lock in
            #if !canImport(Darwin)
                pthread_mutex_destroy(lock)
            #endif
            lock.deinitialize(count: 1)
        }
    }
}
