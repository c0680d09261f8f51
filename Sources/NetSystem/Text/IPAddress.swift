/// An IPv4 or IPv6 address as a 128-bit number, with IPv4 in its mapped form (`::ffff:0:0/96`).
package struct IPAddress: Hashable, Sendable {
    package let high, low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    package init(ipv4: UInt32) { self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(ipv4)) }

    /// Creates an address from 4 or 16 bytes in network order. Nil for any other count.
    package init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.init(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16:
            self.init(
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }

    /// Parses any form that a resolver accepts: the usual ones, IPv4 in one to four parts, each decimal, octal or hexadecimal (`0x7f.1`,
    /// `017700000001`, `2130706433`), and IPv6 in brackets or with a zone.
    package init?(_ text: String) {
        var text = Substring(text)
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        if text.contains(":") { self.init(ipv6: text.prefix { $0 != "%" }) } else { self.init(ipv4: text) }
    }

    /// The number of an IPv4 address, or nil.
    package var ipv4: UInt32? { high == 0 && low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: low) : nil }

    /// The address that packets reach: for NAT64 (RFC 6052) the IPv4 address inside.
    package var target: IPAddress {
        high == 0x0064_FF9B_0000_0000 && low >> 32 == 0 ? IPAddress(ipv4: UInt32(truncatingIfNeeded: low)) : self
    }

    /// Whether a text is an address in its usual form alone, without brackets and zone.
    package static func isLiteral(_ text: some StringProtocol) -> Bool {
        var bytes = in6_addr()
        let family = text.contains(":") ? AF_INET6 : AF_INET
        return inet_pton(family, String(text), &bytes) == 1 && !text.utf8.contains(0)
    }

    private init?(ipv6 text: Substring) {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, String(text), &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    private init?(ipv4 text: Substring) {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard let last = parts.popLast(), parts.count < 4, let end = Self.number(last) else { return nil }
        var address: UInt32 = 0
        for (index, part) in parts.enumerated() {
            guard let number = Self.number(part), number < 256 else { return nil }
            address |= UInt32(number) << (24 - 8 * index)
        }
        guard end >> (32 - 8 * parts.count) == 0 else { return nil }
        self.init(ipv4: address | UInt32(end))
    }

    /// Parses a number of at most 32 bits.
    package static func number(_ text: Substring) -> UInt64? {
        guard let first = text.utf8.first, first.isDigit else { return nil }
        let number: UInt64? =
            if text.hasPrefix("0x") || text.hasPrefix("0X") {
                text.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16)
            } else {
                UInt64(text, radix: text.count > 1 && first == UInt8(ascii: "0") ? 8 : 10)
            }
        return number.flatMap { $0 <= UInt64(UInt32.max) ? $0 : nil }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical spelling: `127.0.0.1`, or IPv6 by RFC 5952.
    package var description: String {
        if let ipv4 { return (0..<4).map { String(ipv4 >> (24 - 8 * UInt32($0)) & 0xFF) }.joined(separator: ".") }
        var bytes = (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * UInt64($0 % 8))) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
