// <os/lock.h>: on Linux a spinning lock will do, since it is held for a few instructions.
import Glibc

/// https://developer.apple.com/documentation/os/os_unfair_lock
public struct os_unfair_lock: @unchecked Sendable {
    fileprivate var lock = pthread_spinlock_t()

    public init() { pthread_spin_init(&lock, Int32(PTHREAD_PROCESS_PRIVATE)) }
}

public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock>

/// https://developer.apple.com/documentation/os/1646466-os_unfair_lock_lock
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { pthread_spin_lock(&lock.pointee.lock) }

/// https://developer.apple.com/documentation/os/1646469-os_unfair_lock_unlock
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { pthread_spin_unlock(&lock.pointee.lock) }

/// https://developer.apple.com/documentation/os/1646468-os_unfair_lock_trylock
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { pthread_spin_trylock(&lock.pointee.lock) == 0 }
