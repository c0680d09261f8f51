import TestLab
import Testing

@testable import NetClient

@Suite struct NetlinkParserTests {
    private func contents(_ bytes: [UInt8]) -> [NetlinkMessage.Content] {
        NetlinkParser.messages(in: bytes).map(\.content)
    }

    // MARK: Recorded

    @Test func links() {
        let messages = NetlinkParser.messages(in: NetlinkRecordings.onlineLinks)
        #expect(messages.allSatisfy { $0.sequence == 1 && !$0.isInterrupted })
        #expect(
            messages.map(\.content) == [
                .link(NetlinkLink(index: 1, name: "lo", hardwareType: 772, flags: 0x10049)),
                .link(NetlinkLink(index: 2, name: "peer0", hardwareType: 1, flags: 0x11043)),
                .link(NetlinkLink(index: 3, name: "eth0", hardwareType: 1, flags: 0x11043)),
                .done,
            ])
    }

    @Test func addresses() {
        let found = contents(NetlinkRecordings.onlineAddresses).compactMap { content -> NetlinkAddress? in
            if case .address(let address) = content { address } else { nil }
        }
        #expect(found.count == 6)
        #expect(found[1] == NetlinkAddress(index: 3, bytes: [192, 0, 2, 2], scope: 0, flags: 0x80))
        #expect(found.filter(\.isGlobal).map(\.index) == [3, 3])
        #expect(found.filter(\.isGlobal).map { $0.bytes.count } == [4, 16])
    }

    @Test func defaultRoutesOfSeventeen() {
        #expect(
            contents(NetlinkRecordings.onlineRoutes) == [
                .route(NetlinkRoute(isIPv6: false, metric: 100, interfaces: [3])),
                .route(NetlinkRoute(isIPv6: true, metric: 1024, interfaces: [3])), .done,
            ])
    }

    @Test func routeOverSeveralInterfaces() {
        let content = contents(NetlinkRecordings.multipathRoutes).first
        guard case .route(let route) = content else { return #expect(Bool(false), "\(String(describing: content))") }
        #expect(route.interfaces.count == 2 && Set(route.interfaces).count == 2 && !route.isIPv6)
    }

    @Test func notifications() {
        #expect(contents(NetlinkRecordings.defaultRouteRemoved) == [.removal])
        #expect(
            contents(NetlinkRecordings.carrierLost) == [
                .link(NetlinkLink(index: 2, name: "peer0", hardwareType: 1, flags: 0x1002)), .removal,
                .link(NetlinkLink(index: 3, name: "eth0", hardwareType: 1, flags: 0x1003)),
            ], "the removed routes are not default routes")
        #expect(contents(NetlinkBytes.address([192, 0, 2, 1], type: 21, index: 3)) == [.removal])
        #expect(contents(NetlinkBytes.route(prefix: 24, attributes: [])).isEmpty)
    }

    // MARK: Made by hand

    @Test func endsOfAnswers() {
        #expect(contents(NetlinkBytes.message(2, NetlinkBytes.raw(Int32(-1)))) == [.error(1)])
        #expect(contents(NetlinkBytes.message(2, NetlinkBytes.raw(Int32.min))) == [.error(.max)])
        #expect(contents(NetlinkBytes.message(3, NetlinkBytes.raw(Int32(-16)))) == [.error(16)])
        #expect(contents(NetlinkBytes.message(3, NetlinkBytes.raw(Int32(0)))) == [.done])
        #expect(contents(NetlinkBytes.message(3)) == [.done])
        #expect(contents(NetlinkBytes.message(4)) == [.removal])
        #expect(contents(NetlinkBytes.message(1)).isEmpty, "nothing to do")
        let message = NetlinkParser.messages(in: NetlinkBytes.message(3, flags: 0x12, sequence: 7)).first
        #expect(message?.isInterrupted == true && message?.sequence == 7)
    }

    @Test func portOfABridgeIsNoInterface() {
        #expect(contents(NetlinkBytes.link(17, family: 7, index: 3, flags: 0x41, name: "eth0")).isEmpty)
        #expect(
            contents(NetlinkBytes.link(17, index: 3, flags: 0x41, name: "eth0")) == [.removal])
    }

    @Test func ownAddressAndThatOfAPeer() {
        let own = NetlinkBytes.attribute(2, [10, 0, 0, 1])
        let bytes = NetlinkBytes.address([10, 0, 0, 2], index: 4, further: own)
        #expect(contents(bytes) == [.address(NetlinkAddress(index: 4, bytes: [10, 0, 0, 1], scope: 0, flags: 0))])
    }

    @Test func addressOfTheWrongLength() {
        let short = NetlinkBytes.message(20, [2, 24, 0, 0, 4, 0, 0, 0] + NetlinkBytes.attribute(1, [10, 0, 0]))
        #expect(contents(short).isEmpty)
    }

    @Test(
        arguments: [
            ([192, 0, 2, 1], 0, 0, true), ([10, 0, 0, 1], 0, 0, true), ([127, 0, 0, 1], 0, 0, false),
            ([169, 254, 3, 4], 0, 0, false), ([0, 0, 0, 0], 0, 0, false), ([192, 0, 2, 1], 253, 0, false),
            ([192, 0, 2, 1], 254, 0, false), ([192, 0, 2, 1], 200, 0, true),
            ([0x20, 1] + [UInt8](repeating: 0, count: 14), 0, 0, true),
            ([0xFD] + [UInt8](repeating: 0, count: 15), 0, 0, true),
            ([0xFE, 0x80] + [UInt8](repeating: 1, count: 14), 0, 0, false),
            ([UInt8](repeating: 0, count: 15) + [1], 0, 0, false),
            ([0x20, 1] + [UInt8](repeating: 0, count: 14), 0, 0x40, false),
            ([0x20, 1] + [UInt8](repeating: 0, count: 14), 0, 0x44, true),
            ([0x20, 1] + [UInt8](repeating: 0, count: 14), 0, 0x08, false),
        ] as [([UInt8], UInt8, UInt8, Bool)])
    func globalAddress(_ bytes: [UInt8], _ scope: UInt8, _ flags: UInt8, _ isGlobal: Bool) {
        let found = contents(NetlinkBytes.address(bytes, index: 2, scope: scope, flags: flags)).first
        guard case .address(let address) = found else { return #expect(Bool(false), "\(bytes)") }
        #expect(address.isGlobal == isGlobal)
    }

    @Test func longFlagsOfAnAddress() {
        let flags = NetlinkBytes.attribute(8, NetlinkBytes.raw(UInt32(0x40)))
        let bytes = NetlinkBytes.address([0x20, 1] + [UInt8](repeating: 0, count: 14), index: 2, further: flags)
        guard case .address(let address) = contents(bytes).first else { return #expect(Bool(false)) }
        #expect(address.flags == 0x40 && !address.isGlobal)
    }

    @Test func routesThatLeadNowhere() {
        let over3 = NetlinkBytes.attribute(4, NetlinkBytes.raw(Int32(3)))
        let inLocalTable = over3 + NetlinkBytes.attribute(15, NetlinkBytes.raw(UInt32(255)))
        let inTable1000 = over3 + NetlinkBytes.attribute(15, NetlinkBytes.raw(UInt32(1000)))
        #expect(contents(NetlinkBytes.route(attributes: over3)).count == 1)
        #expect(contents(NetlinkBytes.route(prefix: 1, attributes: over3)).count == 1, "half of all, as VPNs set")
        #expect(contents(NetlinkBytes.route(prefix: 2, attributes: over3)).isEmpty)
        #expect(contents(NetlinkBytes.route(family: 10, prefix: 3, attributes: over3)).count == 1)
        #expect(contents(NetlinkBytes.route(kind: 7, attributes: over3)).isEmpty, "unreachable")
        #expect(contents(NetlinkBytes.route(flags: 1, attributes: over3)).isEmpty, "dead")
        #expect(contents(NetlinkBytes.route(table: 255, attributes: over3)).isEmpty)
        #expect(contents(NetlinkBytes.route(table: 252, attributes: inLocalTable)).isEmpty)
        #expect(contents(NetlinkBytes.route(table: 252, attributes: inTable1000)).count == 1)
        #expect(contents(NetlinkBytes.route(family: 28, attributes: over3)).isEmpty, "MPLS")
    }

    // MARK: Any bytes

    @Test func cutAnywhere() {
        for recording in NetlinkRecordings.all {
            let whole = NetlinkParser.messages(in: recording)
            for length in 0...recording.count {
                let messages = NetlinkParser.messages(in: Array(recording.prefix(length)))
                #expect(messages.count <= whole.count && messages == Array(whole.prefix(messages.count)))
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4])
    func garbage(_ seed: UInt64) {
        var random = SeededGenerator(state: seed)
        for _ in 0..<3_000 {
            let recording = NetlinkRecordings.all.randomElement(using: &random) ?? []
            var bytes = recording
            for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[index] = [0, 1, 3, 4, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                case 2: bytes.removeSubrange(index..<min(bytes.count, index + 7))
                default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 21)], at: index)
                }
            }
            let messages = NetlinkParser.messages(in: bytes)
            #expect(messages.count <= bytes.count / NetlinkParser.headerSize)
            var table = NetlinkTable()
            for message in messages { table.add(message.content) }
            _ = table.status { _ in nil }
        }
    }

    @Test func lengthsThatGoNowhere() {
        // A length of 0 would go round for ever, one beyond the end would read what is not there.
        for length in [UInt32(0), 1, 15, 17, .max] {
            #expect(NetlinkParser.messages(in: NetlinkBytes.raw(length) + [UInt8](repeating: 3, count: 12)).isEmpty)
        }
        for length in [UInt16(0), 3, 9, .max] {
            let attribute = NetlinkBytes.raw(length) + NetlinkBytes.raw(UInt16(4)) + [3, 0, 0, 0]
            let route = NetlinkRoute(isIPv6: false, metric: 0, interfaces: [])
            #expect(contents(NetlinkBytes.route(attributes: attribute)) == [.route(route)])
        }
    }
}
