/// Interfaces, addresses and default routes as the kernel listed them, and the status that follows.
///
/// A table holds whole answers only. A notification is just a reason to ask again: when an interface goes down, the kernel drops its IPv4
/// routes without a notification, and a notification that waited during an answer is older than the answer.
struct NetlinkTable: Sendable {
    private struct Place: Hashable {
        let index: Int32
        let bytes: [UInt8]

        init(_ address: NetlinkAddress) {
            index = address.index
            bytes = address.bytes
        }

        var isIPv6: Bool { bytes.count == 16 }
    }

    private var links: [Int32: NetlinkLink] = [:]
    /// The addresses of global scope.
    private var addresses: Set<Place> = []
    private var routes: [NetlinkRoute] = []

    /// Adds a part of an answer.
    mutating func add(_ content: NetlinkMessage.Content) {
        switch content {
        case .link(let link): links[link.index] = link
        case .address(let address): if address.isGlobal { addresses.insert(Place(address)) }
        case .route(let route): routes.append(route)
        case .removal, .done, .error: break
        }
    }

    /// The connection status.
    ///
    /// - Parameter deviceType: the system's type of an interface by name: `wlan`, `wwan`, …
    func status(deviceType: (String) -> String?) -> ConnectionStatus {
        if let route = usableRoutes.min(by: Self.isPreferred) {
            let type = route.interfaces.lazy.compactMap { links[$0] }.first { $0.isUsable }.map {
                ConnectionType($0, deviceType: deviceType)
            }
            return Self.status(type ?? .unknown)
        }
        // Without a default route, machines in the same network can still be reached.
        let link = addresses.compactMap { links[$0.index] }.filter(\.isUsable).min { $0.index < $1.index }
        guard let link else { return ConnectionStatus(isReachable: false) }
        return Self.status(ConnectionType(link, deviceType: deviceType))
    }

    private static func status(_ type: ConnectionType) -> ConnectionStatus {
        ConnectionStatus(isReachable: true, interfaceType: type, isExpensive: type == .cellular)
    }

    /// The routes that can carry packets. Routers announce an IPv6 default route even if they assign no global address.
    private var usableRoutes: [NetlinkRoute] {
        let hasIPv6 = addresses.contains(where: \.isIPv6)
        return routes.filter { route in
            guard !route.isIPv6 || hasIPv6 else { return false }
            // A route without an interface counts as usable.
            return route.interfaces.isEmpty || route.interfaces.contains { links[$0]?.isUsable == true }
        }
    }

    /// By metric. IPv4 is first, since the metrics of the two families are on different scales.
    private static func isPreferred(_ left: NetlinkRoute, _ right: NetlinkRoute) -> Bool {
        left.isIPv6 == right.isIPv6 ? left.metric < right.metric : !left.isIPv6
    }
}

extension ConnectionType {
    /// By the system's type of the interface, else by the names that systemd and Android use.
    init(_ link: NetlinkLink, deviceType: (String) -> String?) {
        let rawIP: UInt16 = 519
        let ethernet: UInt16 = 1
        switch deviceType(link.name) {
        case "wlan": self = .wifi
        case "wwan": self = .cellular
        default:
            if link.flags & NetlinkLink.loopback != 0 {
                self = .loopback
            } else if link.name.hasPrefix("wl") {
                self = .wifi
            } else if link.hardwareType == rawIP || link.name.hasPrefix("ww") || link.name.hasPrefix("rmnet") {
                self = .cellular
            } else {
                self = link.hardwareType == ethernet ? .wired : .other
            }
        }
    }
}
