@testable import NetClient

@Suite struct NetworkInterfaceTests {
    private static let loopback = NetworkInterface("lo", flags: 0x49, hardware: 772, [127, 0, 0, 1], ipv6(0, last: 1))

    private static func ipv6(_ start: UInt8..., last: UInt8 = 7) -> [UInt8] {
        start + [UInt8](repeating: 0, count: 15 - start.count) + [last]
    }

    private func status(_ interfaces: NetworkInterface..., types: [String: String] = [:]) -> ConnectionStatus {
        ConnectionStatus(interfaces: [Self.loopback] + interfaces) { types[$0] }
    }

    @Test(arguments: [[192, 0, 2, 2], [10, 1, 2, 3], [169, 254, 3, 4], ipv6(0x20, 1), ipv6(0xFD)])
    func interfaceWithAnAddressIsReachable(_ address: [UInt8]) {
        #expect(status(NetworkInterface("eth0", address)) == ConnectionStatus(isReachable: true, interfaceType: .wired))
    }

    @Test(arguments: [
        [], [127, 0, 0, 2], [0, 0, 0, 0], ipv6(0, last: 0), ipv6(0, last: 1), ipv6(0xFE, 0x80),
        ipv6(0xFE, 0xBF), [1, 2, 3],
    ])
    func localAddressesAreOffline(_ address: [UInt8]) { #expect(status(NetworkInterface("eth0", address)) == .offline) }

    @Test(arguments: [0x0, 0x1, 0x40, 0x1003] as [UInt32]) func interfaceWithoutACarrierIsOffline(_ flags: UInt32) {
        let interface = NetworkInterface("eth0", flags: flags, [192, 0, 2, 2])
        #expect(status(interface) == .offline)
        #expect(status(interface, NetworkInterface("eth1")) == .offline, "another one is up, and has no address")
    }

    @Test func addressOnLoopbackNeedsAnotherInterface() {
        let lo = NetworkInterface("lo", flags: 0x49, hardware: 772, [192, 0, 2, 7])
        #expect(status(lo) == .offline && status(lo, NetworkInterface("eth0", flags: 0x1)) == .offline)
        #expect(status(lo, NetworkInterface("eth0")) == ConnectionStatus(isReachable: true, interfaceType: .unknown))
        let isDown = NetworkInterface("lo", flags: 0x8, hardware: 772, [192, 0, 2, 7])
        #expect(status(isDown, NetworkInterface("eth0")) == .offline)
    }

    @Test func noInterfacesAreOffline() {
        #expect(ConnectionStatus(interfaces: []) { _ in nil } == .offline && status() == .offline)
    }

    @Test(
        arguments: [
            ("eth0", 1, nil, .wired), ("enp3s0", 1, nil, .wired), ("docker0", 1, "bridge", .wired),
            ("wlp2s0", 1, nil, .wifi), ("lan9", 1, "wlan", .wifi), ("wwan0", 1, nil, .cellular),
            ("rmnet_data0", 519, nil, .cellular), ("mobile", 1, "wwan", .cellular), ("raw", 519, nil, .cellular),
            ("tun0", 65534, nil, .other), ("wg0", 65534, "wireguard", .other), ("x", nil, nil, .other),
        ] as [(String, UInt16?, String?, ConnectionType)])
    func interfaceTypes(name: String, hardware: UInt16?, deviceType: String?, expected: ConnectionType) {
        let found = status(
            NetworkInterface(name, hardware: hardware, [192, 0, 2, 2]), types: deviceType.map { [name: $0] } ?? [:])
        #expect(found.interfaceType == expected && found.isExpensive == (expected == .cellular) && !found.isConstrained)
    }

    @Test func firstInterfaceWithAnAddressWinsAndCellularIsLast() {
        let mobile = NetworkInterface("wwan0", [10, 0, 0, 1])
        let wifi = NetworkInterface("wlan0", [10, 0, 0, 2])
        let tunnel = NetworkInterface("tun0", hardware: 65534, [10, 0, 0, 3])
        let unplugged = NetworkInterface("eth0", flags: 0x1, [10, 0, 0, 4])
        #expect(status(mobile, unplugged, NetworkInterface("eth1"), wifi, tunnel).interfaceType == .wifi)
        #expect(status(tunnel, wifi).interfaceType == .other && status(unplugged, mobile).isExpensive)
    }
}

extension NetworkInterface {
    fileprivate init(_ name: String, flags: UInt32 = 0x41, hardware: UInt16? = 1, _ addresses: [UInt8]...) {
        self.init(name: name, flags: flags)
        hardwareType = hardware
        self.addresses = addresses
    }
}
