import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetTransport

extension URLSessionSuites {
    /// What cannot be done is refused before anything is sent, and declared.
    struct URLSessionRefusalTests {
        struct AnyPolicy: ServerTrustPolicy {
            func evaluate(_ chain: CertificateChain, host: String) throws {}
        }

        typealias Setting = (
            name: String, gap: TransportConfiguration.Capability?,
            change: @Sendable (inout TransportConfiguration) -> Void
        )

        static let settings: [Setting] = {
            #if canImport(Security)
                everywhere
            #else
                everywhere + linux
            #endif
        }()

        private static let everywhere: [Setting] = [
            ("Unix socket", .unixSocket, { $0.unixSocketPath = "/tmp/none" }),
            ("override", .resolveOverride, { $0.resolveOverrides = [.init(host: "a", port: 1, addresses: [])] }),
            ("resolver", .resolver, { $0.resolver = .init(name: "none") { _, _ in [] } }),
            ("DNS over HTTPS", .dnsOverHTTPS, { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1/") }),
            ("address family", .addressFamily, { $0.addressFamily = .ipv6Only }),
            ("local address", .localAddress, { $0.localAddress = "127.0.0.2" }),
            ("HTTP/2 by prior knowledge", .http2PriorKnowledge, { $0.httpVersions = .http2PriorKnowledge }),
            ("HTTP/3", .http3, { $0.httpVersions = .http3Only }),
            ("address policy", .addressPolicy, { $0.addressPolicy = .publicOnly }),
            ("connect timeout", .connectTimeout, { $0.timeouts.connect = 5 }),
            ("no decoding", .decompression, { $0.decodesContent = false }),
            ("HTTP/1.1 only", nil, { $0.httpVersions = .http1Only }),
            ("idle connections", nil, { $0.limits.idleConnections = 1 }),
            (
                "PEM client certificate", .clientCertificate,
                { $0.clientCertificate = .pem(certificate: Data(), key: Data(), password: nil) }
            ),
        ]

        private static let linux: [Setting] = [
            ("trust policy", .serverTrust, { $0.trustPolicy = AnyPolicy() }),
            ("own authority", .customAuthority, { $0.certificateAuthorities = .only(pem: Data("x".utf8)) }),
            ("PKCS#12 identity", .clientCertificate, { $0.clientCertificate = .pkcs12(Data(), password: nil) }),
            ("HTTP/3 preferred", .http3, { $0.httpVersions = .http3Preferred }),
            ("TLS 1.3", .minimumTLS, { $0.minimumTLSVersion = .v1_3 }),
            ("TLS 1.0", .minimumTLS, { $0.minimumTLSVersion = .v1_0 }),
            ("proxy", .proxy, { $0.proxy = .http(host: "127.0.0.1", port: 1) }),
            ("expensive networks", nil, { $0.allowsExpensiveNetworkAccess = false }),
            ("constrained networks", nil, { $0.allowsConstrainedNetworkAccess = false }),
            ("ultra-constrained networks", nil, { $0.allowsUltraConstrainedNetworkAccess = true }),
            ("Multipath TCP", nil, { $0.multipath = .handover }),
            ("service type", nil, { $0.serviceType = .background }),
        ]

        @Test(arguments: settings.indices) func settingIsUnsupported(_ index: Int) async throws {
            let (entry, server) = (Self.settings[index], try MockServer())
            let transport = URLSessionTransport(configuration: TransportConfiguration(entry.change))
            let error = try await transport.failure(server.url)
            #expect(isUnsupported(error) && server.connectionCount == 0, "\(entry.name): \(error)")
            if let gap = entry.gap { #expect(transport.missingCapabilities[gap]?.isEmpty == false, "\(entry.name)") }
        }

        #if !canImport(Security)
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
            try await withLimits { limit in
                let server = try MockServer()
                server.enqueue(MockResponse.ok.header("Set-Cookie", "a=1"), .ok.fault(.stall(.beforeResponse)))
                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpAdditionalHeaders = ["X-Session": "mine"]
                configuration.timeoutIntervalForRequest = limit
                let client = NetworkClient(
                    transport: try URLSessionTransport(session: URLSession(configuration: configuration)))
                _ = try await client.response(for: URLRequest(url: server.url))
                let error = try await failure { try await client.response(for: URLRequest(url: server.url)) }
                #expect(error.transportError?.code == .idleTimeout)
                let requests = server.requests
                return requests.map { $0.headers["X-Session"] } == ["mine", "mine"]
                    && requests.map { $0.headers["Cookie"] } == [nil, "a=1"]
            }
        }
    }
}
