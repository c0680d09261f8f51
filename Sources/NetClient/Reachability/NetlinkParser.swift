/// One message of rtnetlink (rtnetlink(7)).
struct NetlinkMessage: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case link(NetlinkLink)
        case address(NetlinkAddress)
        case route(NetlinkRoute)
        /// A link, an address or a default route was removed, or messages were lost.
        case removal
        /// The answer to a request is complete.
        case done
        /// The kernel refuses a request: an `errno`, or 0 for an acknowledgement.
        case error(Int32)
    }

    /// The number of the request that it answers; 0 for a notification.
    let sequence: UInt32
    /// Whether the tables changed while the kernel read them. Ask again.
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
    /// Operational: it has a carrier, or needs none.
    static let running: UInt32 = 0x40

    /// Whether packets can leave this machine through it.
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

    /// Whether hosts beyond the link can reach it.
    var isGlobal: Bool {
        // 253 and above: link, host, nowhere.
        guard scope < 253, !isUnusable else { return false }
        guard isIPv6 else { return bytes[0] != 0 && bytes[0] != 127 && !(bytes[0] == 169 && bytes[1] == 254) }
        let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        // Includes `::` and `::1`.
        let isReserved = bytes.prefix(15).allSatisfy { $0 == 0 }
        return !isLinkLocal && !isReserved && bytes[0] != 0xFF
    }

    /// Whether another machine has the same address, or duplicate detection is still running.
    private var isUnusable: Bool {
        let duplicate: UInt32 = 0x08
        let tentative: UInt32 = 0x40
        let optimistic: UInt32 = 0x04
        return flags & duplicate != 0 || flags & tentative != 0 && flags & optimistic == 0
    }
}

/// A route to all addresses of a family, or to half of them, as VPNs set.
struct NetlinkRoute: Hashable, Sendable {
    let isIPv6: Bool
    /// A lower metric is preferred.
    let metric: UInt32
    /// The indexes of its interfaces: several for equal-cost paths, none if the kernel names none.
    let interfaces: [Int32]
}

/// Parses what the kernel writes to an rtnetlink socket. It makes no system call, so tests feed it recorded bytes on any platform.
///
/// `/proc/net/route` and `getifaddrs` cannot replace it: the former has the main table only, while VPNs and multi-homed hosts put their
/// default route into another one, and both answer for the network namespace of the calling thread, while a socket stays in the namespace
/// in which the monitor was made.
///
/// Any input is safe: truncated and malformed messages are skipped. Numbers are in this machine's byte order, addresses in network order.
enum NetlinkParser {
    /// `nlmsghdr`: length, type, flags, sequence, port.
    static let headerSize = 16

    /// The messages about links, addresses and default routes, and the ends of answers.
    static func messages(in bytes: [UInt8]) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = bytes[...]
        while let length = rest.number(at: 0, UInt32.self), length >= headerSize, length <= rest.count {
            if let message = message(rest.prefix(Int(length))) { messages.append(message) }
            // Messages are aligned to four bytes. The last one may lack its padding.
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        return messages
    }

    private static func message(_ bytes: ArraySlice<UInt8>) -> NetlinkMessage? {
        guard let type = bytes.number(at: 4, UInt16.self), let flags = bytes.number(at: 6, UInt16.self),
            let sequence = bytes.number(at: 8, UInt32.self),
            let content = content(type, bytes.dropFirst(headerSize))
        else { return nil }
        let interrupted: UInt16 = 0x10
        return NetlinkMessage(sequence: sequence, isInterrupted: flags & interrupted != 0, content: content)
    }

    private static func content(_ type: UInt16, _ payload: ArraySlice<UInt8>) -> NetlinkMessage.Content? {
        switch type {
        case 2: payload.number(at: 0, Int32.self).map { .error(errorNumber($0)) }
        // A negative number is the error of an answer that failed half-way.
        case 3: payload.number(at: 0, Int32.self).flatMap { $0 < 0 ? .error(errorNumber($0)) : nil } ?? .done
        case 4: .removal
        case 16: link(payload).map { .link($0) }
        case 17: link(payload).map { _ in .removal }
        case 20: address(payload).map { .address($0) }
        case 21: address(payload).map { _ in .removal }
        case 24: defaultRoute(payload).map { .route($0) }
        case 25: defaultRoute(payload).map { _ in .removal }
        default: nil
        }
    }

    /// The kernel writes error numbers as negative numbers.
    private static func errorNumber(_ code: Int32) -> Int32 { code == .min ? .max : -code }

