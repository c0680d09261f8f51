import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetTransport

extension URLSessionSuites {
    /// What cannot be done is refused before anything is sent, and declared.
    struct URLSessionRefusalTests {
        struct Setting: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let gap: TransportCapability?
            let change: @Sendable (inout TransportConfiguration) -> Void

            init(
                _ name: String, _ gap: TransportCapability?,
                _ change: @escaping @Sendable (inout TransportConfiguration) -> Void
            ) {
                testDescription = name
                self.gap = gap
                self.change = change
            }
        }

        struct AnyPolicy: ServerTrustPolicy {
            func evaluate(_ chain: CertificateChain, host: String) throws {}
        }

        static let everywhere: [Setting] = [
            Setting("Unix socket", .unixSocket) { $0.unixSocketPath = "/tmp/none" },
            Setting("resolve override", .resolveOverride) {
                $0.resolveOverrides = [.init(host: "a.invalid", port: 80, addresses: ["127.0.0.1"])]
            },
            Setting("resolver", .resolver) { $0.resolver = .init(name: "none") { _, _ in [] } },
            Setting("DNS over HTTPS", .dnsOverHTTPS) { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1/") },
            Setting("address family", .addressFamily) { $0.addressFamily = .ipv6Only },
            Setting("local address", .localAddress) { $0.localAddress = "127.0.0.2" },
            Setting("HTTP/2 by prior knowledge", .http2PriorKnowledge) { $0.httpVersions = .http2PriorKnowledge },
            Setting("HTTP/3", .http3) { $0.httpVersions = .http3Only },
            Setting("address policy", .addressPolicy) { $0.addressPolicy = .publicOnly },
            Setting("connect timeout", .connectTimeout) { $0.timeouts.connect = 5 },
            Setting("no decoding", .decompression) { $0.decodesContent = false },
            Setting("HTTP/1.1 only", nil) { $0.httpVersions = .http1Only },
            Setting("idle connections", nil) { $0.limits.idleConnections = 1 },
            Setting("PEM client certificate", .clientCertificate) {
                $0.clientCertificate = .pem(certificate: Data(), key: Data(), password: nil)
            },
        ]

        static let linux: [Setting] = [
            Setting("trust policy", .serverTrust) { $0.trustPolicy = AnyPolicy() },
            Setting("own authority", .customAuthority) { $0.certificateAuthorities = .only(pem: Data("x".utf8)) },
            Setting("PKCS#12 client certificate", .clientCertificate) {
                $0.clientCertificate = .pkcs12(Data(), password: nil)
            },
            Setting("HTTP/3 preferred", .http3) { $0.httpVersions = .http3Preferred },
            Setting("TLS 1.3", .minimumTLS) { $0.minimumTLSVersion = .v1_3 },
            Setting("TLS 1.0", .minimumTLS) { $0.minimumTLSVersion = .v1_0 },
            Setting("proxy", .proxy) { $0.proxy = .http(host: "127.0.0.1", port: 1) },
            Setting("expensive networks", nil) { $0.allowsExpensiveNetworkAccess = false },
            Setting("constrained networks", nil) { $0.allowsConstrainedNetworkAccess = false },
            Setting("ultra-constrained networks", nil) { $0.allowsUltraConstrainedNetworkAccess = true },
            Setting("Multipath TCP", nil) { $0.multipath = .handover },
            Setting("service type", nil) { $0.serviceType = .background },
        ]

        private func expectRefusal(_ setting: Setting) async throws {
            let server = try MockServer()
            let transport = URLSessionTransport(configuration: TransportConfiguration(setting.change))
            #expect(isUnsupported(try await transport.failure(server.url)) && server.connectionCount == 0)
            if let gap = setting.gap { #expect(transport.missingCapabilities[gap]?.isEmpty == false) }
        }

        @Test(arguments: everywhere) func settingIsUnsupportedOnAllPlatforms(setting: Setting) async throws {
            try await expectRefusal(setting)
        }

        #if !canImport(Security)
            @Test(arguments: linux) func settingIsUnsupportedOnLinux(setting: Setting) async throws {
                try await expectRefusal(setting)
            }

            @Test func sessionWithDelegateIsUnsupported() {
                final class Delegate: NSObject, URLSessionDelegate {}
                let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
                defer { session.invalidateAndCancel() }
                let error = #expect(throws: NetworkError.self) { try URLSessionTransport(session: session) }
                #expect(error?.code == "unsupported")
            }
        #endif

        @Test func connectTimeoutEqualToIdleTimeoutIsAccepted() async throws {
            let server = try MockServer { _ in .ok }
            let configuration = TransportConfiguration { ($0.timeouts.connect, $0.timeouts.idle) = (5, 5) }
            #expect(try await URLSessionTransport(configuration: configuration).fetch(server.url).status == 200)
        }

        @Test func sessionWithoutDelegateLendsItsConfiguration() async throws {
            let server = try MockServer()
            server.enqueue(MockResponse.ok.header("Set-Cookie", "a=1"), .ok.fault(.stall(.beforeResponse)))
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-Session": "mine"]
            configuration.timeoutIntervalForRequest = 0.3
            let transport = try URLSessionTransport(session: URLSession(configuration: configuration))
            let client = NetworkClient(transport: transport)
            _ = try await client.response(for: URLRequest(url: server.url))
            let error = try await failure { try await client.response(for: URLRequest(url: server.url)) }
            #expect(error.transportError?.code == .idleTimeout)
            #expect(server.requests.map { $0.headers["X-Session"] } == ["mine", "mine"])
            #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
        }
    }
}
