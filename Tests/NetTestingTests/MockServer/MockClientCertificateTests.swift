import NetWebSocket
import TestLab
import Testing

@testable import NetTesting

/// Mutual TLS: who gets in, and which certificate the server saw.
@Suite(.timeLimit(.minutes(5))) struct MockClientCertificateTests {
    private typealias Identity = TransportConfiguration.ClientCertificate

    /// Made once, with two clients.
    private static let made = Task {
        let certificate = try await MockCertificate.shared
        return (
            server: certificate, ada: try await certificate.makeClient(named: "Ada"),
            bob: try await certificate.makeClient(named: "bob@example.com")
        )
    }

    private static func client(_ identity: Identity?) async throws -> NetworkClient {
        var configuration = TransportConfiguration()
        configuration.proxy = .none
        configuration.certificateAuthorities = .only(pem: try await made.value.server.authority)
        configuration.clientCertificate = identity
        return NetworkClient(transport: .platform(configuration))
    }

    private static func server(
        _ policy: (Data) -> MockCertificate.ClientPolicy, _ versions: MockHTTPVersions = .http1Only
    ) async throws -> MockServer {
        let certificate = try await made.value.server
        return try MockServer(
            certificate: certificate, clientCertificates: policy(certificate.authority), httpVersions: versions
        ) { request in .text(request.clientCertificateSubject ?? "nobody") }
    }

    private func text(_ client: NetworkClient, _ server: MockServer, body: Int = 0) async throws -> String {
        var request = URLRequest(url: server.url("/x"))
        if body > 0 {
            request.httpMethod = "POST"
            request.httpBody = MockResponse.generatedBytes(count: body)
        }
        return String(decoding: try await client.data(for: request).data, as: UTF8.self)
    }

    private func expectRefusal(of client: NetworkClient, by server: MockServer, body: Int = 0) async throws {
        let failure = try await failure { try await text(client, server, body: body) }
        let code = (failure.underlyingError as? TransportError)?.code
        #expect(code == .clientCertificateRejected && server.requests.isEmpty, "\(failure)")
    }

    @Test(arguments: MockHTTPVersions.allCases)
    func requestHasItsClientCertificate(_ versions: MockHTTPVersions) async throws {
        let (_, ada, bob) = try await Self.made.value
        let server = try await Self.server({ .required(authority: $0) }, versions)
        let (first, second) = (try await Self.client(ada), try await Self.client(bob))
        for _ in 0..<2 {
            #expect(try await text(first, server) == "CN=Ada")
            #expect(try await text(second, server, body: 100_000) == "CN=bob@example.com")
        }
        let shown = server.requests.map(\.clientCertificate)
        #expect(shown[0] == shown[2] && shown[1] == shown[3] && shown[0] != shown[1])
        #expect(shown.allSatisfy { $0?.first == 0x30 }, "each is a sequence in DER")
        #expect(server.connectionCount == 2)
    }

    /// The alert arrives, although the client has already sent its request when a server of TLS 1.3 refuses.
    @Test(arguments: MockHTTPVersions.allCases)
    func refusesClientsWithoutACertificate(_ versions: MockHTTPVersions) async throws {
        let server = try await Self.server({ .required(authority: $0) }, versions)
        let client = try await Self.client(nil)
        for count in 0..<20 { try await expectRefusal(of: client, by: server, body: count * 50_000) }
        try await server.waitForOpenConnections()
    }

    @Test func refusesTheCertificateOfAnotherAuthority() async throws {
        let stranger = try await Tool.openssl.needed(by: MockCertificate.self).make().makeClient()
        for policy in [MockCertificate.ClientPolicy.requested(authority:), MockCertificate.ClientPolicy.required] {
            let server = try await Self.server(policy)
            try await expectRefusal(of: Self.client(stranger), by: server)
        }
    }

    @Test func servesClientsWithoutACertificateIfItIsOnlyRequested() async throws {
        let ada = try await Self.made.value.ada
        let asking = try await Self.server { .requested(authority: $0) }
        #expect(try await text(try await Self.client(nil), asking) == "nobody")
        #expect(try await text(try await Self.client(ada), asking) == "CN=Ada")
        let other = try await Self.server { _ in .notRequested }
        #expect(try await text(try await Self.client(ada), other) == "nobody")
    }

    /// A resumed session keeps the certificate, and needs a name in OpenSSL.
    @Test func servesResumedSessions() async throws {
        let server = try await Self.server { .required(authority: $0) }
        let client = try await Self.client(try await Self.made.value.ada)
        for _ in 0..<3 {
            #expect(try await text(client, server) == "CN=Ada")
            server.closeConnections()
            try await server.waitForOpenConnections()
        }
        #expect(Set(server.requests.map(\.connection)).count == 3)
    }

    @Test func worksForWebSockets() async throws {
        let server = try await Self.server { .required(authority: $0) }
        server.on("/echo", .webSocket())
        let socket = try await Self.client(try await Self.made.value.ada).webSocket(to: server.url("/echo"))
        try await socket.send(.text("hello"))
        #expect(try await socket.receive() == .text("hello"))
        await socket.close()
        #expect(server.requests.map(\.clientCertificateSubject) == ["CN=Ada"])
        let stranger = try await Self.client(nil)
        let failure = try await failure { try await stranger.webSocket(to: server.url("/echo")) }
        #expect((failure.underlyingError as? TransportError)?.code == .clientCertificateRejected)
        #expect(server.requestCount == 1)
    }

    @Test func refusesWhatCannotWork() async throws {
        let certificate = try await Self.made.value.server
        #expect(throws: NetTestingError.self, "no TLS") {
            try MockServer(clientCertificates: .required(authority: certificate.authority))
        }
        for authority in [Data(), Data("no PEM".utf8), certificate.privateKey] {
            #expect(throws: NetTestingError.self) {
                try MockServer(certificate: certificate, clientCertificates: .requested(authority: authority))
            }
        }
        for name in ["", "a\nCN=b", "a/CN=b", "a+b", "ä"] {
            await #expect(throws: NetTestingError.self, "\(name)") { try await certificate.makeClient(named: name) }
        }
        let own = MockCertificate(
            certificate: certificate.certificate, privateKey: certificate.privateKey,
            authority: certificate.authority)
        await #expect(throws: NetTestingError.self, "its authority's key is unknown") { try await own.makeClient() }
    }

    @Test func leavesNoFile() async throws {
        let directory = try TemporaryDirectory()
        let certificate = try await Self.made.value.server
        await #expect(throws: NetTestingError.self, "no key") {
            try await CertificateMaker.makeClient(
                named: "a", password: "b", authority: certificate.authority, authorityKey: Data(), in: directory.url
            )
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
    }
}
