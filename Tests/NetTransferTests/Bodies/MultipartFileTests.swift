import NetTransfer
import TestLab
import Testing

@Suite struct MultipartFileTests {
    private let formData = MultipartFormData()
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.file("data.bin", bytes: 600_000)
    }

    private func body() throws -> HTTPBody {
        try formData.append(fileURL: file, name: "f")
        return try formData.makeBody()
    }

    @Test func missingFileIsRefusedByAppend() {
        let missing = directory.file("missing")
        for append in [
            { try $0.append(fileURL: missing, name: "f") }, { try $0.append(fileURL: directory.url, name: "f") },
        ] as [(MultipartFormData) throws -> Void] {
            let error = #expect(throws: NetworkError.self) { try append(MultipartFormData()) }
            #expect(error == .uploadFailed(nil) && error?.embeddedError is RequestBuildingError)
        }
    }

    @Test func deletedFileIsRefusedByMakeBody() throws {
        try formData.append(fileURL: file, name: "f")
        try FileManager.default.removeItem(at: file)
        #expect(throws: NetworkError.uploadFailed(nil)) { try formData.makeBody() }
    }

    @Test(arguments: [100_000, 600_001]) func changedLengthFailsBeforeTheFileIsSent(_ count: Int) async throws {
        let body = try body()
        try pattern(count).write(to: file)
        let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: .max) }
        let message = "data.bin had 600000 bytes when the body was made, and has \(count) now"
        #expect(error?.code == .requestBodyFailed && error?.message.contains(message) == true)
        // Only the name is sent, since a path is private.
        #expect(error?.message.contains(directory.url.path) == false)
    }

    @Test func fileTruncatedDuringReadingFails() async throws {
        var iterator = try body().makeAsyncIterator()
        for _ in 0..<2 { _ = try await iterator.next() }
        try FileHandle(forWritingTo: file).truncate(atOffset: 300_000)
        _ = try await iterator.next()
        await #expect(throws: TransportError.self) { try await iterator.next() }
    }

    @Test func fileModifiedDuringReadingFailsBeforeItsEnd() async throws {
        var iterator = try body().makeAsyncIterator()
        for _ in 0..<2 { _ = try await iterator.next() }
        try FileHandle(forWritingTo: file).write(contentsOf: Data("x".utf8))
        // Coarse file systems: what was written in the same tick as the opening cannot be told.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
        var count = 0
        let error = await #expect(throws: TransportError.self) {
            while let chunk = try await iterator.next() { count += chunk.count }
        }
        #expect(error?.message == "The file data.bin was changed while it was sent." && count < 400_000)
    }

    @Test func emptyFileIsAPart() async throws {
        try Data().write(to: file)
        let body = try body()
        #expect(body.length == Int64(try await body.collect(upTo: 1000).count))
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func droppedIteratorClosesTheFile() async throws {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let (directory, formData) = try (TemporaryDirectory(), MultipartFormData())
                try formData.append(fileURL: directory.file("data.bin", bytes: 600_000), name: "f")
                let (body, before) = try (formData.makeBody(), ResourceCensus())
                for _ in 0..<20 {
                    var iterator = body.makeAsyncIterator()
                    for _ in 0..<2 { _ = try await iterator.next() }
                }
                let after = ResourceCensus()
                #expect(after.descriptors.count <= before.descriptors.count, "\(after.growth(since: before))")
            }
        }
    #endif
}
