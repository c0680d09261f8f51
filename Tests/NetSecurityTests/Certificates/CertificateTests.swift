import TestLab
import Testing

@testable import NetSecurity

@Suite struct CertificateTests {
    #if os(Linux)
        @Test func publicKeyIsThatOfOpenSSL() async throws {
            let (judge, made) = try await (LibCrypto(), CertificateSamples.made)
            #expect(made.count == 13)
            for der in made + CertificateSamples.system {
                let expected = try #require(judge.publicKeyInfo(of: der, strictly: true))
                #expect(try Certificate(der: der).publicKeyInfo == expected)
            }
        }
    #endif

    @Test func readsSystemAuthorities() throws {
        #if os(Linux)
            #expect(CertificateSamples.system.count > 100)
        #endif
        for der in CertificateSamples.system {
            let certificate = try Certificate(der: der)
            #expect(certificate.subject == certificate.issuer)
        }
    }

    @Test func subjectIsWrittenAsInRFC4514() async throws {
        let subjects = try await CertificateSamples.made.map { try Certificate(der: $0).subject }
        let expected = [
            "CN=rsa.example,O=Prüfstelle,L=München,ST=Bayern,C=DE", "CN=Süß,O=Älter", "",
            #"CN=several\, \"quoted\" #1/2"#,
        ]
        #expect(Set(expected).subtracting(subjects) == [], "\(subjects)")
    }

    @Test func lineBreakInASubjectIsEscaped() throws {
        // CN = "a\n\u{202E}b" in UTF-8, in the frame of a made-up certificate.
        let text: [UInt8] = [0x61, 0x0A, 0xE2, 0x80, 0xAE, 0x62]
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let name = element(0x30, element(0x31, element(0x30, element(0x06, [0x55, 0x04, 0x03]) + element(0x0C, text))))
        let algorithm = element(0x30, element(0x06, [0x2B, 0x65, 0x70]))
        let body =
            element(0x02, [1]) + algorithm + name + element(0x30, element(0x17, []) + element(0x17, [])) + name
            + element(0x30, algorithm + element(0x03, [0, 1]))
        let der = element(0x30, element(0x30, body) + algorithm + element(0x03, [0, 1]))
        #expect(try Certificate(der: Data(der)).subject == "CN=a\\0A\\202Eb")
    }

    @Test func pemMayHaveTextAroundIt() async throws {
        let made = try await CertificateSamples.made.prefix(3)
        let blocks = made.map { der in
            "Subject: x\n-----BEGIN CERTIFICATE-----\r\n\(der.base64EncodedString(options: .lineLength64Characters))\r\n"
                + "-----END CERTIFICATE-----\n"
        }
        #expect(try Certificate.all(in: Data(blocks.joined().utf8)).map(\.der) == Array(made))
        #expect(try Certificate.all(in: made[0]).map(\.der) == [made[0]])
    }

    @Test(arguments: [
        "", "0", "text", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", "\u{30}\u{82}\u{FF}",
    ]) func malformedCertificateIsAnError(_ text: String) {
        #expect(throws: DERError.self) { try Certificate.all(in: Data(text.utf8)) }
        #expect(throws: DERError.self) { try Certificate(der: Data(text.utf8)) }
    }

    @Test func truncatedOrExtendedCertificateIsAnError() async throws {
        for der in try await CertificateSamples.made {
            for length in 0..<der.count { #expect(throws: DERError.self) { try Certificate(der: der.prefix(length)) } }
            #expect(throws: DERError.self) { try Certificate(der: der + [0]) }
            // A slice has indices of its own.
            #expect(try Certificate(der: (Data([1, 2]) + der).dropFirst(2)).der == der)
        }
    }

    @Test func oversizedCertificateIsAnError() {
        #expect(throws: DERError.self) { try Certificate(der: Data(count: Certificate.maximumSize + 1)) }
    }
}
