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
            #expect(CertificateSamples.system.count > 100)
            for authority in try CertificateSamples.system.map({ try Certificate(der: $0) }) {
                #expect(authority.subject == authority.issuer)
            }
        }
    #endif

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

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x01], [0x30, 0x80], [0x30, 0x81], [0x30, 0x81, 0x7F], [0x30, 0x82, 0x00, 0x80],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x83, 0xFF, 0xFF, 0xFF], [0x1F, 0x01, 0x00], [0x30, 0xFF], [0x10, 0x00], [0x24, 0x00],
        ] as [[UInt8]])
    func malformedElementIsAnError(_ bytes: [UInt8]) {
        var reader = DERReader(bytes)
        #expect(throws: DERError.self) { try reader.next() }
    }

    @Test func doesNotReadPastTheEnclosingElement() throws {
        var outer = DERReader([0x30, 0x02, 0x04, 0x01, 0x55])
        var inner = outer.inside(try outer.next())
        #expect(throws: DERError.self) { try inner.next() }
    }
}

/// Mutated certificates: the reader throws, or reads the key that OpenSSL reads.
///
/// `NETSECURITY_FUZZ=1000000 swift test --filter CertificateFuzzTests` for the full number, which takes minutes.
@Suite(.requires(.openssl)) struct CertificateFuzzTests {
    private static let shards = 8
    private static let count = ProcessInfo.processInfo.environment["NETSECURITY_FUZZ"].flatMap(Int.init) ?? 24_000

    #if os(Linux)
        @Test(arguments: 0..<shards) func mutatedCertificatesAreReadAsByOpenSSL(shard: Int) async throws {
            let judge = try LibCrypto()
            let originals = try await CertificateSamples.made + CertificateSamples.system
            var generator = SeededGenerator(state: 0x5EED + UInt64(shard))
            var accepted = 0
            for _ in 0..<Self.count / Self.shards {
                let original = try #require(originals.randomElement(using: &generator))
                let mutant = Bool.random(using: &generator) ? generator.mutate(original) : generator.change(original)
                do {
                    let ours = try Certificate(der: mutant)
                    accepted += 1
                    _ = ours.subject
                    // OpenSSL may refuse what we read: it looks into names, dates, extensions and keys.
                    guard let theirs = judge.publicKeyInfo(of: mutant), ours.publicKeyInfo != theirs else { continue }
                    Issue.record(
                        "\(ours.publicKeyInfo.hexadecimal) is not \(theirs.hexadecimal) in \(mutant.base64EncodedString())"
                    )
                } catch {
                    // OpenSSL reads more than DER.
                    guard isDER(mutant), judge.publicKeyInfo(of: mutant, strictly: true) != nil else { continue }
                    Issue.record("\(error), but OpenSSL reads \(mutant.base64EncodedString())")
                }
                return
            }
            // Most mutants of the same length: the content of keys, names, extensions and the signature is not read.
            #expect(accepted > Self.count / Self.shards / 4)
        }
    #endif

    /// Whether the frame is DER, also where the reader of certificates does not look.
    private func isDER(_ data: Data) -> Bool {
        var pending = [DERReader(Array(data))]
        while var reader = pending.popLast() {
            while !reader.isAtEnd {
                guard let element = try? reader.next() else { return false }
                // Alternative names that are plain, in pieces: BER.
                if [0xA1, 0xA2, 0xA6, 0xA7, 0xA8].contains(element.tag.rawValue) { return false }
                // Extensions are in octet strings; those of interest begin with a sequence, or with what was one.
                let first = reader.bytes[element.content].first ?? 0
                let holdsElements =
                    element.tag.rawValue & 0x20 != 0 || element.tag.rawValue == 0x04 && first & 0x1F == 0x10
                if holdsElements { pending.append(reader.inside(element)) }
            }
        }
        return true
    }
}

extension SeededGenerator {
    /// The bytes with one to three of them changed, by a bit or altogether, so that what stands around them is still in order.
    fileprivate mutating func change(_ original: Data) -> Data {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &self) {
            let index = Int.random(
                in: 0..<min(bytes.count, Bool.random(using: &self) ? 300 : bytes.count), using: &self)
            bytes[index] ^=
                Bool.random(using: &self)
                ? 1 << UInt8.random(in: 0..<8, using: &self) : UInt8.random(in: 1...255, using: &self)
        }
        return bytes
    }
}
