import NetCore
import TestLab
import Testing

@testable import NetSecurity

@Suite struct DERReaderTests {
    @Test(
        arguments: [
            [], [0x30], [0x30, 0x01], [0x30, 0x80], [0x30, 0x81], [0x30, 0x81, 0x7F], [0x30, 0x82, 0x00, 0x80],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x83, 0xFF, 0xFF, 0xFF], [0x1F, 0x01, 0x00], [0x30, 0xFF], [0x10, 0x00], [0x24, 0x00],
        ] as [[UInt8]])
    func refusesWhatIsNoElement(_ bytes: [UInt8]) {
        var reader = DERReader(bytes)
        #expect(throws: CertificateError.self) { try reader.next() }
    }

    @Test func doesNotReadPastTheElementItIsIn() throws {
        var outer = DERReader([0x30, 0x02, 0x04, 0x01, 0x55])
        var inner = outer.inside(try outer.next())
        #expect(throws: CertificateError.self) { try inner.next() }
    }

    @Test(
        arguments: [
            ([0x2A, 0x86, 0x48], "1.2.840"), ([0x00], "0.0"), ([0x27], "0.39"), ([0x28], "1.0"), ([0x4F], "1.39"),
            ([0x50], "2.0"), ([0x88, 0x37], "2.999"), ([0x55, 0x04, 0x03], "2.5.4.3"),
            ([0x69, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "2.25.18446744073709551615"),
        ] as [([UInt8], String)])
    func objectIdentifiers(_ bytes: [UInt8], _ text: String) throws {
        var reader = DERReader([0x06, UInt8(bytes.count)] + bytes)
        #expect(try ObjectIdentifierText.text(reader.next(), in: reader) == text)
    }

    @Test(arguments: [[], [0x80], [0x80, 0x01], [0x2A, 0x86], [0x2A, 0x80, 0x01]] as [[UInt8]])
    func noObjectIdentifiers(_ bytes: [UInt8]) throws {
        var reader = DERReader([0x06, UInt8(bytes.count)] + bytes)
        let element = try reader.next()
        #expect(throws: CertificateError.self) { try ObjectIdentifierText.text(element, in: reader) }
    }

    @Test(
        arguments: [
            (0x17, "491231235959Z", 2_524_607_999), (0x17, "500101000000Z", -631_152_000), (0x17, "700101000000Z", 0),
            (0x17, "7001010000Z", 0), (0x17, "700101020000+0200", 0), (0x17, "691231220000-0200", 0),
            (0x18, "20500101000000Z", 2_524_608_000), (0x18, "99991231235959Z", 253_402_300_799),
            (0x18, "19700101000000.5Z", 0), (0x18, "20240229000000Z", 1_709_164_800),
        ] as [(UInt8, String, TimeInterval)])
    func dates(_ tag: UInt8, _ text: String, _ seconds: TimeInterval) throws {
        #expect(try date(tag, text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        arguments: [
            (0x17, ""), (0x17, "700101000000"), (0x17, "700101000060Z"), (0x17, "701301000000Z"),
            (0x17, "700100000000Z"),
            (0x17, "230229000000Z"), (0x17, "700101240000Z"), (0x17, "7001010000+"), (0x17, "700101000000Z "),
            (0x17, "700101000000+1300"), (0x18, "700101000000Z"), (0x18, "19700101000000.Z"),
            (0x18, "1970010100000\u{661}Z"),
            (0x04, "700101000000Z"),
        ] as [(UInt8, String)])
    func noDates(_ tag: UInt8, _ text: String) {
        #expect(throws: CertificateError.self) { try date(tag, text) }
    }

    private func date(_ tag: UInt8, _ text: String) throws -> Date {
        var reader = DERReader([tag, UInt8(text.utf8.count)] + text.utf8)
        return try DERTime.date(reader.next(), in: reader)
    }

    @Test func texts() throws {
        func text(_ tag: UInt8, _ bytes: [UInt8]) throws -> String? {
            var reader = DERReader([tag, UInt8(bytes.count)] + bytes)
            return DERText.text(try reader.next(), in: reader)
        }
        #expect(try text(0x0C, Array("Süß 漢".utf8)) == "Süß 漢")
        #expect(try text(0x0C, [0xFF]) == nil)
        #expect(try text(0x13, Array("plain".utf8)) == "plain")
        #expect(try text(0x14, [0xFC]) == "ü")
        #expect(try text(0x1E, [0x6F, 0x22, 0x5B, 0x57]) == "漢字")
        #expect(try text(0x1E, [0x6F]) == nil)
        #expect(try text(0x1E, [0xD8, 0x00]) == nil)
        #expect(try text(0x1C, [0, 1, 0xF6, 0]) == "😀")
        #expect(try text(0x1C, [0, 0x11, 0, 0]) == nil)
        #expect(try text(0x04, [0x41]) == nil)
        #expect(try text(0x0C, []) == "")
    }
}
