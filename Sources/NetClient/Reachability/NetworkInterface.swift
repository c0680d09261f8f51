/// An interface of this machine, and the connection status that follows from all of them, as Linux computes it.
struct NetworkInterface: Hashable, Sendable {
    let name: String
    /// `IFF_…` of Linux.
    let flags: UInt32
    /// `ARPHRD_…`; nil if the system does not say.
    var hardwareType: UInt16?
    /// In network order: 4 bytes each, or 16.
    var addresses: [[UInt8]] = []

    private static let up: UInt32 = 0x1
    private static let loopback: UInt32 = 0x8
    /// Operational: it has a carrier, or needs none.
    private static let running: UInt32 = 0x40

    var isLoopback: Bool { flags & Self.loopback != 0 }

    /// Whether packets can leave this machine through it.
    var isUsable: Bool { flags & Self.up != 0 && flags & Self.running != 0 && !isLoopback }

    /// Whether it is up and has an address that other machines can answer to.
    ///
    /// An address of IPv4 that is link-local counts, since some machines have no other one (AWS Lambda). One of IPv6 does not, since each
    /// interface has one.
    var hasAddress: Bool {
        guard flags & Self.up != 0, isLoopback || isUsable else { return false }
        return addresses.contains { bytes in
            switch bytes.count {
            case 4: bytes[0] != 0 && bytes[0] != 127
            // Neither `::`, `::1` nor fe80::/10.
            case 16: !bytes.prefix(15).allSatisfy { $0 == 0 } && !(bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
            default: false
            }
        }
    }
}

extension ConnectionStatus {
    /// The status of a machine with these interfaces, whose types the system names: `wlan`, `wwan`, … It is reachable if packets can leave through
    /// one of them and any of them has an address: a router may have its only address on the loopback interface. The type is that of the first usable
    /// interface with an address, in the order given; mobile ones come last.
    init(interfaces: [NetworkInterface], deviceType: (String) -> String?) {
        let usable = interfaces.filter(\.isUsable)
        guard !usable.isEmpty, interfaces.contains(where: \.hasAddress) else {
            self.init(isReachable: false)
            return
        }
        let types = usable.filter(\.hasAddress).map { ConnectionType($0, deviceType: deviceType($0.name)) }
        let type = types.first { $0 != .cellular } ?? types.first ?? .unknown
        self.init(isReachable: true, interfaceType: type, isExpensive: type == .cellular)
    }
}

extension ConnectionType {
    /// By the system's type of the interface, else by the names that systemd and Android use.
    fileprivate init(_ interface: NetworkInterface, deviceType: String?) {
        let rawIP: UInt16 = 519
        let ethernet: UInt16 = 1
        let name = interface.name
        if deviceType == "wlan" || name.hasPrefix("wl") {
            self = .wifi
        } else if deviceType == "wwan" || interface.hardwareType == rawIP || name.hasPrefix("ww")
            || name.hasPrefix("rmnet")
        {
            self = .cellular
        } else {
            self = interface.hardwareType == ethernet ? .wired : .other
        }
    }
}
