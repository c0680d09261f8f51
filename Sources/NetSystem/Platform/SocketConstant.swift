/// Socket constants that differ between systems: Glibc's module imports socket types as an enumeration, those of Musl, Android and Apple as
/// plain numbers.
package enum SocketConstant {
    #if canImport(Darwin)
        package static let stream: Int32 = SOCK_STREAM
        package static let sendFlags: Int32 = 0
    #else
        #if canImport(Glibc)
            package static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            package static let raw = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
        #else
            /// `SOCK_STREAM`, with close-on-exec from the start, so that no child process can inherit the socket.
            package static let stream: Int32 = SOCK_STREAM | SOCK_CLOEXEC
            /// `SOCK_RAW`, for netlink.
            package static let raw: Int32 = SOCK_RAW | SOCK_CLOEXEC
        #endif
        /// The flags of `send(2)`, which suppress SIGPIPE. Apple's systems have the socket option `SO_NOSIGPIPE` instead.
        package static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}
