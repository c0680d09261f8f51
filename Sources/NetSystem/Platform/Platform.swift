/// The capabilities that differ between Apple platforms. Tests override them: `SystemTraits.$current.withValue(.watchOS) { … }`.
package struct SystemTraits: Sendable {
    /// Whether an app may use sockets, WebSockets and path monitors. watchOS blocks them, except for audio streaming and calls: BSD sockets
    /// never work there, and `NWPathMonitor` stays `unsatisfied` while `URLSession` works (Apple's technical note TN3135).
    package var allowsLowLevelNetworking = true
    /// Whether the sign-in sheet supports https callbacks. `#available` also checks the version of the system.
    package var hasHTTPSCallbacks = true

    package static let watchOS = SystemTraits(allowsLowLevelNetworking: false)

    @TaskLocal package static var current: SystemTraits = {
        #if os(watchOS)
            .watchOS
        #else
            SystemTraits()
        #endif
    }()

    /// Returns the message for a feature, such as `A WebSocket`, that needs low-level networking, or nil if that is allowed. The advice is a
    /// sentence with the alternative.
    package static func refusalOfSockets(for feature: String, _ advice: String) -> String? {
        guard !current.allowsLowLevelNetworking else { return nil }
        return "\(feature) needs low-level networking, which watchOS blocks (Apple's technical note TN3135). \(advice)"
    }
}

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
        /// The flags of `send(2)`, which suppress SIGPIPE. Apple platforms have the socket option `SO_NOSIGPIPE` instead.
        package static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}

/// A system library that is loaded at run time, so that programs start without it. It stays loaded until the process ends.
package struct DynamicLibrary: @unchecked Sendable {
    // Unchecked for the handle: `dlsym` is thread-safe, and nothing closes the library.
    private let handle: UnsafeMutableRawPointer

    /// Loads the first library that is available, by file names such as `libpsl.so.5`. Nil if none of them can be loaded.
    package init?(_ names: [String]) {
        guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
        self.handle = handle
    }

    /// Returns a function or variable of the library, or nil if it has none of that name. The type must match the C declaration: it is that of
    /// a `@convention(c)` function, or of a pointer.
    package func symbol<Symbol>(_ name: String, as type: Symbol.Type = Symbol.self) -> Symbol? {
        // Safe if `type` is as stated above: the address of a C function or variable has the size and form of such a type.
        dlsym(handle, name).map { unsafeBitCast($0, to: type) }
    }

    /// Returns a function or variable that a version of the library may lack.
    func required<Symbol>(_ name: String) throws(SystemError) -> Symbol {
        guard let found: Symbol = symbol(name) else { throw SystemError("dlsym", name, code: ENOENT) }
        return found
    }
}
