import NetCore
import TestLab
import Testing

@Suite(.requires(.openssl)) struct TestCertificatesTests {
    /// `openssl verify` for a TLS server of that name, or a client if there is none.
    private func verify(_ certificate: TestCertificate, by ca: TestCertificate, host: String?) async throws -> String {
        let purpose = host.map { ["-purpose", "sslserver", "-verify_hostname", $0] } ?? ["-purpose", "sslclient"]
        let result = try await ProcessRunner.run(
            "openssl", ["verify", "-CAfile", ca.url.path] + purpose + [certificate.url.path])
        return result.termination == .exited(0) ? "valid" : result.text + result.errorText
    }

    @Test func onlyTheGoodOneIsGood() async throws {
        let all = try await TestCertificates.shared
        #expect(try await verify(all.server.certificate, by: all.ca, host: "localhost") == "valid")
        #expect(try await verify(all.otherServer.certificate, by: all.otherCA, host: "localhost") == "valid")
        #expect(
            try await verify(all.otherServer.certificate, by: all.ca, host: "localhost").contains(
                "unable to get local issuer"))
        #expect(try await verify(all.expiredServer.certificate, by: all.ca, host: "localhost").contains("has expired"))
        #expect(
            try await verify(all.wrongHostServer.certificate, by: all.ca, host: "localhost").lowercased()
                .contains("hostname mismatch"))
        #expect(try await verify(all.client.certificate, by: all.ca, host: nil) == "valid")
        #expect(try await verify(all.otherClient.certificate, by: all.otherCA, host: nil) == "valid")
        #expect(try await verify(all.client.certificate, by: all.ca, host: "localhost") != "valid")
    }

    @Test func addressesAreNamed() async throws {
        let certificate = try await TestCertificates.shared.server.certificate
        for address in ["127.0.0.1", "::1"] {
            let result = try await ProcessRunner.run(
                "openssl", ["x509", "-in", certificate.url.path, "-noout", "-checkip", address])
            #expect(result.text.contains("does match certificate"))
        }
    }

    @Test func bytesAreThoseOfTheFiles() async throws {
        let identity = try await TestCertificates.shared.server
        let certificate = try await ProcessRunner.run(
            "openssl", ["x509", "-in", identity.certificate.url.path, "-outform", "DER"]
        ).checked()
        #expect(certificate.output == identity.certificate.der)
        let key = try await ProcessRunner.run(
            "openssl", ["pkcs8", "-topk8", "-nocrypt", "-in", identity.keyURL.path, "-outform", "DER"]
        ).checked()
        #expect(key.output == identity.keyDER)
        #expect(try String(decoding: identity.certificate.pem, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(try String(decoding: identity.keyPEM, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test func bundleHoldsKeyAndChain() async throws {
        let all = try await TestCertificates.shared
        let result = try await ProcessRunner.run(
            "openssl",
            ["pkcs12", "-in", all.clientPKCS12.path, "-nodes", "-passin", "pass:\(all.clientPKCS12Password)"]
        ).checked()
        #expect(result.text.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        #expect(result.text.contains("BEGIN PRIVATE KEY"))
    }

    @Test func areMadeOnce() async throws {
        let first = try await TestCertificates.shared
        #expect(try await TestCertificates.shared.ca.url == first.ca.url)
        #expect(
            Set([first.ca, first.otherCA, first.server.certificate, first.client.certificate].map(\.der)).count == 4)
    }
}
