import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

#if os(Linux)
    /// A client certificate belongs to the hosts that are named, or to the origin of the base URL or of the call.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct ClientCertificateScopeTests {
        private let server: NginxServer
        private let configuration: TransportConfiguration
        /// Redirects to the server that asks for the certificate, from another origin.
        private let start: MockServer
        private let target: URL

        init() async throws {
            server = try await NginxServer()
            target = server.mutualTLSURL.appendingPathComponent("small")
            start = try MockServer { [target] _ in .redirect(to: target.absoluteString) }
            let certificates = try await TestCertificates.shared
            var configuration = TransportConfiguration()
            configuration.certificateAuthorities = .only(pem: try certificates.ca.pem)
            configuration.clientCertificate = .pem(
                certificate: try certificates.client.certificate.pem, key: try certificates.client.keyPEM, password: nil
            )
            self.configuration = configuration
        }

        /// nginx answers 400 where no certificate is shown.
        private func status(
            _ url: URL, hosts: Set<String>? = nil, base: URL? = nil, client given: NetworkClient? = nil
        ) async throws -> Int {
            var configuration = configuration
            configuration.clientCertificateHosts = hosts
            let client = NetworkClient(transport: .platform(configuration)).with { $0.baseURL = base }
            return try await (given ?? client).send(URLRequest(url: url)).status
        }

        @Test func certificateBelongsToTheBaseURL() async throws {
            #expect(try await (status(target, base: target), status(start.url("/"), base: target)) == (200, 200))
            let other = try #require(URL(string: "https://api.example.com"))
            #expect(try await status(target, base: other) == 400)
        }

        @Test func certificateIsShownToTheNamedHosts() async throws {
            let host = try #require(target.host)
            let withPort = "\(host.uppercased()):\(try #require(target.port))"
            #expect(try await status(target, hosts: [host]) == 200)
            #expect(try await status(start.url("/"), hosts: [withPort]) == 200, "after a redirect")
            #expect(try await status(start.url("/"), hosts: [host]) == 400, "the port is another than the usual one")
            #expect(try await status(target, hosts: [withPort]) == 200)
            for others in [[], ["other.example"], ["\(host):1"], ["a.\(host)"]] as [Set<String>] {
                #expect(try await status(target, hosts: others) == 400, "\(others)")
            }
        }

        /// A connection on which it was shown serves no request that may not show it, as after a redirect to another origin.
        @Test func certificateBelongsToTheOriginOfTheCall() async throws {
            let client = NetworkClient(transport: .platform(configuration))
            for _ in 0..<3 {
                #expect(try await status(target, client: client) == 200)
                #expect(try await status(start.url("/"), client: client) == 400)
            }
        }
    }
#endif
