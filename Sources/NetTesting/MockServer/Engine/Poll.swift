/// What the kernels tell differently in `poll`.
enum Poll {
    #if os(Linux)
        /// `POLLRDHUP`, which Swift's Glibc module does not have.
        static let peerShut: Int16 = 0x2000

        static func peerHasShut(_ events: Int16) -> Bool { events & peerShut != 0 }

        /// `POLLHUP` comes when both directions are shut, so that nothing can be sent any more.
        static func isLost(_ events: Int16) -> Bool { events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 }
    #else
        /// There is no event for it: `POLLHUP`, which needs not be asked for, tells it.
        static let peerShut: Int16 = 0

        static func peerHasShut(_ events: Int16) -> Bool { events & Int16(POLLHUP) != 0 }

        static func isLost(_ events: Int16) -> Bool { events & Int16(POLLERR | POLLNVAL) != 0 }
    #endif
}
