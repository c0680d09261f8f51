import NetCore
import Network
import Security
import Testing

@testable import NetTransport

/// What only Apple's `URLSessionConfiguration` has.
@Suite struct AppleMappingTests {
    private func map(_ change: (URLSessionConfiguration) -> Void) throws -> TransportConfiguration {
        let session = URLSessionConfiguration.default
        change(session)
        return try TransportConfiguration(mapping: session)
    }

    private func session(for configuration: TransportConfiguration) -> URLSessionConfiguration {
        let session = URLSessionConfiguration.ephemeral
        URLSessionPlatform.apply(configuration, to: session)
        return session
    }

    private func expectRefusal(_ property: String, _ change: (URLSessionConfiguration) -> Void) {
        let error = #expect(throws: NetworkError.self) { try map(change) }
        guard case .unsupported(let text)? = error else {
            Issue.record("\(property): \(String(describing: error))")
            return
        }
        #expect(text.contains("URLSessionConfiguration.\(property) "))
    }

    @Test func expensiveNetworkAccessIsMapped() throws {
        let configuration = try map {
            $0.allowsExpensiveNetworkAccess = false
            $0.allowsConstrainedNetworkAccess = false
        }
        #expect(!configuration.allowsExpensiveNetworkAccess && !configuration.allowsConstrainedNetworkAccess)
    }

    @Test func constrainedNetworkAccessIsMapped() throws {
        guard #available(iOS 26.1, macOS 26.1, tvOS 26.1, watchOS 26.1, visionOS 26.1, *) else { return }
        let usual = URLSessionConfiguration.default.allowsUltraConstrainedNetworkAccess
        let untouched = TransportConfiguration()
        #expect(try map { _ in }.allowsUltraConstrainedNetworkAccess == nil)
        #expect(session(for: untouched).allowsUltraConstrainedNetworkAccess == usual)
        let configuration = try map { $0.allowsUltraConstrainedNetworkAccess = !usual }
        #expect(configuration.allowsUltraConstrainedNetworkAccess == !usual)
        #expect(session(for: configuration).allowsUltraConstrainedNetworkAccess == !usual)
    }

    @Test(arguments: TransportConfiguration.Multipath.allCases)
    func multipathServiceTypeIsMapped(_ multipath: TransportConfiguration.Multipath) throws {
        let configuration = try map { $0.multipathServiceType = multipath.system }
        #expect(configuration.multipath == multipath)
        let session = self.session(for: configuration)
        #expect(session.multipathServiceType == multipath.system)
        #expect((session.multipathServiceType == .none) == (multipath == .none))
    }

    @Test func serviceTypeIsMapped() {
        var configuration = TransportConfiguration()
        configuration.serviceType = .background
        #expect(session(for: configuration).networkServiceType == .background)
    }

    @Test func tlsVersionsAreMapped() throws {
        let versions: [(tls_protocol_version_t, NetCore.TransportConfiguration.TLSVersion)] = [
            (.TLSv11, .v1_1), (.TLSv12, .v1_2), (.TLSv13, .v1_3),
        ]
        for (version, expected) in versions {
            let configuration = try map { $0.tlsMinimumSupportedProtocolVersion = version }
            #expect(configuration.minimumTLSVersion == expected)
            let session = self.session(for: configuration)
            #expect(session.tlsMinimumSupportedProtocolVersion == version)
        }
    }

    @Test func unsupportedSettingsAreRefused() {
        expectRefusal("tlsMinimumSupportedProtocolVersion") { $0.tlsMinimumSupportedProtocolVersion = .DTLSv12 }
        expectRefusal("tlsMaximumSupportedProtocolVersion") { $0.tlsMaximumSupportedProtocolVersion = .TLSv12 }
        expectRefusal("waitsForConnectivity") { $0.waitsForConnectivity = true }
        expectRefusal("sessionSendsLaunchEvents") { $0.sessionSendsLaunchEvents.toggle() }
        if #available(iOS 16.1, macOS 13, tvOS 16.1, watchOS 9.1, visionOS 1, *) {
            expectRefusal("requiresDNSSECValidation") { $0.requiresDNSSECValidation = true }
        }
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) {
            expectRefusal("proxyConfigurations") { $0.proxyConfigurations = [.init(socksv5Proxy: proxyEndpoint)] }
        }
    }

    private let proxyEndpoint = NWEndpoint.hostPort(host: NWEndpoint.Host("p.example"), port: 1080)

    @Test func httpAndSOCKSProxiesAreMapped() throws {
        var configuration = TransportConfiguration()
        configuration.proxy = .socks5(
            host: "p.example", port: 1080, username: "leia", password: "alderaan", exceptions: [".a.example"])
        let socks = try #require(session(for: configuration).proxyConfigurations.first)
        #expect(socks.url == "socks5h://p.example:1080" && socks.excludedDomains == ["a.example"])
        #expect(socks.login?.user == "leia" && socks.login?.password == "alderaan")
        configuration.proxy = .https(host: "::1", port: 443)
        let secure = try #require(session(for: configuration).proxyConfigurations.first)
        #expect(secure.url == "https://[::1]:443" && secure.login == nil)
        for proxy: NetCore.TransportConfiguration.Proxy in [
            .socks5(host: "p", port: 1, resolvesNamesLocally: true),
            .socks5(host: "p", port: 1, exceptions: ["10.0.0.0/8"]),
            .socks5(host: "p", port: 70_000), .https(host: "p", port: 1, exceptions: ["a:80"]),
            .https(host: "p", port: 1, certificateAuthorities: .only(pem: Data())),
        ] {
            configuration.proxy = proxy
            #expect(URLSessionPlatform.refusal(of: configuration) != nil, "\(proxy)")
        }
    }
}
