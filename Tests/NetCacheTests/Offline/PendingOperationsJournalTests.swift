import TestLab
import Testing

@testable import NetCache

@Suite("Pending operations: the file") struct PendingOperationsJournalTests {
    private let directory: TemporaryDirectory
    private var file: URL { directory.file("queue") }
    init() throws { directory = try TemporaryDirectory() }

    private func operation(_ number: Int, body: Data? = Data("body".utf8)) throws -> PendingOperation {
        try QueueLab.operation(number, body: body)
    }

    /// Saves the operations, and returns the length of the file after each.
    private func save(_ operations: [PendingOperation]) async throws -> [Int] {
        let journal = try await PendingOperationsJournal(fileURL: file)
        var ends: [Int] = []
        for each in operations {
            try await journal.save(each)
            ends.append(try Data(contentsOf: file).count)
        }
        return ends
    }

    private func load(_ journal: PendingOperationsJournal) async throws -> [PendingOperation] {
        try await journal.load().sorted { $0.sequence < $1.sequence }
    }

    @Test func savedOperationsAreReadBack() async throws {
        var first = try operation(1, body: DiskLab.bytes(100_000))
        let (second, third) = try (operation(2, body: nil), operation(3, body: Data()))
        do {
            let journal = try await PendingOperationsJournal(fileURL: file)
            for each in [first, second, third] { try await journal.save(each) }
            (first.state, first.lastStatusCode) = (.failed, 404)
            try await journal.save(first)
            try await journal.remove(id: second.id)
            try await journal.remove(id: UUID())
            #expect(try await load(journal) == [first, third])
        }
        let journal = try await PendingOperationsJournal(fileURL: file)
        #expect(try await (journal.recovery, load(journal)) == (PendingOperationsQueue.Recovery(), [first, third]))
    }

    @Test func emptyQueueTruncatesItsFile() async throws {
        let journal = try await PendingOperationsJournal(fileURL: file)
        let operations = try (1...3).map { try operation($0, body: Data(count: 20_000)) }
        for each in operations { try await journal.save(each) }
        let full = try Data(contentsOf: file)
        for each in operations[..<2] { try await journal.removeSent(id: each.id) }
        #expect(try zip(full, Data(contentsOf: file)).filter { $0 != $1 }.count == 2, "one byte for each removal")
        try await journal.removeSent(id: operations[2].id)
        #expect(try Data(contentsOf: file).count == JournalHeader.length)
        // An old block that reappears behind the new header is not a record.
        try (Data(contentsOf: file) + full.dropFirst(JournalHeader.length)).write(to: file)
        #expect(try await load(PendingOperationsJournal(fileURL: file)).isEmpty)
    }

