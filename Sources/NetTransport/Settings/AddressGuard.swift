import NetCore

/// Decides by an ``TransportConfiguration/AddressPolicy`` which hosts and addresses a transport may connect to.
struct AddressGuard: Sendable {
    /// Whether the addresses that names resolve to must be checked.
    let checksAddresses: Bool
    private let hosts: Set<String>?
    private let hostAddresses: Set<IPAddress>
    private let ranges: [AddressRange]

    /// Nil if the policy allows everything. Throws ``NetworkError/unsupported(_:)`` for an address that cannot be parsed.
    init?(_ policy: TransportConfiguration.AddressPolicy) throws {
        ranges = try policy.allowedAddresses.map { text in
            guard let range = AddressRange(text) else {
                throw NetworkError.unsupported(
                    "addressPolicy.allowedAddresses: '\(text.prefix(64).description.onOneLine)' is neither an address nor a "
                        + "range such as 10.0.0.0/8.")
            }
            return range
        }
        guard policy.requiresPublicAddress || policy.allowedHosts != nil else { return nil }
        checksAddresses = policy.requiresPublicAddress
        hosts = policy.allowedHosts.map { Set($0.map(HostName.normalized)) }
        hostAddresses = Set((policy.allowedHosts ?? []).compactMap(IPAddress.init))
    }

    /// Whether the policy allows a connection to the address.
    func allows(_ address: IPAddress) -> Bool { !checksAddresses || isNamed(address) || address.isPublic }

    /// Throws ``TransportError/Code/addressNotAllowed`` for the host of a URL, before anything is opened.
    func check(_ url: URL?) throws {
        guard url?.hasUnixSocketScheme != true else {
            throw Self.refusal(host: "a Unix-domain socket", url: url, phase: .preparing)
        }
        let host = HostName.normalized(url?.host ?? "")
        guard allows(host: host) else { throw Self.refusal(host: host, url: url, phase: .preparing) }
    }

    static func refusal(host: String, url: URL?, phase: TransportError.Phase) -> TransportError {
        TransportError(
            .addressNotAllowed, phase: phase,
            message: "The transport's address policy does not allow \(host.isEmpty ? "this host" : host).", url: url)
    }

    private func allows(host: String) -> Bool {
        if let address = IPAddress(host) {
            guard hosts == nil || hostAddresses.contains(address) || isNamed(address) else { return false }
            return allows(address)
        }
        // The host ends like an address but is not one, and resolvers interpret it differently.
        if let last = host.split(separator: ".").last, last.utf8.first?.isDigit == true,
            last.allSatisfy({ $0.isHexDigit || $0 == "x" })
        {
            return false
        }
        guard let hosts else { return true }
        // The limit of DNS, which bounds the number of parent names below.
        guard host.utf8.count <= 253 else { return false }
        var name = Substring(host)
        while !name.isEmpty {
            if hosts.contains(String(name)) { return true }
            guard let dot = name.firstIndex(of: ".") else { return false }
            name = name[name.index(after: dot)...]
        }
        return false
    }

    private func isNamed(_ address: IPAddress) -> Bool {
        let target = address.target
        return ranges.contains { $0.contains(address) || $0.contains(target) }
    }
}

/// A range of addresses with the same first bits (CIDR, RFC 4632).
struct AddressRange: Hashable, Sendable {
    private let start: IPAddress
    private let highMask, lowMask: UInt64

    /// - Parameter length: the number of bits, up to 32 or 128. The range is nil if the address has fewer.
    init?(_ start: IPAddress, length: Int) {
        let limit = start.ipv4 == nil ? 128 : 32
        guard (0...limit).contains(length) else { return nil }
        let bits = 128 - limit + length
        highMask = bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits))
        lowMask = bits >= 128 ? .max : bits <= 64 ? 0 : ~(UInt64.max >> UInt64(bits - 64))
        self.start = start
    }

    /// Parses `10.0.0.0/8`, `fd00::/8`, or a single address.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let start = parts.first.flatMap(IPAddress.init) else { return nil }
        guard parts.count == 2 else {
            self.init(start, length: start.ipv4 == nil ? 128 : 32)
            return
        }
        guard let length = Int(parts[1]), parts[1].allSatisfy(\.isNumber) else { return nil }
        self.init(start, length: length)
    }

    func contains(_ address: IPAddress) -> Bool {
        (address.high ^ start.high) & highMask == 0 && (address.low ^ start.low) & lowMask == 0
    }
}

extension IPAddress {
    /// Whether it is an address of the public Internet: globally reachable by the special-purpose registries of IANA
    /// (RFC 6890). An address that they do not list as such, or that embeds an address of another network, is not.
    var isPublic: Bool {
        let target = target
        if target.ipv4 != nil { return !Self.specialIPv4.contains { $0.contains(target) } }
        return target.high >> 61 == 0b001 && !Self.specialIPv6.contains { $0.contains(target) }
    }

    private static let specialIPv4 = ranges([
        "0.0.0.0/8",  // this network (RFC 791): on Linux, this machine
        "10.0.0.0/8",  // private (RFC 1918)
        "100.64.0.0/10",  // shared, carrier-grade NAT (RFC 6598)
        "127.0.0.0/8",  // loopback (RFC 1122)
        "169.254.0.0/16",  // link-local (RFC 3927), where clouds keep their metadata
        "172.16.0.0/12",  // private (RFC 1918)
        "192.0.0.0/24",  // protocol assignments (RFC 6890)
        "192.0.2.0/24",  // documentation (RFC 5737)
        "192.88.99.0/24",  // 6to4 relays (RFC 7526)
        "192.168.0.0/16",  // private (RFC 1918)
        "198.18.0.0/15",  // benchmarks (RFC 2544)
        "198.51.100.0/24",  // documentation
        "203.0.113.0/24",  // documentation
        "224.0.0.0/4",  // multicast (RFC 5771)
        "240.0.0.0/4",  // reserved (RFC 1112), and broadcast
    ])

    /// Within 2000::/3, the only block of global unicast (RFC 4291): loopback, unique local, link-local, site-local,
    /// multicast, mapped and compatible IPv4 addresses are all outside of it.
    private static let specialIPv6 = ranges([
        "2001::/23",  // protocol assignments (RFC 2928): Teredo, ORCHID, benchmarks
        "2001:db8::/32",  // documentation (RFC 3849)
        "2002::/16",  // 6to4 (RFC 3056): any IPv4 address may be inside
        "3fff::/20",  // documentation (RFC 9637)
    ])

    private static func ranges(_ texts: [String]) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}
