import NetCore
import TestLab
import Testing

@testable import NetSecurity

@Suite struct X509CertificateTests {
    #if os(Linux)
        @Test(.requires(.openssl)) func readsWhatOpenSSLReads() async throws {
            let judge = try LibCrypto()
            let made = try await CertificateSamples.made
            #expect(made.count == 13)
            for der in made + CertificateSamples.system {
                let expected = try #require(judge.read(der, strictly: true))
                #expect(LibCrypto.Reading(try X509Certificate(der: der)) == expected)
            }
        }
    #endif

    @Test func readsTheSystemsAuthorities() throws {
        #if os(Linux)
            #expect(CertificateSamples.system.count > 100)
        #endif
        for der in CertificateSamples.system {
            let certificate = try X509Certificate(der: der)
            #expect(certificate.notBefore < certificate.notAfter && certificate.subject == certificate.issuer)
        }
    }

    @Test(.requires(.openssl)) func namesAreOfAllKinds() async throws {
        let certificates = try await CertificateSamples.made.map { try X509Certificate(der: $0) }
        let all = try #require(certificates.first { $0.subject.commonName == "names.example" })
        #expect(
            all.alternativeNames.filter { if case .directory = $0 { false } else { true } } == [
                .dns("a.example"), .dns("*.b.example"), .ipAddress("192.0.2.1"), .ipAddress("2001:db8::1"),
                .email("me@example.com"), .uri("https://example.com/?a=b,c"), .registeredID("1.2.840.113549.1"),
                .registeredID("2.25.329800735698586629295641978511506172918"), .registeredID("2.999.1"),
                .other(
                    kind: 0,
                    content: Data([0x06, 0x0A, 0x2B, 6, 1, 4, 1, 0x82, 0x37, 20, 2, 3, 0xA0, 0x11, 0x0C, 0x0F])
                        + Data("upn@example.com".utf8)),
            ])
        let names = all.alternativeNames.compactMap {
            if case .directory(let name) = $0 { name.description } else { nil }
        }
        #expect(names == ["O=Example,C=DE"])
        #expect(certificates.contains { $0.subject.parts.isEmpty && !$0.alternativeNames.isEmpty })
        #expect(certificates.contains { $0.subject.commonName == "漢字" })
        #expect(certificates.contains { $0.subject.commonName == "Süß" })
        let old = try #require(certificates.first { $0.subject.commonName == "old.example" })
        #expect(old.notAfter > Date(timeIntervalSince1970: 2_524_608_000))
        let several = try #require(certificates.first { $0.subject.parts.count == 3 && $0.subject.parts[1].count == 2 })
        #expect(
            several.subject.description
                == #"1.2.840.113549.1.9.1=a@b.example,UID=7+CN=several\, \"quoted\" #1/2,DC=example"#)
    }

    @Test(.requires(.openssl)) func pemMayHaveTextAroundIt() async throws {
        let made = try await CertificateSamples.made.prefix(3)
        let blocks = made.map { der in
            "Subject: x\n-----BEGIN CERTIFICATE-----\r\n\(der.base64EncodedString(options: .lineLength64Characters))\r\n"
                + "-----END CERTIFICATE-----\n"
        }
        #expect(try X509Certificate.certificates(in: Data(blocks.joined().utf8)).map(\.der) == Array(made))
        #expect(try X509Certificate.certificates(in: made[0]).map(\.der) == [made[0]])
    }

    @Test(arguments: [
        "", "0", "text", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", "\u{30}\u{82}\u{FF}",
    ])
    func garbageIsAnError(_ text: String) {
        #expect(throws: CertificateError.self) { try X509Certificate.certificates(in: Data(text.utf8)) }
        #expect(throws: CertificateError.self) { try X509Certificate(der: Data(text.utf8)) }
    }

    @Test(.requires(.openssl)) func everyTruncationAndEveryTailIsAnError() async throws {
        for der in try await CertificateSamples.made {
            for length in 0..<der.count {
                #expect(throws: CertificateError.self) { try X509Certificate(der: der.prefix(length)) }
            }
            #expect(throws: CertificateError.self) { try X509Certificate(der: der + [0]) }
            // A slice has indices of its own.
            #expect(try X509Certificate(der: (Data([1, 2]) + der).dropFirst(2)).der == der)
        }
    }

    @Test func whatIsTooLargeIsNotRead() {
        #expect(throws: CertificateError.tooLarge) {
            try X509Certificate(der: Data(count: X509Certificate.maximumSize + 1))
        }
    }
}