    @Test func foreignFileIsRefusedAndUnchanged() async throws {
        let file = directory.file("notes.txt")
        try Data("my notes".utf8).write(to: file)
        await #expect(throws: PendingOperationsQueue.Failure.notAQueue(path: file.path)) {
            _ = try await PendingOperationsJournal(fileURL: file)
        }
        #expect(try Data(contentsOf: file) == Data("my notes".utf8))
        let web = try #require(URL(string: "https://example.com/queue"))
        for url in [directory.url, file.appendingPathComponent("queue"), web] {
            await #expect(throws: PendingOperationsQueue.Failure.self) {
                _ = try await PendingOperationsJournal(fileURL: url)
            }
        }
    }

    @Test func tornTailIsCutOff() async throws {
        let (first, second) = try (operation(1), operation(2))
        let ends = try await save([first, second])
        let whole = try Data(contentsOf: file)
        for length in stride(from: JournalHeader.length, through: whole.count, by: 11) {
            try whole.prefix(length).write(to: file)
            let journal = try await PendingOperationsJournal(fileURL: file)
            let expected = zip([first, second], ends).filter { $1 <= length }.map(\.0)
            #expect(try await load(journal) == expected, "cut off after \(length)")
            let end = ends.last { $0 <= length } ?? JournalHeader.length
            #expect(journal.recovery.tornBytes == length - end)
            #expect(try (journal.recovery.damagedBytes, Data(contentsOf: file).count) == (0, end))
        }
    }

    @Test func damagedRecordIsReportedAndOthersAreKept() async throws {
        let operations = try (1...3).map { try operation($0) }
        let ends = try await [JournalHeader.length] + save(operations)
        let whole = try Data(contentsOf: file)
        for position in stride(from: ends[1], to: ends[2], by: 7) {
            var bytes = whole
            bytes[position] ^= 0x55
            try bytes.write(to: file)
            let journal = try await PendingOperationsJournal(fileURL: file)
            #expect(try await load(journal) == [operations[0], operations[2]])
            #expect(journal.recovery.damagedBytes == ends[2] - ends[1])
            #expect(journal.recovery.damagedFile?.path == file.path + ".damaged")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file.path + ".damaged")) == bytes)
        }
        // It was repaired: the next time there is nothing to report.
        let journal = try await PendingOperationsJournal(fileURL: file)
        #expect(journal.recovery == PendingOperationsQueue.Recovery())
        #expect(try await load(journal) == [operations[0], operations[2]])
    }

    @Test func damagedHeaderKeepsACopyOfTheFile() async throws {
        do { try await PendingOperationsJournal(fileURL: file).save(operation(1)) }
        let bytes = try DiskLab.damage(file, at: 10)
        do {
            let journal = try await PendingOperationsJournal(fileURL: file)
            #expect(try await (journal.recovery.damagedBytes, load(journal)) == (bytes.count, []))
            try await journal.save(operation(2))
        }
        #expect(try await load(PendingOperationsJournal(fileURL: file)).count == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path + ".damaged")) == bytes)
    }

    @Test func recordsInABodyAreIgnored() async throws {
        let other = directory.file("other")
        do { try await PendingOperationsJournal(fileURL: other).save(operation(7)) }
        do {
            let journal = try await PendingOperationsJournal(fileURL: file)
            try await journal.save(operation(1, body: Data(contentsOf: other)))
            try await journal.save(operation(2))
        }
        // The head of the record that holds the other queue.
        try DiskLab.damage(file, at: JournalHeader.length + 20)
        #expect(try await load(PendingOperationsJournal(fileURL: file)).map(\.sequence) == [2])
    }

    @Test func mostlyWastedFileIsCompacted() async throws {
        let journal = try await PendingOperationsJournal(fileURL: file)
        let kept = try operation(1)
        try await journal.save(kept)
        var longest = 0
        for number in 2..<40 {
            let each = try operation(number, body: Data(count: 10_000))
            try await journal.save(each)
            try await journal.remove(id: each.id)
            longest = max(longest, try Data(contentsOf: file).count)
        }
        #expect(longest < 100_000)
        #expect(try await load(journal) == [kept])
    }

    @Test(arguments: [true, false]) func damagedOrDeletedSharedFileKeepsAllOperations(isDeleted: Bool) async throws {
        let operations = try (1...4).map { try operation($0) }
        let first = try await PendingOperationsJournal(fileURL: file)
        let second = try await PendingOperationsJournal(fileURL: file)
        try await first.save(operations[0])
        try await second.save(operations[1])
        if isDeleted { try FileManager.default.removeItem(at: file) } else { try DiskLab.damage(file, at: 10) }
        try await first.save(operations[2])
        try await second.save(operations[3])
        for journal in [first, second] { #expect(try await load(journal) == operations) }
        if isDeleted { #expect(try await load(PendingOperationsJournal(fileURL: file)) == operations) }
    }

    @Test func mutatedFilesYieldOnlyWrittenOperations() async throws {
        let operations = try (1...4).map { try operation($0, body: DiskLab.bytes(50, seed: UInt64($0))) }
        _ = try await save(operations)
        try await PendingOperationsJournal(fileURL: file).remove(id: operations[1].id)
        let whole = try Data(contentsOf: file)
        let header = try #require(JournalHeader(whole))
        var random = SeededGenerator(state: 20_26)
        var readable = 0
        for _ in 0..<3000 {
            let bytes = random.mutate(whole)
            _ = JournalHeader(bytes)
            let contents = JournalContents(bytes, salt: header.salt)
            #expect(contents.end + contents.tornBytes == max(bytes.count, JournalHeader.length))
            for extent in contents.extents.values {
                let record = try #require(JournalRecord(bytes[extent], salt: header.salt))
                #expect(operations.contains(record.operation))
                readable += 1
            }
        }
        #expect(readable > 3000)
    }

    @Test func journalCountsWastedBytes() throws {
        let journal = try JournalFile(path: file.path)
        let operations = try (0..<50).map { try QueueLab.operation($0) }
        for operation in operations + operations { try journal.save(operation) }
        for operation in operations.prefix(20) { try journal.remove(operation.id, syncs: true) }
        let bytes = try Data(contentsOf: file)
        let contents = JournalContents(bytes, salt: try #require(JournalHeader(bytes)).salt)
        #expect((contents.extents.count, journal.wastedBytes) == (30, contents.wastedBytes) && journal.wastedBytes > 0)
    }

    @Test func sentOperationsAreSyncedTogether() throws {
        let journal = try JournalFile(path: file.path)
        let operations = try (0..<130).map { try QueueLab.operation($0) }
        for operation in operations { try journal.save(operation) }
        let before = journal.syncs
        for operation in operations[..<128] { try journal.remove(operation.id, syncs: false) }
        #expect(journal.syncs == before + 2)
        try journal.endPass()
        #expect(journal.syncs == before + 2, "nothing is missing")
        try journal.remove(operations[128].id, syncs: false)
        try journal.endPass()
        try journal.remove(operations[129].id, syncs: true)
        #expect(journal.syncs == before + 4)
    }
}
