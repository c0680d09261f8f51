import TestLab
import Testing

@testable import NetSecurity

/// `Scripts/pins`, against files and a server that is here.
@Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy, .python3)) struct PinScriptTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Scripts/pins").standardized.path

    private func run(_ arguments: String...) async throws -> (status: Termination, text: String, error: String) {
        let result = try await ProcessRunner.run("python3", [Self.script] + arguments)
        return (result.termination, result.text, result.errorText)
    }

    /// `TrustLab` keeps the server.
    private func server() async throws -> (host: String, all: PinningCertificates) {
        let port = try #require(try await TrustLab.shared.server(.good).httpsURL.port)
        return ("localhost:\(port)", try await PinningCertificates.shared)
    }

    @Test func showPrintsThePinsOfAHost() async throws {
        let (host, all) = try await server()
        let shown = try await run("show", host, "--ca", all.root.url.path)
        #expect(shown.status == .exited(0), "\(shown.error)")
        let pins = shown.text.split(separator: "\n").filter { $0.hasPrefix("sha256/") }.map(String.init)
        #expect(
            try pins.map { try PinningPolicy.Pin.publicKey($0) }
                == [TrustCase.key(all.server.certificate), TrustCase.key(all.intermediate)])
        #expect(shown.text.contains(PinningPolicy.Pin.certificate(all.server.certificate.der).description))
        #expect(shown.text.contains("CN=server\n    issued by CN=intermediate\n"))
    }

    /// Otherwise a man in the middle could supply his own pins.
    @Test func unverifiedHostIsRefused() async throws {
        let (host, all) = try await server()
        for arguments in [[], ["--ca", all.impostor.url.path]] {
            let refused = try await ProcessRunner.run("python3", [Self.script, "show", host] + arguments)
            #expect(refused.termination == .exited(2) && refused.text.contains("sha256/") == false)
        }
        let wrong = try await TrustLab.shared.server(.wrongHost)
        let name = "localhost:\(try #require(wrong.httpsURL.port))"
        #expect(try await run("show", name, "--ca", all.root.url.path).status == .exited(2))
        #expect(try await run("show", name, "--unsafe-unverified").status == .exited(0))
    }

    @Test func cerWritesFilesThatThePolicyReads() async throws {
        let (host, all) = try await server()
        let folder = try TemporaryDirectory()
        let into = folder.file("certificates")
        #expect(try await run("cer", host, "--ca", all.root.url.path, "--into", into.path).status == .exited(0))
        let both: [PinningPolicy.Pin] = [.certificate(all.server.certificate.der), .certificate(all.intermediate.der)]
        #expect(
            try PinningPolicy.Pin.certificates(named: ["localhost_leaf", "localhost_intermediate"], in: into) == both)
        #expect(try await run("cer", all.root.url.path, "--into", into.path).status == .exited(0))
        #expect(try PinningPolicy.Pin.certificates(named: ["root_leaf"], in: into) == [.certificate(all.root.der)])
    }

    @Test func expiryWarnsBeforeCertificatesExpire() async throws {
        let (host, all) = try await server()
        let folder = try PinningSamples.folder(["a.cer": all.server.certificate.der, "b.pem": try all.root.pem])
        let fine = try await run("expiry", folder.url.path, "--days", "20")
        #expect(fine.status == .exited(0) && fine.text.contains("fine") && !fine.text.contains("SOON"))
        let soon = try await run("expiry", folder.url.path, "--days", "40")
        #expect(soon.status == .exited(1) && soon.text.contains("SOON"))
        #expect(try await run("expiry", host, "--days", "40", "--ca", all.root.url.path).status == .exited(1))
        #expect(try await run("expiry", all.expired.certificate.url.path, "--days", "0").status == .exited(1))
    }

    @Test func expiryWarnsBeforePinsExpire() async throws {
        for (day, status) in [("2999-01-01", 0), ("2020-01-01", 1), ("soon", 2)] as [(String, Int32)] {
            let json = #"{"p": {"a": {"expires": "\#(day)"}, "b": {}}}"#
            let folder = try PinningSamples.folder(["pins.json": Data(json.utf8)])
            #expect(try await run("expiry", folder.file("pins.json").path).status == .exited(status), "\(day)")
        }
    }

    @Test func checksumNamesChangedFiles() async throws {
        let all = try await PinningCertificates.shared
        let folder = try PinningSamples.folder(["a.cer": all.root.der, "b.cer": all.intermediate.der])
        let path = folder.url.path
        #expect(try await run("checksum", path).status == .exited(2))
        #expect(try await run("checksum", path, "--write").status == .exited(0))
        #expect(try await run("checksum", path).status == .exited(0))
        let sums = try await ProcessRunner.run("sh", ["-c", "cd \"$0\" && sha256sum -c SHA256SUMS", path])
        #expect(sums.termination == .exited(0))
        try all.server.certificate.der.write(to: folder.file("b.cer"))
        #expect(try await run("checksum", path).text == "b.cer: was changed\n")
        try all.intermediate.der.write(to: folder.file("b.cer"))
        try all.root.der.write(to: folder.file("c.cer"))
        let added = try await run("checksum", path)
        #expect(added.status == .exited(1) && added.text == "c.cer: was added\n")
        try FileManager.default.removeItem(at: folder.file("c.cer"))
        try FileManager.default.removeItem(at: folder.file("a.cer"))
        #expect(try await run("checksum", path).text == "a.cer: was removed\n")
    }

    @Test func failureExitsWith2AndAMessage() async throws {
        let folder = try PinningSamples.folder(["text.pem": Data("text".utf8)])
        for source in [folder.file("text.pem").path, "localhost:1", "a b", "-x", "host/path"] {
            let result = try await ProcessRunner.run("python3", [Self.script, "show", "--", source])
            #expect(result.termination == .exited(2) && result.errorText.hasPrefix("pins: "), "\(result.errorText)")
        }
    }
}