    /// `ifinfomsg`: family, hardware type, index, flags, change mask.
    private static func link(_ payload: ArraySlice<UInt8>) -> NetlinkLink? {
        // A message of another family is about a port of a bridge.
        guard payload.first == 0, payload.count >= 16, let hardwareType = payload.number(at: 2, UInt16.self),
            let index = payload.number(at: 4, Int32.self), let flags = payload.number(at: 8, UInt32.self)
        else { return nil }
        var name = ""
        forEachAttribute(in: payload.dropFirst(16)) { type, value in
            if type == 3 { name = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return NetlinkLink(index: index, name: name, hardwareType: hardwareType, flags: flags)
    }

    /// `ifaddrmsg`: family, prefix length, flags, scope, index.
    private static func address(_ payload: ArraySlice<UInt8>) -> NetlinkAddress? {
        guard let size = addressSize(of: payload), payload.count >= 8,
            let shortFlags = payload.number(at: 2, UInt8.self),
            let scope = payload.number(at: 3, UInt8.self), let index = payload.number(at: 4, Int32.self)
        else { return nil }
        var bytes: ArraySlice<UInt8>?
        var own: ArraySlice<UInt8>?
        var flags = UInt32(shortFlags)
        forEachAttribute(in: payload.dropFirst(8)) { type, value in
            switch type {
            case 1: bytes = value
            // On a point-to-point link, the first attribute is the peer's address.
            case 2: own = value
            case 8: flags = value.number(at: 0, UInt32.self) ?? flags
            default: break
            }
        }
        guard let found = own ?? bytes, found.count == size else { return nil }
        return NetlinkAddress(index: index, bytes: Array(found), scope: scope, flags: flags)
    }

    /// `rtmsg`: family, prefix lengths of destination and source, type of service, table, origin, scope, type, flags.
    private static func defaultRoute(_ payload: ArraySlice<UInt8>) -> NetlinkRoute? {
        guard let size = addressSize(of: payload), payload.count >= 12, let prefix = payload.number(at: 1, UInt8.self),
            let shortTable = payload.number(at: 4, UInt8.self), let type = payload.number(at: 7, UInt8.self),
            let flags = payload.number(at: 8, UInt32.self)
        else { return nil }
        let dead: UInt32 = 0x1
        // 2000::/3 is the whole IPv6 internet.
        guard type == unicast, flags & dead == 0, prefix <= (size == 4 ? 1 : 3) else { return nil }
        var table = UInt32(shortTable)
        var metric: UInt32 = 0
        var interfaces: [Int32] = []
        forEachAttribute(in: payload.dropFirst(12)) { type, value in
            switch type {
            case 4: if let index = value.number(at: 0, Int32.self) { interfaces.append(index) }
            case 6: metric = value.number(at: 0, UInt32.self) ?? 0
            case 9: interfaces += nextHops(value)
            case 15: table = value.number(at: 0, UInt32.self) ?? table
            default: break
            }
        }
        return table == localTable ? nil : NetlinkRoute(isIPv6: size == 16, metric: metric, interfaces: interfaces)
    }

    private static let unicast: UInt8 = 1
    private static let localTable: UInt32 = 255

    /// `rtnexthop`: length, flags, hops, index, attributes; one after the other.
    private static func nextHops(_ list: ArraySlice<UInt8>) -> [Int32] {
        var interfaces: [Int32] = []
        var rest = list
        while let length = rest.number(at: 0, UInt16.self), length >= 8, length <= rest.count,
            let index = rest.number(at: 4, Int32.self)
        {
            interfaces.append(index)
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        return interfaces
    }

    /// 4 or 16 bytes; nil if the first byte is not `AF_INET` or `AF_INET6` of Linux.
    private static func addressSize(of payload: ArraySlice<UInt8>) -> Int? {
        switch payload.first {
        case 2: 4
        case 10: 16
        default: nil
        }
    }

    /// `rtattr`: length, type, value; one after the other.
    private static func forEachAttribute(in bytes: ArraySlice<UInt8>, _ body: (UInt16, ArraySlice<UInt8>) -> Void) {
        var rest = bytes
        while let length = rest.number(at: 0, UInt16.self), length >= 4, length <= rest.count,
            let type = rest.number(at: 2, UInt16.self)
        {
            // The two upper bits are flags.
            body(type & 0x3FFF, rest.dropFirst(4).prefix(Int(length) - 4))
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
    }
}

extension ArraySlice<UInt8> {
    /// A number in this machine's byte order; nil beyond the end.
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard count >= offset + size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
