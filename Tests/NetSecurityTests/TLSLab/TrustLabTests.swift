import NetClient
import TestLab
import Testing

@testable import NetSecurity

/// Every case over real TLS. Where a server is refused, its log shows that nothing was asked of it.
@Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy)) struct TrustLabTests {
    #if os(Linux)
        @Test(arguments: TrustCase.all) func curlTransport(_ trustCase: TrustCase) async throws {
            let (server, url, mark, configuration) = try await prepare(trustCase)
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

        @Test func urlSessionTransportRefusesAPolicy() async throws {
            for trustCase in TrustCase.all {
                let (server, url, mark, configuration) = try await prepare(trustCase)
                var only = TransportConfiguration()
                only.trustPolicy = configuration.trustPolicy
                for refused in [configuration, only] {
                    let transport = URLSessionTransport(configuration: refused)
                    await #expect(
                        performing: {
                            try await transport.send(URLRequest(url: url), body: nil, context: RequestContext())
                        }, throws: { if case .unsupported? = $0 as? NetworkError { true } else { false } })
                    await transport.shutdown()
                }
                #expect(try await !server.hasSeen(mark))
            }
        }
    #endif

    @Test func everyServerHasACase() {
        for server in TrustLab.Server.allCases { #expect(TrustCase.all.contains { $0.server == server }) }
        #expect(TrustCase.all.count > 40)
    }

    private func prepare(
        _ trustCase: TrustCase
    ) async throws -> (server: NginxServer, url: URL, mark: String, configuration: TransportConfiguration) {
        let server = try await TrustLab.shared.server(trustCase.server)
        let port = try #require(server.url(trustCase.port).port)
        let material = TrustCase.Material(
            all: try await PinningCertificates.shared, clients: try await TestCertificates.shared,
            proxyPort: try #require(try await TrustLab.shared.proxy.url.port), port: port)
        let configuration = try trustCase.configuration(material)
        let (host, mark) = (configuration.resolveOverrides.first?.host ?? "localhost", UUID().uuidString)
        return (server, try #require(URL(string: "https://\(host):\(port)/small?\(mark)")), mark, configuration)
    }

    private static func verdict(_ error: any Error) -> TrustCase.Verdict? {
        if let error = error as? TransportError { return .failed(error.code) }
        let failure = error as? NetworkFailure
        let isMismatch = failure?.underlyingError is PinningPolicy.Mismatch
        return failure?.code == "pinning_failed" && isMismatch ? .pinningFailed : nil
    }
}
