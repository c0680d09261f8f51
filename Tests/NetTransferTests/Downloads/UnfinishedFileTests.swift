import TestLab
import Testing

@testable import NetTransfer

/// A file in several parts, and what a killed process or a crashed machine leaves of it.
struct UnfinishedFileTests {
    private let directory: TemporaryDirectory
    private let record: DownloadRecord

    init() throws {
        directory = try TemporaryDirectory()
        var record = DownloadRecord(
            url: .example, destination: .temporary, folder: directory.url, options: Downloader.Options())
        (record.starts, record.durable) = ([0, 4, 8], [0, 0, 0])
        record.file.length = 12
        self.record = record
    }

    private func split() throws -> UnfinishedFile {
        let file = try UnfinishedFile(record, isNew: true)
        try file.divide(at: record.starts, length: 12)
        return file
    }

    private var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: record.gatheringPath)) } }

    @Test func partsAreWrittenInPlace() async throws {
        let file = try split()
        #expect(try bytes == Data(count: 12))
        let parts = file.parts
        for (index, text) in [(2, "89ab"), (0, "01"), (1, "4567"), (0, "23")] {
            try await parts[index].append(Data(text.utf8), writesBack: true)
        }
        #expect(try parts.map(\.length) == [4, 4, 4] && file.received == 12 && bytes == Data("0123456789ab".utf8))
        #expect(try await file.digest(of: parts[1], from: 1) == Data(SHA256.digest(Data("567".utf8))))
        #expect(try await file.digest() == Data(SHA256.digest(Data("0123456789ab".utf8))) && file.durable == [0, 0, 0])
        try await file.sync()
        #expect(file.durable == [4, 4, 4])
    }

    @Test func receivedBytesAreKnownToTheNextProcess() async throws {
        do {
            let file = try split()
            try await file.parts[0].append(Data("01".utf8), writesBack: false)
            try await file.parts[2].append(Data("89a".utf8), writesBack: false)
            file.unlock()
        }
        #expect(UnfinishedFile.received(record) == 5)
        let file = try UnfinishedFile(record, isNew: false)
        #expect(try file.reopen(record, known: nil) && file.parts.map(\.length) == [2, 0, 3])
        try await file.parts[0].append(Data("23".utf8), writesBack: false)
        #expect(try bytes == Data("0123".utf8) + Data(count: 4) + Data("89a".utf8) + Data(count: 1))
        // After a crash of the machine, only what is known to be on the medium counts.
        #expect(try file.reopen(record, known: [1, 0, 2]) && UnfinishedFile.received(record) == 3)
    }

    @Test(arguments: [
        nil, Data(), Data(count: 23), Data(count: 25), Data([5] + [UInt8](repeating: 0, count: 23)),
        Data(repeating: 0xFF, count: 24), Data(repeating: 0x7F, count: 24),
    ]) func invalidCountsAreIgnored(_ counts: Data?) throws {
        let (file, path) = try (split(), URL(fileURLWithPath: record.countsPath))
        if let counts { try counts.write(to: path) } else { try FileManager.default.removeItem(at: path) }
        #expect(try !file.reopen(record, known: nil) && UnfinishedFile.received(record) == 0)
        try file.truncate(to: 0)
        #expect(try bytes.isEmpty && !FileManager.default.fileExists(atPath: record.countsPath))
    }

    @Test func fileOfAnotherLengthIsNotResumed() throws {
        let file = try split()
        try Data(count: 11).write(to: URL(fileURLWithPath: record.gatheringPath))
        #expect(try !file.reopen(record, known: nil))
    }

    @Test func joiningKeepsTheFirstPart() async throws {
        let file = try split()
        try await file.parts[0].append(Data("012".utf8), writesBack: false)
        try await file.parts[1].append(Data("4".utf8), writesBack: false)
        try file.join()
        #expect(try bytes == Data("012".utf8) && file.parts.map(\.length) == [3])
        #expect(!FileManager.default.fileExists(atPath: record.countsPath))
        try await file.parts[0].append(Data("3".utf8), writesBack: false)
        #expect(try bytes == Data("0123".utf8))
    }

    @Test func lockedFileCannotBeLockedAgain() throws {
        let file = try split()
        #expect(try file.isLocked && !UnfinishedFile(record, isNew: false).isLocked)
    }

    /// As after a kill between the two steps that give the file its name.
    @Test func resumingDoesNotChangeAFinishedFileThatStillHasItsHiddenName() async throws {
        let (bench, options) = try (DownloadBench(), Downloader.Options(existingFile: .refuse))
        let finished = DownloadRecord(
            url: record.url, destination: .file(bench.file), folder: bench.folder, options: options)
        try Data("whole".utf8).write(to: bench.file)
        #expect(link(bench.file.path, finished.gatheringPath) == 0)
        let task = bench.downloader.download(.resumeData(try finished.data), options: options).task
        #expect(try await (task.value.error?.embeddedError as? DownloadError)?.code == .destinationExists)
        #expect(try Data(contentsOf: bench.file) == Data("whole".utf8) && bench.isClean(with: ["report.bin"]))
    }
}
