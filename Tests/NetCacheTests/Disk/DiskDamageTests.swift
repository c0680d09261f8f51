import TestLab
import Testing

@testable import NetCache

@Suite("Disk cache: damage") struct DiskDamageTests {
    private let lab: DiskLab
    init() async throws { lab = try await DiskLab() }

    @Test(arguments: [10, 30_000]) func changedByteOfASmallEntryIsAMiss(size: Int) async throws {
        var random = SeededGenerator(state: 5)
        for _ in 0..<Volume.pick(quick: 20, full: 200) {
            try await lab.store(DiskLab.bytes(size))
            let file = try #require(lab.files.first)
            var bytes = try Data(contentsOf: file)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try bytes.write(to: file)
            #expect(try await (lab.body(), lab.files) == (nil, []), "what is damaged is removed")
        }
    }

    @Test func truncatedFileIsAMiss() async throws {
        try await lab.store(DiskLab.bytes(5000))
        let file = try #require(lab.files.first)
        let whole = try Data(contentsOf: file)
        for length in stride(from: 0, to: whole.count, by: 37) {
            try whole.prefix(length).write(to: file)
            #expect(try await lab.body() == nil, "cut off after \(length)")
        }
        try (whole + Data([0])).write(to: file)
        #expect(try await lab.body() == nil, "a byte too many")
        try whole.write(to: file)
        #expect(try await lab.body() == DiskLab.bytes(5000))
    }

    @Test func damagedPieceOfALargeBodyThrows() async throws {
        let whole = DiskLab.bytes(600_000)
        try await lab.store(whole)
        try DiskLab.damage(try #require(lab.files.first { $0.pathExtension == "body" }), at: 300_000)
        let body = try #require(try await lab.cache.body(of: DiskLab.entry(), for: DiskLab.key))
        var read = Data()
        await #expect(throws: TransportError.self) { for try await chunk in body { read.append(chunk) } }
        #expect(read == whole.prefix(256 * 1024))
        #expect(try await (lab.files, lab.cache.entries()) == ([], []), "what is damaged is removed")
    }

    @Test func truncatedOrMissingBodyFileIsAMiss() async throws {
        for isGone in [false, true] {
            try await lab.store(DiskLab.bytes(600_000))
            let file = try #require(lab.files.first { $0.pathExtension == "body" })
            if isGone { try FileManager.default.removeItem(at: file) }
            if !isGone { try Data(contentsOf: file).prefix(599_999).write(to: file) }
            #expect(try await (lab.body(), lab.files) == (nil, []))
        }
    }

    @Test func entryOfAnotherKeyIsNotServed() async throws {
        try await lab.store(Data("secret".utf8), for: HTTPCacheKey(url: "https://example.com/secret", owner: "alice"))
        let secret = try #require(lab.files.first)
        try await lab.store(Data("mine".utf8))
        let mine = try #require(lab.files.first { $0 != secret })
        // As if two keys had one digest.
        try FileManager.default.removeItem(at: mine)
        try FileManager.default.moveItem(at: secret, to: mine)
        #expect(try await (lab.cache.entries(), lab.body()) == ([], nil))
    }

    @Test func symbolicLinkIsNotFollowed() async throws {
        try await lab.store(Data("x".utf8))
        let file = try #require(lab.files.first)
        let elsewhere = lab.directory.file("elsewhere")
        try FileManager.default.moveItem(at: file, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
        #expect(try await lab.body() == nil)
    }

    @Test func missingFolderIsAMissAndStoringThrows() async throws {
        let directory = try TemporaryDirectory()
        // A file where the folder should be: not even root can make one there.
        let file = directory.file("file")
        try Data().write(to: file)
        let cache = DiskCache(directory: file)
        #expect(try await (cache.trim(), cache.entries(), cache.data()) == (DiskCache.Summary(), [], nil))
        await #expect(throws: (any Error).self) {
            try await cache.beginStoring(DiskLab.entry(), for: DiskLab.key, length: nil, since: nil)
        }
        let url = try #require(URL(string: "https://example.com/"))
        cache.setResponse(Data([1]), for: url, expireTime: nil)
        #expect(cache.getResponse(for: url) == nil)
        #expect(try await !cache.update(DiskLab.entry()))
        try await cache.remove(DiskLab.entry(), for: DiskLab.key)
        try await cache.removeAll(url: DiskLab.key.url)
        try await cache.removeAll()
        cache.clear()
    }

    @Test(arguments: [10, 100_000]) func deletedFolderFailsTheCommitAndIsCreatedAgain(size: Int) async throws {
        try await lab.store(Data("x".utf8))
        let writer = try await lab.cache.writer(of: DiskLab.entry("two"))
        try await writer.write(DiskLab.bytes(100_000))
        try FileManager.default.removeItem(at: lab.directory.url.appendingPathComponent("v1"))
        await #expect(throws: (any Error).self) { try await writer.commit() }
        #expect(try await lab.cache.entries() == [])
        try await lab.store(DiskLab.bytes(size))
        #expect(try await lab.body() == DiskLab.bytes(size))
    }

    /// Such as too many open files.
    @Test func bodyThatCannotBeOpenedStays() async throws {
        try await lab.store(DiskLab.bytes(200_000))
        let file = try #require(lab.files.first { $0.pathExtension == "body" })
        let aside = lab.directory.file("aside")
        try FileManager.default.moveItem(at: file, to: aside)
        // Opening a link gives ELOOP, also to root.
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: aside)
        #expect(try await lab.body() == nil)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: aside, to: file)
        #expect(try await lab.body() == DiskLab.bytes(200_000))
    }
}

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

    @Test func truncatedAndMutatedHeadsAreMalformed() throws {
        var random = SeededGenerator(state: 20_26)
        for record in try Self.records() {
            let whole = try record.encoded()
            for length in 0..<whole.count {
                #expect(throws: ByteReader.Malformed.self) { _ = try DiskRecord(whole.prefix(length)) }
            }
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
