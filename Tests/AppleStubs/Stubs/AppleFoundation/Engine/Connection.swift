internal import CAppleNetwork

/// libcurl's handles for one exchange after the other, and the connections that it keeps meanwhile.
final class Connection: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Where it was last used.
    var host = ""

    init() {
        guard let pointer = an_connection_new() else { fatalError("AppleStubs: no memory for a connection") }
        self.pointer = pointer
    }

    deinit { an_connection_free(pointer) }
    func wake() { an_wake(pointer) }
}
