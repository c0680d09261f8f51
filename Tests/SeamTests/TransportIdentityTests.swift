import NetTesting
import Networking
import TestLab
import Testing

/// What selects another server or user behind the same URL keeps responses apart (rule 7). Sockets are in ``CombinationTests``.
@Suite struct TransportIdentityTests {
    enum Change: String, CaseIterable, Sendable {
        case none, timeouts, trustPolicy, resolveOverrides, proxy, proxyUser, socks, certificateAuthorities,
            clientCertificate
        case developmentServers
        #if os(Linux) && !canImport(Darwin)
            case resolver, dnsOverHTTPS, addressFamily, localAddress
        #endif

        var keepsApart: Bool { ![.none, .timeouts, .trustPolicy].contains(self) }
    }

    @Test(arguments: Change.allCases)
    func transportConfigurationKeepsCachedResponsesApart(change: Change) async throws {
        let server = try MockServer { _ in MockResponse.text("x").header("Cache-Control", "max-age=600") }
        let cache = ResponseCache()
        for isChanged in [false, true] {
            var settings = TransportConfiguration()
            settings.resolveOverrides = [.init(host: "seam.test", port: server.port, addresses: ["127.0.0.1"])]
            if isChanged { apply(change, to: &settings, server) }
            let client = NetworkClient(cache: cache, transport: PlatformTransport(configuration: settings))
            let url = try #require(URL(string: "http://seam.test:\(server.port)/x"))
            _ = try await client.data(for: URLRequest(url: url))
        }
        #expect(server.requests.count == (change.keepsApart ? 2 : 1))
    }

    @Test func identitiesDifferAndTheDefaultHasNone() {
        func identity(_ change: (inout TransportConfiguration) -> Void) -> String? {
            var settings = TransportConfiguration()
            change(&settings)
            return settings.identity
        }
        let all = [
            identity { _ in }, identity { $0.unixSocketPath = "/a" }, identity { $0.unixSocketPath = "/b" },
            identity { $0.clientCertificate = .pkcs12(Data("ada".utf8), password: nil) },
            identity { $0.clientCertificate = .pkcs12(Data("bob".utf8), password: nil) },
            identity { $0.proxy = .http(host: "p", port: 1) },
            identity { $0.certificateAuthorities = .only(pem: Data("x".utf8)) },
            identity { $0.resolveOverrides = [.init(host: "a", port: 1, addresses: ["127.0.0.1"])] },
        ]
        #expect(Set(all).count == all.count && all[0] == nil && identity { $0.timeouts.idle = 1 } == nil)
    }

    #if os(Linux)
        @Test func cachedResponsesBelongToTheirSocket() async throws {
            let folder = try TemporaryDirectory()
            // They differ by case alone, which a host does not.
            let servers = try ["a.sock", "A.sock"].map { name in
                let path = folder.file(name).path
                let server = try MockServer(unixSocketPath: path) { _ in
                    .text(name).header("Cache-Control", "max-age=600")
                }
                return (name, server, "http+unix://\(PercentEncoding.encode(path))/v1/info")
            }
            let networking = Networking(client: NetworkClient(cache: ResponseCache(), resilience: .recommended))
            for _ in 0..<2 {
                for (name, _, address) in servers {
                    let text: String = try await networking.request(url: #require(URL(string: address)))
                    #expect(text == name)
                }
            }
            for (_, server, _) in servers { #expect(server.requests.count == 1) }
        }
    #endif

    private func apply(_ change: Change, to settings: inout TransportConfiguration, _ server: MockServer) {
        switch change {
        case .none: break
        case .timeouts: settings.timeouts.idle = 1
        case .trustPolicy: settings.trustPolicy = AnyServer()
        case .resolveOverrides: settings.resolveOverrides += settings.resolveOverrides
        case .proxy: settings.proxy = .http(host: "127.0.0.1", port: server.port)
        case .proxyUser: settings.proxy = .http(host: "127.0.0.1", port: server.port, username: "leia", password: "x")
        // Bypassed, so that the requests reach the server.
        case .socks: settings.proxy = .socks5(host: "127.0.0.1", port: 1, exceptions: ["seam.test"])
        case .developmentServers: settings.developmentServers = .selfSigned(allowsReleaseBuilds: true)
        case .certificateAuthorities: settings.certificateAuthorities = .only(pem: Data(Self.certificate.utf8))
        #if os(Linux) && !canImport(Darwin)
            // Not asked: the override wins.
            case .resolver: settings.resolver = .init(name: "other") { _, _ in [] }
            case .dnsOverHTTPS: settings.dnsOverHTTPS = URL(string: "https://127.0.0.1:1/")
            case .addressFamily: settings.addressFamily = .ipv4Only
            case .localAddress: settings.localAddress = "127.0.0.1"
        #endif
        case .clientCertificate:
            settings.clientCertificate = .pem(certificate: Data(Self.certificate.utf8), key: Data(), password: nil)
        }
    }

    /// Never used: the URLs are plain http.
    private static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
}

private struct AnyServer: ServerTrustPolicy { func evaluate(_ chain: CertificateChain, host: String) throws {} }
