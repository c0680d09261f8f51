// What the C library of Apple's systems has and Glibc has not, or has with other types.
@_exported public import Glibc

/// man 2 setsockopt: there, a socket without it can end the process. Here the whole process is told to go on.
public let SO_NOSIGPIPE: Int32 = {
    signal(SIGPIPE, SIG_IGN)
    return Glibc.SO_KEEPALIVE
}()

/// man 2 fcntl. Glibc has no such command: the call fails, as it does there on a file system that does not know it.
public let F_FULLFSYNC: Int32 = 51

/// A number there, an enumeration in Glibc's headers.
public let SOCK_STREAM = Int32(Glibc.SOCK_STREAM.rawValue)

extension stat { public var st_mtimespec: timespec { st_mtim } }

extension sockaddr_in {
    /// Glibc's has no such field, and no kernel here looks for it.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in>.size) }
        set {}
    }
}

/// man 3 sysctlbyname: the one name that the SDK asks for.
public func sysctlbyname(
    _ name: UnsafePointer<CChar>?, _ old: UnsafeMutableRawPointer?, _ oldLength: UnsafeMutablePointer<Int>?,
    _ new: UnsafeMutableRawPointer?, _ newLength: Int
) -> Int32 {
    guard let name, String(cString: name) == "kern.bootsessionuuid", let old, let oldLength, oldLength.pointee > 36
    else {
        errno = ENOENT
        return -1
    }
    let id = Array("7B9A11D2-32F5-4A59-8E8C-0F3F3A2C9A11".utf8) + [0]
    old.copyMemory(from: id, byteCount: id.count)
    oldLength.pointee = id.count
    return 0
}

/// Of <os/lock.h>. On Linux a spinning lock will do, since it is held for a few instructions.
///
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
