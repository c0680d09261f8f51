import NetClient
import TestLab
import Testing

@testable import NetSecurity

/// Servers of every kind that a client may meet, and those who would like to be one of them. Each is started when it is first asked for,
/// and shared by all tests of this process.
actor TrustLab {
    enum Server: CaseIterable {
        /// With its intermediate authority, as it should be.
        case good
        /// Another one of the same authority.
        case sibling
        case rsa, weakKey, expired, notYetValid, wrongHost, selfSigned
        /// An authority with the name of the real one signed it.
        case otherAuthoritySameName
        /// The same, and it sends the certificates of the real server along.
        case otherAuthorityWithStolenChain
        /// It is signed by a server's key, whose real certificates it sends along.
        case signedByAServer
        case missingIntermediate, onlyTLS1_1, onlyTLS1_2
    }

    enum Port { case http1, http2, clientCertificate }

    static let shared = TrustLab()

    private var servers: [Server: Task<NginxServer, any Error>] = [:]
    private var proxying: Task<ProxyServer, any Error>?

    func server(_ kind: Server) async throws -> NginxServer {
        let task = servers[kind] ?? Task { try await Self.start(kind) }
        servers[kind] = task
        return try await task.value
    }

    var proxy: ProxyServer {
        get async throws {
            let task = proxying ?? Task { try await ProxyServer() }
            proxying = task
            return try await task.value
        }
    }

    private static func start(_ kind: Server) async throws -> NginxServer {
        let all = try await PinningCertificates.shared
        let chain = [all.intermediate]
        return switch kind {
        case .good: try await NginxServer(all.server, chain: chain)
        case .sibling: try await NginxServer(all.sibling, chain: chain)
        case .rsa: try await NginxServer(all.rsa, chain: chain)
        case .weakKey: try await NginxServer(all.weak, chain: chain, isStrict: false)
        case .expired: try await NginxServer(all.expired, chain: chain)
        case .notYetValid: try await NginxServer(all.notYetValid, chain: chain)
        case .wrongHost: try await NginxServer(all.wrongHost, chain: chain)
        case .selfSigned: try await NginxServer(all.selfSigned)
        case .otherAuthoritySameName: try await NginxServer(all.forged)
        case .otherAuthorityWithStolenChain:
            try await NginxServer(all.forged, chain: [all.intermediate, all.server.certificate, all.root])
        case .signedByAServer: try await NginxServer(all.usurped, chain: [all.sibling.certificate, all.intermediate])
        case .missingIntermediate: try await NginxServer(all.server)
        case .onlyTLS1_1: try await NginxServer(all.server, chain: chain, tlsVersions: [.v1_1])
        case .onlyTLS1_2: try await NginxServer(all.server, chain: chain, tlsVersions: [.v1_2])
        }
    }
}

extension NginxServer {
    func url(_ port: TrustLab.Port) -> URL {
        switch port {
        case .http1: httpsURL
        case .http2: http2URL
        case .clientCertificate: mutualTLSURL
        }
    }

    /// Whether a request with that mark has come. What came before this call is in the log when it returns.
    func hasSeen(_ mark: String) async throws -> Bool {
        let barrier = UUID().uuidString
        guard let url = URL(string: "\(httpURL)/small?\(barrier)") else { throw LabError("No URL") }
        _ = try await PlatformTransport().send(URLRequest(url: url), body: nil, context: RequestContext())
        _ = try await accessLog(containing: barrier)
        return accessLog.contains { $0.contains(mark) }
    }
}

/// Every case over real TLS. Where a server is refused, its log shows that nothing was asked of it.
@Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy)) struct TrustLabTests {
    #if os(Linux)
        @Test(arguments: TrustCase.all) func curlTransport(_ trustCase: TrustCase) async throws {
            let server = try await TrustLab.shared.server(trustCase.server)
            let port = try #require(server.url(trustCase.port).port)
            let material = TrustCase.Material(
                all: try await PinningCertificates.shared, clients: try await TestCertificates.shared,
                proxyPort: try #require(try await TrustLab.shared.proxy.url.port), port: port)
            let configuration = try trustCase.configuration(material)
            let (host, mark) = (configuration.resolveOverrides.first?.host ?? "localhost", UUID().uuidString)
            let url = try #require(URL(string: "https://\(host):\(port)/small?\(mark)"))
            let transport = CurlTransport(configuration: configuration)
            for method in ["GET", "POST"] {
                var request = URLRequest(url: url)
                request.httpMethod = method
                let body = method == "POST" ? HTTPBody("secret") : nil
                do {
                    let response = try await transport.send(request, body: body, context: RequestContext())
                    // nginx takes no POST for a file.
                    let expected =
                        trustCase.verdict == .status(200) && method == "POST" ? .status(405) : trustCase.verdict
                    #expect(.status(response.status) == expected)
                } catch { #expect(Self.verdict(error) == trustCase.verdict, "\(error)") }
            }
            await transport.shutdown()
            let isAnswered = if case .status = trustCase.verdict { true } else { false }
            #expect(try await server.hasSeen(mark) == isAnswered)
        }
    #endif

    @Test func everyServerHasACase() {
        for server in TrustLab.Server.allCases { #expect(TrustCase.all.contains { $0.server == server }) }
        #expect(TrustCase.all.count > 40)
    }

    private static func verdict(_ error: any Error) -> TrustCase.Verdict? {
        if let error = error as? TransportError { return .failed(error.code) }
        let failure = error as? NetworkFailure
        let isMismatch = failure?.underlyingError is PinningPolicy.Mismatch
        return failure?.code == "pinning_failed" && isMismatch ? .pinningFailed : nil
    }
}
