import NetCore

/// System calls under names of their own, since types here have methods called `close`, `listen` and `accept`.
enum System {
    static func makeSocket(_ family: Int32) -> Int32 { socket(family, SocketConstant.stream, 0) }

    static func makePair(_ descriptors: inout [Int32]) -> Int32 {
        socketpair(AF_UNIX, SocketConstant.stream, 0, &descriptors)
    }

    static func startListening(_ descriptor: Int32, backlog: Int32) -> Int32 { listen(descriptor, backlog) }

    static func acceptConnection(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

    static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
}
