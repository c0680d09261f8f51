#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// System calls under names of their own, since types here have methods called `close`, `listen` and `accept`; and the
/// constants that the systems type differently.
enum System {
    #if canImport(Darwin)
        static let stream: Int32 = SOCK_STREAM
        static let sendFlags: Int32 = 0
    #else
        // Close-on-exec from birth: no child process can inherit it in between. Glibc's module has an enumeration of these, Musl's and
        // Android's plain numbers.
        #if canImport(Glibc)
            static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
            static let stream: Int32 = SOCK_STREAM | SOCK_CLOEXEC
        #endif
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    static func makeSocket(_ family: Int32) -> Int32 { socket(family, stream, 0) }

    static func makePair(_ descriptors: inout [Int32]) -> Int32 { socketpair(AF_UNIX, stream, 0, &descriptors) }

    static func startListening(_ descriptor: Int32, backlog: Int32) -> Int32 { listen(descriptor, backlog) }

    static func acceptConnection(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

    static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
}
