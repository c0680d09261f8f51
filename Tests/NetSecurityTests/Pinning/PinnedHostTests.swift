import TestLab
import Testing

@testable import NetSecurity

enum PinningSamples {
    static func pin(_ number: UInt8) -> PinningPolicy.Pin { .publicKey(sha256: Data(repeating: number, count: 32)) }
    static let pins = [pin(1), pin(2)]
    static func folder(_ files: [String: Data]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, data) in files { try data.write(to: directory.file(name)) }
        return directory
    }
}

@Suite struct PinnedHostTests {
    @Test(arguments: [
        "api.example.com", "API.example.com.", "*.example.com", "localhost", "127.0.0.1", "[::1]", "::1",
        "xn--bcher-kva.example", "a_b.example",
    ]) func hosts(_ host: String) throws {
        #expect(try PinningPolicy.Host(host, pins: PinningSamples.pins).host == host)
    }

    @Test(arguments: [
        "", ".", "*", "*.", "a..b", ".a", "https://a", "a:443", "a/b", "bücher.example", "a.*.b", "a*.b", "*.*.a",
        "*.::1", "a b", "a.example..",
    ]) func malformedHostIsAnError(_ host: String) {
        #expect(throws: PinningError.invalidHost(host)) { try PinningPolicy.Host(host, pins: PinningSamples.pins) }
    }

    @Test func hostNeedsABackupPin() throws {
        let pin = PinningSamples.pin(1)
        for pins in [[], [pin], [pin, pin]] {
            #expect(throws: PinningError.backupPinMissing(host: "a")) { try PinningPolicy.Host("a", pins: pins) }
        }
        #expect(throws: PinningError.self) { try PinningPolicy.Host("a", pins: [], backup: .waived) }
        #expect(try PinningPolicy.Host("a", pins: [pin], backup: .waived).pins == [pin])
        #expect(try PinningPolicy.Host("a", pins: PinningSamples.pins).pins.count == 2)
    }

    @Test func wildcardCannotIncludeSubdomains() {
        #expect(throws: PinningError.invalidHost("*.a")) {
            try PinningPolicy.Host("*.a", pins: PinningSamples.pins, includesSubdomains: true)
        }
    }

    @Test func errorsHaveDescriptions() {
        let errors: [PinningError] = [
            .invalidPin("x"), .invalidCertificate("x"), .invalidHost("x"), .duplicateHost("x"), .noHosts,
            .backupPinMissing(host: "x"), .missingFile("x"), .unreadableFile("x", "y"),
            .unknownEnvironment("x", known: ["y"]),
        ]
        for error in errors { #expect(error.localizedDescription == error.description && error.description.count > 15) }
    }
}
