import NetClient
import NetCore
import Security
import TestLab
import Testing

/// PKCS#12, the one form that Apple's systems take: the shared suite has PEM.
@Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct ClientCertificateTests {
    @Test func pkcs12IdentityIsSent() async throws {
        let server = try await NginxServer()
        let certificates = try await TestCertificates.shared
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .only(pem: try certificates.ca.pem)
        configuration.clientCertificate = .pkcs12(
            try Data(contentsOf: certificates.clientPKCS12), password: certificates.clientPKCS12Password)
        let transport = URLSessionTransport(configuration: configuration)
        let request = URLRequest(url: server.mutualTLSURL.appendingPathComponent("small"))
        let response = try await transport.send(request, body: nil, context: RequestContext())
        #expect(response.status == 200)
        #expect(try !FakeImports.isInKeychain(Data(contentsOf: certificates.clientPKCS12)))
        configuration.clientCertificateHosts = ["other.example"]
        let elsewhere = try await URLSessionTransport(configuration: configuration)
            .send(request, body: nil, context: RequestContext())
        #expect(elsewhere.status == 400, "It belongs to another host.")
        configuration.clientCertificate = nil
        let refused = try await URLSessionTransport(configuration: configuration)
            .send(request, body: nil, context: RequestContext())
        #expect(refused.status == 400)
    }
}
