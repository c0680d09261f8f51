import Foundation
import Testing

@testable import NetSystem

@Suite("Bytes of our files") struct ByteReaderTests {
    @Test func readsWhatWasWritten() throws {
        var writer = ByteWriter()
        writer.write(UInt16(0xABCD))
        writer.write("Füße 🦶")
        writer.write("\u{FEFF}\u{FFFD}e\u{301}\r\n")
        writer.write("")
        writer.write(Date(timeIntervalSinceReferenceDate: 1.25))
        writer.write("there" as String?) { $0.write($1) }
        writer.write(nil as String?) { $0.write($1) }
        writer.append(Data([1, 2, 3]))
        // A slice, whose indices do not start at zero.
        var reader = ByteReader((Data([9, 9]) + writer.data).dropFirst(2))
        #expect(try reader.number(UInt16.self) == 0xABCD)
        #expect(try reader.text() == "Füße 🦶")
        #expect(try Array(reader.text().utf8) == Array("\u{FEFF}\u{FFFD}e\u{301}\r\n".utf8))
        #expect(try reader.text() == "")
        #expect(try reader.date() == Date(timeIntervalSinceReferenceDate: 1.25))
        #expect(try reader.optional { (reader) throws(ByteReader.Malformed) in try reader.text() } == "there")
        #expect(try reader.optional { (reader) throws(ByteReader.Malformed) in try reader.text() } == nil)
        #expect(try reader.data(reader.remaining) == Data([1, 2, 3]))
    }

    @Test func readingPastTheEndThrows() {
        let cases: [(bytes: [UInt8], read: (inout ByteReader) throws -> Any)] = [
            ([1, 2, 3], { try $0.number(UInt32.self) }), ([0xFF, 0xFF, 0xFF, 0xFF, 65], { try $0.text() }),
            ([0xFF, 0xFF, 0xFF, 0x7F, 0], { try $0.count(elementSize: 8) }), ([1, 0, 0, 0, 0xFF], { try $0.text() }),
            // Decoded, these bytes have the length of one replacement character.
            ([3, 0, 0, 0, 0xF0, 0x9F, 0xA6], { try $0.text() }), ([1], { try $0.data(-1) }),
        ]
        for (bytes, read) in cases {
            var reader = ByteReader(Data(bytes))
            #expect(throws: ByteReader.Malformed.self, "\(bytes)") { _ = try read(&reader) }
        }
    }
}
