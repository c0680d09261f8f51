import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetTransport

#if os(Linux)
    /// The policy against real sockets.
    @Suite struct AddressPolicyTests {
        private func transport(_ policy: AddressPolicy, _ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { ($0.addressPolicy, $0.proxy) = (policy, .none) }
        }

        /// Which may reach public addresses and this machine's.
        private func localTransport(_ names: TransportConfiguration.ResolveOverride...) -> CurlTransport {
            transport(.publicOnly) { ($0.addressPolicy.allowedAddresses, $0.resolveOverrides) = (["127.0.0.1"], names) }
        }

        private func expectRefusal(_ url: URL, _ transport: CurlTransport, phase: TransportError.Phase) async throws {
            let (steps, host) = (StepRecorder(), try #require(url.host?.lowercased()))
            let error = try await transport.expectFailure(
                .addressNotAllowed, phase: phase, of: url, context: steps.context)
            #expect(error?.message == "The transport's address policy does not allow \(host).")
            #expect(error?.isUnprocessed == true && steps.kinds == [])
        }

        /// The address is checked when the socket is opened.
        @Test func nameWithPrivateAddressIsRefused() async throws {
            let server = try MockServer { _ in .text("x") }
            let overrides = [
                ("several.example", ["10.255.0.1", "127.0.0.1"]), ("rebound.example", ["127.0.0.1"]),
                ("six.example", ["::1", "::ffff:127.0.0.1", "fe80::1"]),
            ].map { TransportConfiguration.ResolveOverride(host: $0, port: server.port, addresses: $1) }
            let strict = transport(.publicOnly) { $0.resolveOverrides = overrides }
            try await expectRefusal(server.url, strict, phase: .preparing)
            for host in ["localhost", "Rebound.example"] + overrides.map(\.host) {
                try await expectRefusal(url(host, server), strict, phase: .connecting)
            }
            #expect(server.connectionCount == 0)
            // Of several addresses, the one that is allowed.
            #expect(try await localTransport(overrides[0]).fetch(url("several.example", server)).status == 200)
        }

        @Test func refusalLeavesTheTransportUsable() async throws {
            let server = try MockServer { _ in .text("x") }
            let transport = localTransport(.init(host: "in.example", port: server.port, addresses: ["10.0.0.1"]))
            for _ in 0..<20 {
                try await expectRefusal(url("in.example", server), transport, phase: .connecting)
                #expect(try await transport.fetch(server.url).status == 200)
            }
            #expect(server.requestCount == 20 && server.connectionCount == 1)
        }

        @Test func redirectToPrivateAddressIsRefused() async throws {
            let (inside, server) = (try MockServer { _ in .text("secret") }, try MockServer())
            server.on("/numbers", .redirect(to: "http://2130706434:\(inside.port)/"))
            server.on("/name", .redirect(to: "http://localhost:\(inside.port)/"))
            let client = NetworkClient(
                transport: localTransport(.init(host: "localhost", port: inside.port, addresses: ["127.0.0.2"])))
            for path in ["/numbers", "/name"] {
                let error = try await failure { try await client.response(for: URLRequest(url: server.url(path))) }
                #expect(error.transportError?.code == .addressNotAllowed && !error.isRetryable)
            }
            #expect(inside.connectionCount == 0 && server.requestCount == 2)
        }

        @Test func allowedHostsRefuseOtherHosts() async throws {
            let server = try MockServer { _ in .text("x") }
            let transport = transport(.any) { $0.addressPolicy.allowedHosts = ["localhost"] }
            try await expectRefusal(server.url, transport, phase: .preparing)
            #expect(server.connectionCount == 0)
            #expect(try await transport.fetch(url("localhost", server)).status == 200)
        }

        @Test func addressPolicyWithProxyOrUnixSocketIsUnsupported() async throws {
            let server = try MockServer { _ in .text("x") }
            for change in [
                { $0.proxy = .http(host: "127.0.0.1", port: server.port) }, { $0.proxy = .https(host: "p", port: 1) },
                { $0.proxy = .socks5(host: "p", port: 1, resolvesNamesLocally: true) },
                { $0.unixSocketPath = "/tmp/none" }, { $0.addressPolicy.allowedAddresses = ["nonsense"] },
            ] as [@Sendable (inout TransportConfiguration) -> Void] {
                #expect(isUnsupported(try await transport(.publicOnly, change).failure(server.url)))
            }
            #expect(server.connectionCount == 0)
            // A list of hosts says nothing of addresses: a proxy may serve it.
            let proxied = transport(.any) {
                $0.addressPolicy.allowedHosts = ["service.invalid"]
                $0.proxy = .http(host: "127.0.0.1", port: server.port)
            }
            #expect(try await proxied.fetch(url("http://service.invalid/")).status == 200)
        }
    }
#endif

extension URLSessionSuites {
    @Suite struct AddressPolicyTests {
        @Test func urlSessionHonorsAllowedHosts() async throws {
            let server = try MockServer { _ in .text("x") }
            let transport = URLSessionTransport(
                configuration: TransportConfiguration { $0.addressPolicy.allowedHosts = ["localhost"] })
            try await transport.expectFailure(.addressNotAllowed, of: server.url)
            #expect(server.connectionCount == 0)
            #expect(try await transport.fetch(url("localhost", server)).body == Data("x".utf8))
        }
    }
}

@Suite struct IPAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", 0x7F00_0001), ("2130706433", 0x7F00_0001), ("0x7f000001", 0x7F00_0001),
            ("0x7F.1", 0x7F00_0001), ("017700000001", 0x7F00_0001), ("0177.0.0.01", 0x7F00_0001),
            ("127.1", 0x7F00_0001), ("127.0.1", 0x7F00_0001), ("127.0.0.1.", 0x7F00_0001), ("0", 0), ("0x", 0),
            ("1.2.772", 0x0102_0304), ("255.255.255.255", 0xFFFF_FFFF), ("[::ffff:1.2.3.4]", 0x0102_0304),
            ("::ffff:0102:0304", 0x0102_0304),
        ] as [(String, UInt32)])
    func ipv4IsParsed(text: String, number: UInt32) throws { #expect(try #require(IPAddress(text)).ipv4 == number) }

    @Test(arguments: [
        "", ".", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "0x100000000", "08", "1..2", "1.2.3.4..", "a",
        "-1", "+1", "1.2.3.+4", "0x-1", "１２７.0.0.1", "1.16777216", "1.2.65536", "::g", ":::", "[::1", " 1", "1 ",
        "1:2:3:4:5:6:7:8:9", "99999999999999999999999999", "0xffffffffffffffffffffffff", "example.com",
    ]) func malformedAddressIsNil(text: String) { #expect(IPAddress(text) == nil) }

    @Test func ipv6SpellingsAreParsed() throws {
        let loopback = IPAddress(high: 0, low: 1)
        for text in ["::1", "[::1]", "0:0:0:0:0:0:0:1", "::1%lo", "[::1%25lo]", "::0.0.0.1"] {
            #expect(IPAddress(text) == loopback, "\(text)")
        }
        #expect(try #require(IPAddress("64:ff9b::10.0.0.1")).target == IPAddress("10.0.0.1"))
        #expect(IPAddress(bytes: [UInt8]()) == nil && IPAddress(bytes: [UInt8](repeating: 0, count: 5)) == nil)
        #expect(IPAddress(bytes: [127, 0, 0, 1]) == IPAddress("127.0.0.1"))
        #expect(IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1]) == loopback)
    }

    /// The first and the last address of each block, and their neighbours outside of it.
    @Test(
        arguments: [
            ("0.0.0.0", "0.255.255.255", nil, "1.0.0.0"), ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
            ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
            ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
            ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
            ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
            ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
            ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
            ("192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
            ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
            ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
            ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
            ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
            ("224.0.0.0", "239.255.255.255", "223.255.255.255", nil), ("240.0.0.0", "255.255.255.255", nil, nil),
            ("::", "::", nil, nil), ("::1", "::1", nil, nil),
            ("::2", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "2000::"),
            ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "2001:200::"),
            ("2001::", "2001::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"),
            ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::", "2003::"),
            ("3fff::", "3fff:0fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"),
            ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff:ffff::", nil),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, nil), ("fe80::", "febf:ffff::", nil, nil),
            ("fec0::", "feff::", nil, nil), ("ff00::", "ff02::1", nil, nil), ("100::", "100::ffff", nil, nil),
            ("5f00::", "5f00:ffff::", nil, nil), ("64:ff9b:1::", "64:ff9b:1:ffff::", nil, nil),
        ] as [(String, String, String?, String?)])
    func specialPurposeBlocksAreNotPublic(first: String, last: String, before: String?, after: String?) throws {
        let texts = [(first, false), (last, false), (before, true), (after, true)] as [(String?, Bool)]
        for case (let text?, let isPublic) in texts {
            // By itself, mapped to IPv6, behind NAT64, and as a compatible address, which is never public.
            for prefix in text.contains(":") ? [""] : ["", "::ffff:", "64:ff9b::"] {
                #expect(try #require(IPAddress(prefix + text)).isPublic == isPublic, "\(prefix + text)")
            }
            if !isPublic, !text.contains(":") { #expect(try !#require(IPAddress("::" + text)).isPublic, "\(text)") }
        }
    }

    @Test(arguments: ["1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"])
    func publicAddressIsPublic(text: String) throws { #expect(try #require(IPAddress(text)).isPublic) }

    @Test func cidrRangeContainsItsAddresses() throws {
        for (range, address, isInside) in [
            ("10.1.0.0/16", "10.1.255.255", true), ("10.1.0.0/16", "10.2.0.0", false), ("::/0", "1.2.3.4", true),
            ("0.0.0.0/0", "255.1.2.3", true), ("0.0.0.0/0", "::1", false), ("fd00::/64", "fd00::ffff:1", true),
            ("fd00::/65", "fd00::8000:0:0:0", false), ("::1", "::1", true),
        ] {
            let member = try #require(IPAddress(address))
            #expect(try #require(AddressRange(range)).contains(member) == isInside, "\(range) \(address)")
        }
        for text in [
            "", "/", "1.2.3.4/", "1.2.3.4/33", "1.2.3.4/-1", "1.2.3.4/+1", "::/129", "a/8", "1.2.3.4/8/8", "/8", "1/x",
        ] { #expect(AddressRange(text) == nil, "\(text)") }
    }

    @Test func randomTextDoesNotTrap() {
        var generator = SeededGenerator(state: 7)
        let alphabet = Array("0123456789abcdefxX.:%[]/ -ü")
        for _ in 0..<20_000 {
            let text = generator.text(of: alphabet, upTo: 12)
            _ = IPAddress(text)?.isPublic
            _ = AddressRange(text)?.contains(IPAddress(ipv4: 1))
        }
    }
}
