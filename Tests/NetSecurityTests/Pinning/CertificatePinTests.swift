import TestLab
import Testing

@testable import NetSecurity

@Suite(.requires(.openssl)) struct CertificatePinTests {
    @Test func parsesAPublicKeyPin() throws {
        let text = "sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
        let pin = try PinningPolicy.Pin.publicKey(text)
        #expect(try (pin.description, PinningPolicy.Pin.publicKey(String(text.dropLast()))) == (text, pin))
    }

    @Test(arguments: [
        "", "sha256/", "sha1/r/mIkG3eEpVdm+u/ko/cwxzOMo0=", "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=",
        "sha256/AAAA", "sha256/r_mIkG3eEpVdm-u_ko_cwxzOMo1bk4TyHIlByibiA5E=",
        "sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=\n", "SHA256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=",
        "sha256/AAAAr/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=",
    ]) func malformedPinIsAnError(_ text: String) {
        #expect(throws: PinningError.invalidPin(text)) { try PinningPolicy.Pin.publicKey(text) }
    }

    /// The same as `openssl x509 -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`.
    @Test func publicKeyPinIsThatOfOpenSSL() async throws {
        let all = try await PinningCertificates.shared
        func openssl(_ arguments: String..., input: Data = Data()) async throws -> Data {
            try await ProcessRunner.run("openssl", arguments, input: input).checked().output
        }
        for certificate in [
            all.root, all.intermediate, all.server.certificate, all.rsa.certificate, all.weak.certificate,
        ] {
            let pem = try await openssl("x509", "-in", certificate.url.path, "-noout", "-pubkey")
            let der = try await openssl("pkey", "-pubin", "-outform", "der", input: pem)
            let hash = try await openssl("dgst", "-sha256", "-binary", input: der)
            #expect(try PinningPolicy.Pin.publicKey(ofCertificate: certificate.der) == .publicKey(sha256: hash))
        }
    }

    @Test func certificatePinIsItsSHA256() async throws {
        let certificate = try await PinningCertificates.shared.root
        let pin = PinningPolicy.Pin.certificate(certificate.der)
        #expect(try PinningPolicy.Pin.certificate(reading: certificate.der) == pin)
        #expect(try PinningPolicy.Pin.certificate(reading: try certificate.pem) == pin)
        for file in [Data("no".utf8), try certificate.pem + certificate.pem] {
            #expect(throws: PinningError.self) { try PinningPolicy.Pin.certificate(reading: file) }
        }
        let sum = try await ProcessRunner.run("sha256sum", input: certificate.der).checked().text
        #expect(pin.description == "certificate " + sum.prefix(64))
    }

    @Test func certificatesAreFoundByFileName() async throws {
        let all = try await PinningCertificates.shared
        let (root, server) = (all.root, all.server.certificate)
        let folder = try PinningSamples.folder([
            "root.cer": root.der, "server.cer": try server.pem, "both.pem": try server.pem + root.pem,
            "empty.cer": Data(), "text.cer": Data("text".utf8), "notes.txt": Data("text".utf8),
            "large.cer": Data(count: 2 << 20),
        ])
        func pins(_ names: String...) throws -> [PinningPolicy.Pin] {
            try PinningPolicy.Pin.certificates(named: names, in: folder.url)
        }
        #expect(try pins("root", "server.cer") == [.certificate(root.der), .certificate(server.der)])
        #expect(try (pins("both.pem"), pins()) == ([.certificate(server.der), .certificate(root.der)], []))
        #expect(throws: PinningError.missingFile(folder.file("Root.cer").path)) { try pins("root", "Root") }
        for name in ["empty", "text", "large"] {
            let error = #expect(throws: PinningError.self) { try pins(name) }
            guard case .unreadableFile(folder.file("\(name).cer").path, _) = error else {
                throw LabError("\(String(describing: error))")
            }
        }
        let bundle = try #require(Bundle(url: folder.url))
        #expect(try PinningPolicy.Pin.certificates(named: ["root"], in: bundle) == [.certificate(root.der)])
    }

    @Test func certificatesOfAFolder() async throws {
        let all = try await PinningCertificates.shared
        let good = try PinningSamples.folder([
            "b.CRT": all.root.der, "a.cer": all.server.certificate.der, "c.txt": Data(),
        ])
        #expect(
            try PinningPolicy.Pin.certificates(inFolder: good.url)
                == [.certificate(all.server.certificate.der), .certificate(all.root.der)])
        let bad = try PinningSamples.folder(["a.cer": all.root.der, "b.der": Data("x".utf8)])
        let empty = try TemporaryDirectory()
        for folder in [bad.url, empty.url, empty.file("missing")] {
            #expect(throws: PinningError.self) { try PinningPolicy.Pin.certificates(inFolder: folder) }
        }
    }
}
