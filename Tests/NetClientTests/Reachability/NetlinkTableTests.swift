import NetCore
import Testing

@testable import NetClient

@Suite struct NetlinkTableTests {
    private func table(_ answers: [UInt8]...) -> NetlinkTable {
        var table = NetlinkTable()
        for answer in answers {
            for message in NetlinkParser.messages(in: answer) { table.add(message.content) }
        }
        return table
    }

    private func status(_ table: NetlinkTable, _ types: [String: String] = [:]) -> ConnectionStatus {
        table.status { types[$0] }
    }

    private let online = ConnectionStatus(isReachable: true, interfaceType: .wired)
    private let offline = ConnectionStatus(isReachable: false)

    private func link(_ index: Int32, _ name: String, flags: UInt32 = 0x41, hardware: UInt16 = 1) -> [UInt8] {
        NetlinkBytes.link(hardware: hardware, index: index, flags: flags, name: name)
    }

    private func route(over index: Int32, family: UInt8 = 2, metric: UInt32 = 0) -> [UInt8] {
        NetlinkBytes.route(
            family: family,
            attributes: NetlinkBytes.attribute(4, NetlinkBytes.raw(index))
                + NetlinkBytes.attribute(6, NetlinkBytes.raw(metric)))
    }

    private let global4: [UInt8] = [192, 0, 2, 2]
    private let global6: [UInt8] = [0x20, 1] + [UInt8](repeating: 7, count: 14)

    // MARK: Recorded

    @Test func recordedOnline() {
        let table = table(
            NetlinkRecordings.onlineLinks, NetlinkRecordings.onlineAddresses, NetlinkRecordings.onlineRoutes)
        #expect(status(table) == online)
        #expect(status(table, ["eth0": "wlan"]).interfaceType == .wifi)
        #expect(status(table, ["eth0": "bridge"]).interfaceType == .wired)
        let cellular = status(table, ["eth0": "wwan"])
        #expect(cellular.interfaceType == .cellular && cellular.isExpensive && !cellular.isConstrained)
    }

    @Test func recordedWithoutCarrier() {
        #expect(
            status(
                table(
                    NetlinkRecordings.noCarrierLinks, NetlinkRecordings.noCarrierAddresses,
                    NetlinkRecordings.noCarrierRoutes)) == offline)
    }

    @Test func recordedDown() {
        #expect(
            status(
                table(
                    NetlinkRecordings.downLinks, NetlinkRecordings.downAddresses, NetlinkRecordings.downRoutes))
                == offline)
    }

    @Test func recordedWithoutRoutes() {
        #expect(
            status(table(NetlinkRecordings.onlineLinks, NetlinkRecordings.onlineAddresses)) == online,
            "those in the same network can be reached")
        #expect(status(table(NetlinkRecordings.onlineLinks)) == offline)
    }

    // MARK: Made by hand

    @Test func nothingAtAll() {
        #expect(status(table()) == offline)
        #expect(
            status(
                table(
                    link(1, "lo", flags: 0x49, hardware: 772), NetlinkBytes.address(global4, index: 1), route(over: 1)))
                == offline, "an address and a route on loopback lead nowhere")
    }

    @Test func defaultRouteNeedsNoGlobalAddressForIPv4() {
        let linkLocal = NetlinkBytes.address([169, 254, 76, 1], index: 2)
        #expect(status(table(link(2, "vinternal_1"), linkLocal)) == offline)
        #expect(status(table(link(2, "vinternal_1"), linkLocal, route(over: 2))) == online, "AWS Lambda is like that")
    }

    @Test func announcedRouteOfIPv6NeedsAnAddress() {
        let routed = [link(2, "eth0"), route(over: 2, family: 10)].flatMap { $0 }
        #expect(status(table(routed)) == offline)
        #expect(status(table(routed, NetlinkBytes.address([0xFE, 0x80] + global6.dropFirst(2), index: 2))) == offline)
        #expect(status(table(routed, NetlinkBytes.address(global6, index: 2))) == online)
    }

    @Test func preferredRouteDecides() {
        let links = [link(2, "eth0"), link(3, "wlan0"), link(4, "wwan0", hardware: 519)].flatMap { $0 }
        #expect(
            status(table(links, route(over: 2, metric: 100), route(over: 3, metric: 600))).interfaceType == .wired)
        #expect(
            status(table(links, route(over: 2, metric: 700), route(over: 3, metric: 600))).interfaceType == .wifi)
        #expect(
            status(
                table(
                    links, NetlinkBytes.address(global6, index: 4), route(over: 4, family: 10, metric: 1),
                    route(over: 3, metric: 600))
            ).interfaceType == .wifi, "IPv4 first")
        #expect(status(table(links, route(over: 4))).interfaceType == .cellular)
        let dead = [link(2, "eth0", flags: 0x1), link(3, "tun0", hardware: 65_534)].flatMap { $0 }
        #expect(
            status(table(dead, route(over: 2, metric: 1), route(over: 3, metric: 9))).interfaceType == .other,
            "the preferred one has no carrier")
    }

    @Test func routeWithoutInterface() {
        #expect(status(table(NetlinkBytes.route(attributes: []))) == .unknown, "who knows: reachable")
    }

    @Test func severalInterfacesOfARoute() {
        let hop = { (index: Int32) in NetlinkBytes.raw(UInt16(8)) + [0, 0] + NetlinkBytes.raw(index) }
        let route = NetlinkBytes.route(attributes: NetlinkBytes.attribute(9, hop(2) + hop(3)))
        #expect(status(table(link(2, "eth0", flags: 0x1), link(3, "wlp3s0"), route)).interfaceType == .wifi)
        #expect(status(table(link(2, "eth0", flags: 0x1), link(3, "wlp3s0", flags: 0x1), route)) == offline)
    }
}
