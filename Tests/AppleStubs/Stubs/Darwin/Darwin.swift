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
