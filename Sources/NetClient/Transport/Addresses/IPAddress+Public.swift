import NetCore

extension IPAddress {
    /// Whether it is an address of the public Internet: globally reachable by the special-purpose registries of IANA
    /// (RFC 6890). What they do not know, and what carries an address of another network inside, is not.
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

    private static func ranges(_ texts: [String]) -> [AddressRange] {
        texts.compactMap { AddressRange($0) }
    }
}
