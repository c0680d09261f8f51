import NetCore
import TestLab
import Testing

@Suite struct FileBodyTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ content: Data) throws -> URL {
        try content.write(to: directory.file("body.bin"))
        return directory.file("body.bin")
    }

    /// More than one chunk, and not a whole number of them.
    private let large = pattern(700_001)

    @Test func fileIsReadInChunksAndIsReplayable() async throws {
        let body = try HTTPBody(file: try file(large))
        #expect(body.length == 700_001 && body.isReplayable && body.data == nil)
        #expect(body.description == "HTTPBody(file, 700001 bytes)")
        for _ in 0..<2 {
            let chunks = try await body.reduce(into: []) { $0.append($1) }
            #expect(chunks.count == 3 && Data(chunks.joined()) == large)
        }
        #expect(try await body.prefix(upTo: 300_000) == large.prefix(300_000))
        await #expect(throws: NetworkError.responseTooLarge(limit: 700_000)) { try await body.collect(upTo: 700_000) }
    }

    @Test func emptyFileIsAnEmptyBody() async throws {
        let body = try HTTPBody(file: try file(Data()))
        #expect(body.length == 0)
        #expect(try await body.collect(upTo: 0) == Data())
    }

    @Test func symbolicLinkIsFollowed() async throws {
        let link = directory.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: try file(Data("linked".utf8)))
        #expect(try await HTTPBody(file: link).collect(upTo: 6) == Data("linked".utf8))
    }

    @Test func missingFileDirectoryDeviceAndRemoteURLAreRefused() throws {
        for url in [directory.file("missing"), directory.url, URL(fileURLWithPath: "/dev/null")] {
            #expect(throws: RequestBuildingError.self, "\(url)") { try HTTPBody(file: url) }
        }
        let remote = URL(string: "https://a.example/?token=s3cr3t")!
        let error = #expect(throws: RequestBuildingError.self) { try HTTPBody(file: remote) }
        #expect(error?.message.contains("s3cr3t") == false)
    }

    /// Root may read all, so it cannot be tested as root.
    @Test(.enabled(if: getuid() != 0)) func unreadableFileIsRefused() throws {
        let url = try file(large)
        try FileManager.default.setAttributes([.posixPermissions: 0o200], ofItemAtPath: url.path)
        #expect(throws: RequestBuildingError.self) { try HTTPBody(file: url) }
    }

    @Test func fileTruncatedWhileItIsReadFails() async throws {
        let url = try file(large)
        let body = try HTTPBody(file: url)
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next()?.count == 256 * 1024)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 300_000)
        try handle.close()
        #expect(try await iterator.next()?.count == 300_000 - 256 * 1024)
        let error = await #expect(throws: TransportError.self) { try await iterator.next() }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test func removedFileFails() async throws {
        let body = try HTTPBody(file: try file(large))
        try FileManager.default.removeItem(at: directory.file("body.bin"))
        let error = await #expect(throws: TransportError.self) { try await body.prefix(upTo: 1) }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test func bytesAppendedLaterAreNotSent() async throws {
        let body = try HTTPBody(file: try file(Data("abc".utf8)))
        _ = try file(Data("abcdef".utf8))
        #expect(try await body.collect(upTo: 10) == Data("abc".utf8))
    }

    @Test func segmentIsReadFromItsOffset() async throws {
        let segment = FileSegment(url: try file(large), offset: 100_000, length: 400_000)
        let body = HTTPBody(source: .file(segment), length: segment.length, isReplayable: true)
        for _ in 0..<2 { #expect(try await body.collect(upTo: 400_000) == large[100_000..<500_000]) }
        let beyond = FileSegment(url: segment.url, offset: 700_000, length: 2)
        await #expect(throws: TransportError.self, "beyond the end of the file") {
            try await HTTPBody(source: .file(beyond), length: 2, isReplayable: true).collect(upTo: 10)
        }
    }

    @Test func cancelledTaskStopsReading() async throws {
        let body = try HTTPBody(file: try file(large))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body.collect(upTo: .max)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
