/// The constants of sockets that systems have under other types or not at all: Glibc's module has an enumeration of the kinds, Musl's,
/// Android's and Apple's have plain numbers.
package enum SocketConstant {
    #if canImport(Darwin)
        package static let stream: Int32 = SOCK_STREAM
        package static let sendFlags: Int32 = 0
    #else
        #if canImport(Glibc)
            package static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            package static let raw = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
        #else
            /// `SOCK_STREAM`. Close-on-exec from birth where there is such a thing: no child process can inherit it in between.
            package static let stream: Int32 = SOCK_STREAM | SOCK_CLOEXEC
            /// `SOCK_RAW`, of netlink.
            package static let raw: Int32 = SOCK_RAW | SOCK_CLOEXEC
        #endif
        /// For `send(2)`: no signal if the other side has gone. Apple has an option of the socket for that, `SO_NOSIGPIPE`.
        package static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}
