import TestLab
import Testing

@testable import NetCache

@Suite("Disk cache: the head of a file") struct DiskRecordTests {
    private static func records() throws -> [DiskRecord] {
        let key = DiskKey(kind: .response, url: "https://example.com/é?q=1", owner: "alice")
        let body = try #require(DiskBody(token: 7, length: 600_000, checksums: [1, 2, 3]))
        var limited = DiskLab.entry()
        limited.expireTime = Date(timeIntervalSince1970: 5)
        return [
            DiskRecord(key: key, entry: limited, body: .inline(length: 4, checksum: 9)),
            DiskRecord(key: key, entry: DiskLab.entry(""), body: .file(body)),
        ]
    }

    @Test func encodedRecordDecodesToItself() throws {
        for record in try Self.records() {
            let bytes = try record.encoded()
            #expect(try (DiskRecord(bytes), DiskRecord(bytes + Data("body".utf8))) == (record, record))
            #expect(DiskRecord.headLength(of: bytes) == bytes.count - DiskRecord.prefixLength)
        }
    }

    @Test func truncatedRecordIsMalformed() throws {
        for record in try Self.records() {
            let bytes = try record.encoded()
            for length in 0..<bytes.count {
                #expect(throws: ByteReader.Malformed.self) { _ = try DiskRecord(bytes.prefix(length)) }
            }
        }
    }

    @Test func mutatedHeadsAreMalformed() throws {
        var random = SeededGenerator(state: 20_26)
        for record in try Self.records() {
            let whole = try record.encoded()
            for _ in 0..<3000 {
                guard let read = try? DiskRecord(random.mutate(whole)) else { continue }
                #expect(read == record, "only what was added behind it does not show")
            }
        }
    }

    /// Behind a checksum that is right, as a program of tomorrow or a bug of today might write it.
    @Test func mutatedHeadsWithARightChecksumDoNotTrap() throws {
        var random = SeededGenerator(state: 7)
        for record in try Self.records() {
            let whole = try record.encoded()
            for _ in 0..<3000 {
                let head = random.mutate(Data(whole.dropFirst(DiskRecord.prefixLength)))
                var writer = ByteWriter()
                writer.append(whole.prefix(4))
                writer.write(UInt32(head.count))
                writer.append(Data(whole[8..<16]))
                var hash = XXHash64()
                hash.update(writer.data)
                hash.update(head)
                writer.write(hash.value)
                writer.append(head)
                _ = try? DiskRecord(writer.data)
            }
        }
    }

    @Test func checksumCountFitsTheLength() {
        #expect(DiskBody(token: 0, length: 0, checksums: []) != nil)
        #expect(DiskBody(token: 0, length: 1, checksums: []) == nil)
        #expect(DiskBody(token: 0, length: -1, checksums: []) == nil)
        #expect(DiskBody(token: 0, length: .max, checksums: [1]) == nil)
        #expect(DiskBody(token: 0, length: 262_144, checksums: [1]) != nil)
        #expect(DiskBody(token: 0, length: 262_145, checksums: [1, 2]) != nil)
    }
}
