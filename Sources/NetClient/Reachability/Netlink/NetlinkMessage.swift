/// One message of rtnetlink (rtnetlink(7)), as far as it matters here.
struct NetlinkMessage: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case link(NetlinkLink)
        case linkRemoved(index: Int32)
        case address(NetlinkAddress)
        case addressRemoved(NetlinkAddress)
        case route(NetlinkRoute)
        case routeRemoved(NetlinkRoute)
        /// The answer to a request is complete.
        case done
        /// The kernel refuses a request: an `errno`, or 0 for an acknowledgement.
        case error(Int32)
        /// Messages were lost.
        case overrun
    }

    /// Of the request that it answers; 0 for news that nobody asked for.
    let sequence: UInt32
    /// The tables changed while they were read: ask again.
    let isInterrupted: Bool
    let content: Content
}

/// A network interface.
struct NetlinkLink: Hashable, Sendable {
    let index: Int32
    let name: String
    /// `ARPHRD_…`.
    let hardwareType: UInt16
    /// `IFF_…`.
    let flags: UInt32

    static let up: UInt32 = 0x1
    static let loopback: UInt32 = 0x8
    /// Operational: it has a carrier, or is of a kind that knows none.
    static let running: UInt32 = 0x40

    /// Whether packets can leave this machine by it.
    var isUsable: Bool {
        flags & Self.up != 0 && flags & Self.running != 0 && flags & Self.loopback == 0
    }
}

/// An address of an interface.
struct NetlinkAddress: Hashable, Sendable {
    let index: Int32
    /// In network order: 4 bytes, or 16.
    let bytes: [UInt8]
    let scope: UInt8
    /// `IFA_F_…`.
    let flags: UInt32

    var isIPv6: Bool { bytes.count == 16 }

    /// Whether others than direct neighbours can answer to it.
    var isGlobal: Bool {
        // From 253 on: link, host, nowhere.
        guard scope < 253, !isUnusable else { return false }
        guard isIPv6 else { return bytes[0] != 0 && bytes[0] != 127 && !(bytes[0] == 169 && bytes[1] == 254) }
        let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        // `::` and `::1` among them.
        let isReserved = bytes.prefix(15).allSatisfy { $0 == 0 }
        return !isLinkLocal && !isReserved && bytes[0] != 0xFF
    }

    /// Another machine has the same, or it is still being found out whether one has.
    private var isUnusable: Bool {
        let duplicate: UInt32 = 0x08
        let tentative: UInt32 = 0x40
        let optimistic: UInt32 = 0x04
        return flags & duplicate != 0 || flags & tentative != 0 && flags & optimistic == 0
    }
}

/// A route to most of the addresses of a family: one for all of them, or for half of them, as VPNs set.
struct NetlinkRoute: Hashable, Sendable {
    let isIPv6: Bool
    /// Less is preferred.
    let metric: UInt32
    /// Of the interfaces that it leads over, several with equal-cost paths; none if the kernel names none.
    let interfaces: [Int32]
}
