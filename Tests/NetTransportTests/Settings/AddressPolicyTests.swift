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
            let error = try await transport.expectFailure(.addressNotAllowed, phase: phase, of: url)
            #expect(error?.isUnprocessed == true && error?.message.contains(url.host ?? "?") == true)
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
            for host in ["localhost"] + overrides.map(\.host) {
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
