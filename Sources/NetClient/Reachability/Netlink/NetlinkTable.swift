import NetCore

/// What the kernel has answered about interfaces, addresses and default routes, and what follows from it.
///
/// It is made of whole answers only. News are no more than the reason to ask again: when an interface goes down, the kernel
/// drops the routes of IPv4 over it without a word, and news that waited while we asked are older than the answer.
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
    /// Those of more than local scope.
    private var addresses: Set<Place> = []
    private var routes: [NetlinkRoute] = []

    /// Takes in a part of an answer.
    mutating func add(_ content: NetlinkMessage.Content) {
        switch content {
        case .link(let link): links[link.index] = link
        case .address(let address): if address.isGlobal { addresses.insert(Place(address)) }
        case .route(let route): routes.append(route)
        case .linkRemoved, .addressRemoved, .routeRemoved, .done, .error, .overrun: break
        }
    }

    /// Whether a piece of news may mean that the table is out of date.
    func isOutdated(by content: NetlinkMessage.Content) -> Bool {
        switch content {
        // Drivers of Wi-Fi repeat themselves with every scan, and routers with every announcement.
        case .link(let link): links[link.index] != link
        case .linkRemoved(let index): links[index] != nil
        case .address(let address): addresses.contains(Place(address)) != address.isGlobal
        case .addressRemoved(let address): addresses.contains(Place(address))
        case .route, .routeRemoved, .overrun: true
        case .done, .error: false
        }
    }

    /// Whether there is a way out, and over what.
    ///
    /// - Parameter deviceType: what the system calls an interface of that name: `wlan`, `wwan`, …
    func status(deviceType: (String) -> String?) -> ConnectionStatus {
        if let route = usableRoutes.min(by: Self.isPreferred) {
            let type = route.interfaces.lazy.compactMap { links[$0] }.first { $0.isUsable }.map {
                ConnectionType($0, deviceType: deviceType)
            }
            return Self.status(type ?? .unknown)
        }
        // Without a default route there are still the machines in the same network.
        let link = addresses.compactMap { links[$0.index] }.filter(\.isUsable).min { $0.index < $1.index }
        guard let link else { return ConnectionStatus(isReachable: false) }
        return Self.status(ConnectionType(link, deviceType: deviceType))
    }

    private static func status(_ type: ConnectionType) -> ConnectionStatus {
        ConnectionStatus(isReachable: true, interfaceType: type, isExpensive: type == .cellular)
    }

    /// Routers announce a default route of IPv6 also where they hand out no address to use it with.
    private var usableRoutes: [NetlinkRoute] {
        let hasIPv6 = addresses.contains(where: \.isIPv6)
        return routes.filter { route in
            guard !route.isIPv6 || hasIPv6 else { return false }
            // One that names no interface leads over one that we cannot judge.
            return route.interfaces.isEmpty || route.interfaces.contains { links[$0]?.isUsable == true }
        }
    }

    /// By metric; IPv4 first, since the metrics of the two are on different scales.
    private static func isPreferred(_ left: NetlinkRoute, _ right: NetlinkRoute) -> Bool {
        left.isIPv6 == right.isIPv6 ? left.metric < right.metric : !left.isIPv6
    }
}

extension ConnectionType {
    /// By what the system says of an interface; by the names that systemd and Android give, where it says nothing.
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
