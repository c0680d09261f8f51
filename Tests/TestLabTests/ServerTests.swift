import NetCore
import Testing

@testable import TestLab

/// What could be wrong unnoticed. Every check goes through the `curl` command, so that nothing of ours can be wrong on both sides.
@Suite(.requires(.nginx, .curl)) struct NginxServerTests {
    /// Runs curl, which writes the head and the body of the response.
    private func curl(_ url: String, _ options: String...) async throws -> ProcessResult {
        let certificates = try await TestCertificates.shared
        return try await ProcessRunner.run(
            "curl", ["--silent", "--show-error", "--include", "--cacert", certificates.ca.url.path] + options + [url])
    }

    /// The bytes behind the head.
    private func body(of response: ProcessResult) throws -> Data {
        let head = try #require(response.output.range(of: Data("\r\n\r\n".utf8)))
        return response.output[head.upperBound...]
    }

    /// The codes are curl's: 60 is "the certificate cannot be trusted", also for a name that does not match.
    @Test(
        arguments: zip(
            NginxServer.Certificate.allCases, [nil, "unable to get local issuer", "expired", "subject name"]))
    func showsTheChosenCertificate(_ certificate: NginxServer.Certificate, complaint: String?) async throws {
        let server = try await NginxServer(certificate: certificate)
        for url in [server.httpsURL, server.http2URL] {
            let response = try await curl("\(url)/small")
            if let complaint {
                #expect(response.termination == .exited(60))
                #expect(response.errorText.contains(complaint), "\(response.errorText)")
            } else {
                #expect(response.termination == .exited(0))
            }
        }
    }

    @Test func speaksTheChosenTLSVersionsOnly() async throws {
        let old = try await NginxServer(tlsVersions: [.v1_1])
        #expect(try await curl("\(old.httpsURL)/small").termination != .exited(0))
        let echo = try await curl("\(old.httpsURL)/echo", "--tlsv1.0", "--ciphers", "DEFAULT:@SECLEVEL=0")
        #expect(NginxServer.echoed(try body(of: echo))["tls-version"] == "TLSv1.1")
        let new = try await NginxServer(tlsVersions: [.v1_3])
        #expect(try await curl("\(new.httpsURL)/small", "--tls-max", "1.2").termination != .exited(0))
        #expect(try await curl("\(new.httpsURL)/small").termination == .exited(0))
    }

    @Test func verifiesClients() async throws {
        let server = try await NginxServer()
        let certificates = try await TestCertificates.shared
        let echo = "\(server.mutualTLSURL)/echo"
        #expect(try await curl(echo).text.hasPrefix("HTTP/1.1 400"))
        let stranger = certificates.otherClient
        let refused = try await curl(echo, "--cert", stranger.certificate.url.path, "--key", stranger.keyURL.path)
        #expect(refused.text.hasPrefix("HTTP/1.1 400"))
        let bundle = "\(certificates.clientPKCS12.path):\(certificates.clientPKCS12Password)"
        let allowed = try await curl(echo, "--cert-type", "P12", "--cert", bundle)
        #expect(NginxServer.echoed(try body(of: allowed))["client-verification"] == "SUCCESS")
        #expect(NginxServer.echoed(try body(of: allowed))["client-subject"] == "CN=Test Client")
    }

    private func configuration(_ versions: Set<NginxServer.TLSVersion>) async throws -> NginxConfiguration {
        let certificates = try await TestCertificates.shared
        return NginxConfiguration(
            identity: certificates.server, clientAuthority: certificates.ca, tlsVersions: versions)
    }

    @Test func triesOtherPortsIfOneIsTaken() async throws {
        let taken = try LoopbackSocket.bind(port: 0, family: .v4)
        defer { close(taken.descriptor) }
        listen(taken.descriptor, 1)
        var attempts = 0
        let server = try await NginxServer(configuration([.v1_3])) {
            attempts += 1
            return attempts == 1 ? try freePorts(4) + [taken.port] : try freePorts(5)
        }
        #expect(attempts > 1 && server.mutualTLSURL.port != Int(taken.port))
        #expect(try await curl("\(server.httpsURL)/small").termination == .exited(0))
    }

    @Test func saysWhyItDidNotStart() async throws {
        let configuration = try await configuration([])
        let error = await #expect(throws: LabError.self) { try await NginxServer(configuration) { try freePorts(5) } }
        #expect(error?.description.contains("ssl_protocols") == true, "\(String(describing: error))")
    }
}
