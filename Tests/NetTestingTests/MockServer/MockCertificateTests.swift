import NetClient
import TestLab
import Testing

@testable import NetTesting

/// TLS, with a certificate that was made for this run.
struct MockCertificateTests {
    private func transport(_ certificate: MockCertificate) -> PlatformTransport {
        var configuration = TransportConfiguration()
        configuration.proxy = .none
        configuration.certificateAuthorities = .only(pem: certificate.authority)
        return PlatformTransport(configuration: configuration)
    }

    @Test func servesWhoTrustsItsAuthority() async throws {
        let certificate = try await MockCertificate.shared
        let server = try MockServer(certificate: certificate) { .text($0.bodyText + "!") }
        #expect(server.url.scheme == "https")
        let client = NetworkClient(transport: transport(certificate))
        for host in ["127.0.0.1", "localhost"] {
            var request = URLRequest(url: try #require(URL(string: "https://\(host):\(server.port)/x")))
            request.httpMethod = "POST"
            request.httpBody = Data(host.utf8)
            #expect(try await client.data(for: request).data == Data("\(host)!".utf8))
        }
        #expect(server.protocolErrors.isEmpty)
    }

    @Test func isRefusedByWhoDoesNot() async throws {
        let server = try MockServer(certificate: try await MockCertificate.shared) {
            _ in .text("secret")
        }
        let stranger = try await Tool.openssl.needed(by: MockCertificate.self).make()
        let client = NetworkClient(transport: transport(stranger))
        let error = try await failure { try await client.data(for: URLRequest(url: server.url)) }
        #expect((error.underlyingError as? TransportError)?.code == .certificateUntrusted, "\(error)")
        #expect(server.requests.isEmpty)
        try await server.waitForOpenConnections()
    }

    @Test func carriesMuchBothWaysAndKeepsConnections() async throws {
        let certificate = try await MockCertificate.shared
        let server = try MockServer(certificate: certificate) { .data($0.body) }
        let client = NetworkClient(transport: transport(certificate))
        let content = MockResponse.generatedBytes(count: 5_000_000)
        for _ in 0..<3 {
            var request = URLRequest(url: server.url)
            request.httpMethod = "POST"
            request.httpBody = content
            #expect(try await client.data(for: request).data == content)
        }
        #expect(server.connectionCount == 1)
    }

    /// Over TLS too, an end in order is told from one that is not.
    @Test(arguments: [
        MockFault.close(.onAccept), .reset(.onAccept), .close(.beforeResponse), .reset(.beforeResponse),
        .close(.inBody), .reset(.inBody), .truncatedBody,
    ]) func strikesWithFaults(_ fault: MockFault) async throws {
        let certificate = try await MockCertificate.shared
        let server = try MockServer(certificate: certificate)
        server.enqueue(MockResponse.bytes(count: 100_000).fault(fault))
        let client = NetworkClient(transport: transport(certificate))
        await #expect(throws: NetworkFailure.self, "\(fault)") {
            try await client.data(for: URLRequest(url: server.url))
        }
        // And then it goes on.
        server.enqueue(.text("fine"))
        #expect(try await client.data(for: URLRequest(url: server.url)).data == Data("fine".utf8))
        await server.stop()
    }

    /// A client that knows the root alone finds the way through the intermediate certificate.
    @Test func sendsIntermediateCertificates() async throws {
        let lab = try await Tool.openssl.needed(by: PinningCertificates.self).shared
        let leaf = try Data(contentsOf: lab.server.certificate.url)
        let certificate = MockCertificate(
            certificate: try leaf + Data(contentsOf: lab.intermediate.url),
            privateKey: try Data(contentsOf: lab.server.keyURL), authority: try Data(contentsOf: lab.root.url))
        let server = try MockServer(certificate: certificate) { _ in .text("trusted") }
        let client = NetworkClient(transport: transport(certificate))
        #expect(try await client.data(for: URLRequest(url: server.url)).data == Data("trusted".utf8))
        await server.stop()
    }

    @Test func refusesNamesThatAreNone() async throws {
        for name in ["", "a\nCN=b", "a b", "ä"] {
            await #expect(throws: NetTestingError.self, "\(name)") { try await MockCertificate.make(names: [name]) }
        }
    }

    @Test func refusesACertificateWithAnotherKey() async throws {
        let (one, other) = (
            try await MockCertificate.shared,
            try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["x.example"])
        )
        for (certificate, key) in [
            (one.certificate, other.privateKey), (Data("no PEM".utf8), one.privateKey), (one.certificate, Data()),
        ] {
            let mixed = MockCertificate(certificate: certificate, privateKey: key, authority: one.authority)
            #expect(throws: NetTestingError.self) { try MockServer(certificate: mixed) }
        }
    }

    @Test func leavesNoFile() async throws {
        let directory = try TemporaryDirectory()
        let certificate = try await Tool.openssl.needed(by: CertificateMaker.self).make(
            names: ["localhost"], in: directory.url)
        // A sequence (ITU-T X.690), as every certificate is.
        #expect(certificate.der.first == 0x30)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
    }
}
