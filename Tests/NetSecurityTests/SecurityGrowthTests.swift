import Foundation
import NetCore
import TestLab
import Testing

@testable import NetSecurity

/// Everything in NetSecurity that reads bytes of a server or a file, at its worst inputs.
@Suite(.serialized) struct SecurityGrowthTests {
    /// A sequence in a sequence in a sequence …
    private static let nested: [(prefix: String, unit: [UInt8])] = [
        ("", [0x30, 0x80]), ("", [0x30, 0x7F]), ("", [0x30, 0x00]), ("", [0x05, 0x00]), ("", [0x31, 0x02, 0x06, 0x00]),
    ]

    static let readers = [
        GrowthReader("Challenges", of: "NetSecurity/Digest/HTTPChallenge.swift") {
            _ = HTTPChallenge.parse([$0]).map(DigestChallenge.init)
        },
        GrowthReader("Challenge, parameters", of: "NetSecurity/Digest/HTTPChallenge.swift") {
            _ = HTTPChallenge.parse(["Digest " + $0])
        },
        GrowthReader(
            "Certificate", of: "NetSecurity/Certificates/DERReader.swift",
            "NetSecurity/Certificates/CertificateParts.swift",
            "NetSecurity/Certificates/X509Certificate.swift", units: nested
        ) { _ = try? X509Certificate(der: Data($0.utf8)) },
        GrowthReader(
            "Name in a certificate", of: "NetSecurity/Certificates/DistinguishedName.swift",
            "NetSecurity/Certificates/DERText.swift", "NetSecurity/Certificates/ObjectIdentifierText.swift",
            "NetSecurity/Certificates/SubjectAlternativeName.swift", "NetSecurity/Certificates/DERTime.swift",
            units: nested
        ) {
            for tag in [0x30, 0x06, 0x0C, 0x13, 0x14, 0x1E, 0x1C, 0x17, 0x18, 0x82, 0x87, 0xA4] as [UInt8] {
                let (element, reader) = element(tag, $0)
                _ = try? DistinguishedName(element, in: reader)
                _ = try? SubjectAlternativeName(element, in: reader)
                _ = try? ObjectIdentifierText.text(element, in: reader)
                _ = try? DERTime.date(element, in: reader)
                _ = DERText.text(element, in: reader)
            }
        },
        GrowthReader("PEM", of: "NetSecurity/Certificates/PEM.swift") {
            _ = try? PEM.certificates(in: Data($0.utf8))
            _ = try? PEM.certificates(in: Data("-----BEGIN CERTIFICATE-----\($0)".utf8))
        },
        GrowthReader("ID token", of: "NetSecurity/OAuth/IDToken.swift") { _ = try? IDToken($0) },
        GrowthReader("Callback", of: "NetSecurity/OAuth/OAuthClient+SignIn.swift") {
            if let url = URL(string: "http://127.0.0.1/?" + $0) { _ = url.uniqueQueryValues }
        },
        GrowthReader("Pinned host", of: "NetSecurity/Pinning/HostPattern.swift") { _ = try? HostPattern($0) },
    ]

    private static func element(_ tag: UInt8, _ content: String) -> (DERReader.Element, DERReader) {
        let bytes = Array(content.utf8)
        return (DERReader.Element(tag: tag, start: 0, content: 0..<bytes.count), DERReader(bytes))
    }

    @Test("Work is linear in the text", arguments: readers)
    func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
