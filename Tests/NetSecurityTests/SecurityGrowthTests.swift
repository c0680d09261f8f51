import TestLab
import Testing

@testable import NetSecurity

/// Everything in NetSecurity that reads bytes of a server or a file, at its worst inputs.
@Suite(.serialized, .optimized) struct SecurityGrowthTests {
    /// A sequence in a sequence in a sequence …
    private static let nested: [(prefix: String, unit: [UInt8])] = [
        ("", [0x30, 0x80]), ("", [0x30, 0x7F]), ("", [0x30, 0x00]), ("", [0x05, 0x00]), ("", [0x31, 0x02, 0x06, 0x00]),
    ]

    static let readers = [
        GrowthReader("Challenges", of: "NetSecurity/Authentication/HTTPChallenge.swift") {
            _ = HTTPChallenge.parse([$0]).map(DigestChallenge.init)
        },
        GrowthReader("Challenge, parameters", of: "NetSecurity/Authentication/HTTPChallenge.swift") {
            _ = HTTPChallenge.parse(["Digest " + $0])
        },
        GrowthReader("Certificate", of: "NetSecurity/Cryptography/Certificate.swift", units: nested) {
            _ = try? Certificate(der: Data($0.utf8))
        },
        GrowthReader("Name in a certificate", of: "NetSecurity/Cryptography/Certificate.swift", units: nested) {
            _ = Certificate.text(ofName: Array($0.utf8))
        },
        GrowthReader("PEM", of: "NetSecurity/Cryptography/Certificate.swift") {
            _ = try? PEM.certificates(in: Data($0.utf8))
            _ = try? PEM.certificates(in: Data("-----BEGIN CERTIFICATE-----\($0)".utf8))
        },
        GrowthReader("ID token", of: "NetSecurity/OAuth/OAuthClient+Tokens.swift") { _ = try? IDToken($0) },
        GrowthReader("Callback", of: "NetSecurity/OAuth/OAuthClient+SignIn.swift") {
            if let url = URL(string: "http://127.0.0.1/?" + $0) { _ = url.uniqueQueryValues }
        },
        GrowthReader("Pinned host", of: "NetSecurity/Pinning/PinningPolicy+Host.swift") { _ = try? HostPattern($0) },
    ]

    @Test("Work is linear in the text", arguments: readers) func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
