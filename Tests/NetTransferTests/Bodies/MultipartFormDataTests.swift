import NetTransfer
import TestLab
import Testing

@Suite struct MultipartFormDataTests {
    private let formData = MultipartFormData()
    private let bounded: MultipartFormData
    private let directory: TemporaryDirectory

    init() throws {
        bounded = try MultipartFormData(boundary: "b")
        directory = try TemporaryDirectory()
    }

    private func text(_ formData: MultipartFormData) async throws -> String {
        let body = try formData.makeBody()
        let data = try await body.collect(upTo: .max)
        #expect(body.length == Int64(data.count))
        return String(decoding: data, as: UTF8.self)
    }

    @Test func partsAreEncodedWithTheirHeaders() async throws {
        let file = directory.file("notes.txt")
        try Data("from disk".utf8).write(to: file)
        bounded.append(value: "Leïa", name: "name")
        bounded.append(data: Data("{}".utf8), name: "meta", filename: "meta.json")
        bounded.append(data: Data("raw".utf8), name: "raw")
        try bounded.append(fileURL: file, name: "notes")
        try bounded.append(fileURL: file, name: "other", filename: "o.bin", mimeType: "text/x-special")
        #expect((bounded.count, bounded.contentType) == (5, "multipart/form-data; boundary=b"))
        #expect(
            try await text(bounded)
                == [
                    "--b", "Content-Disposition: form-data; name=\"name\"", "", "Leïa",
                    "--b", "Content-Disposition: form-data; name=\"meta\"; filename=\"meta.json\"",
                    "Content-Type: application/json", "", "{}",
                    "--b", "Content-Disposition: form-data; name=\"raw\"", "Content-Type: application/octet-stream", "",
                    "raw", "--b", "Content-Disposition: form-data; name=\"notes\"; filename=\"notes.txt\"",
                    "Content-Type: text/plain", "", "from disk",
                    "--b", "Content-Disposition: form-data; name=\"other\"; filename=\"o.bin\"",
                    "Content-Type: text/x-special", "", "from disk", "--b--", "",
                ].joined(separator: "\r\n"))
    }

    @Test func emptyFormIsTheClosingBoundary() async throws {
        #expect(try await text(bounded) == "--b--\r\n")
    }

    @Test func quotesAndLineBreaksInNamesAreEscaped() async throws {
        bounded.append(
            data: Data(), name: "a\"; x=\"\r\nX-Evil: 1\r\n\r\n", filename: "ü/\\..\0\"\n.png", mimeType: "a/b")
        #expect(
            try await text(bounded)
                == "--b\r\nContent-Disposition: form-data; name=\"a%22; x=%22%0D%0AX-Evil: 1%0D%0A%0D%0A\"; "
                + "filename=\"ü/\\..%00%22%0A.png\"\r\nContent-Type: a/b\r\n\r\n\r\n--b--\r\n")
    }

    @Test(arguments: ["text/plain\r\nX-Evil: 1", "a\nb", "a\0b"])
    func lineBreakInAContentTypeIsRefused(_ type: String) throws {
        formData.append(data: Data(), name: "a", mimeType: type)
        #expect(throws: RequestBuildingError.self) { try formData.makeBody() }
        #expect(throws: RequestBuildingError.self) { try bounded.append(Data(), withName: "a", mimeType: type) }
    }

    @Test func contentDispositionOfAPartIsRefused() async throws {
        bounded.append(
            MultipartFormData.Part(HTTPBody("x"), headers: ["Content-Type": "a/b", "X-Part": "1"]), name: "p")
        let fields = "Content-Disposition: form-data; name=\"p\"\r\nContent-Type: a/b\r\nX-Part: 1"
        #expect(try await text(bounded) == "--b\r\n\(fields)\r\n\r\nx\r\n--b--\r\n")
        bounded.append(MultipartFormData.Part(HTTPBody("x"), headers: ["content-disposition": "form-data"]), name: "p")
        #expect(throws: RequestBuildingError.self) { try bounded.makeBody() }
    }

    @Test func mixedPartsAreNestedInOnePart() async throws {
        bounded.append(mixed: [.data(Data("1".utf8), filename: "1.txt"), .text("two")], name: "files")
        let lines = try await text(bounded).components(separatedBy: "\r\n")
        let inner = try #require(lines[2].components(separatedBy: "boundary=").last)
        #expect(inner.count > 32)
        #expect(
            lines == [
                "--b", "Content-Disposition: form-data; name=\"files\"",
                "Content-Type: multipart/mixed; boundary=\(inner)", "",
                "--\(inner)", "Content-Disposition: attachment; filename=\"1.txt\"", "Content-Type: text/plain", "",
                "1", "--\(inner)", "Content-Disposition: attachment", "", "two", "--\(inner)--", "--b--", "",
            ])
    }

    @Test func boundariesAreRandomAndNeedNoQuotes() {
        let boundaries = Set((0..<1000).map { _ in MultipartFormData().boundary })
        #expect(boundaries.count == 1000 && boundaries.allSatisfy { $0.count == 37 && $0.isHTTPToken })
    }

    @Test func invalidBoundaryIsRefused() throws {
        for wrong in ["", "a\r\nb", "a\"b", "ends ", String(repeating: "a", count: 71), "ä"] {
            #expect(throws: RequestBuildingError.self) { try MultipartFormData(boundary: wrong) }
        }
        #expect(try MultipartFormData(boundary: "a b:c").contentType == "multipart/form-data; boundary=\"a b:c\"")
    }

    @Test(arguments: ["--bound", "text\r\n--bound\r\nmore", "-----bound"])
    func boundaryThatOccursInAPartIsRefused(_ content: String) throws {
        let formData = try MultipartFormData(boundary: "bound")
        formData.append(value: content, name: "a")
        #expect(throws: RequestBuildingError.self) { try formData.makeBody() }
        let other = try MultipartFormData(boundary: "bound")
        other.append(value: "--boun -bound bound--", name: "a")
        #expect(throws: Never.self) { try other.makeBody() }
    }

    @Test func smallFormIsBuffered() throws {
        formData.append(value: "a", name: "a")
        formData.append(data: pattern(100_000), name: "b", filename: "b.bin")
        #expect(try formData.makeBody().data != nil)
        formData.append(data: pattern(200_000), name: "c", filename: "c.bin")
        #expect(try formData.makeBody().data == nil)
    }

    @Test func bodyIsReplayable() async throws {
        formData.append(data: pattern(700_000), name: "a", filename: "a.bin")
        try formData.append(fileURL: directory.file("f.bin", bytes: 600_000), name: "f")
        let body = try formData.makeBody()
        #expect(body.isReplayable)
        formData.append(value: "too late", name: "late")
        let first = try await body.collect(upTo: .max)
        #expect(try await body.collect(upTo: .max) == first && body.length == Int64(first.count))
        #expect(first.range(of: Data("too late".utf8)) == nil)
        var iterator = body.makeAsyncIterator()
        var largest = 0
        while let chunk = try await iterator.next() { largest = max(largest, chunk.count) }
        #expect(largest == 256 * 1024)
    }

    @Test func formWithAStreamIsNotReplayable() async throws {
        let part = MultipartFormData.Part(HTTPBody(stream: stream(of: ["ab", "cd"]), length: 4), filename: "s.txt")
        formData.append(part, name: "s")
        let body = try formData.makeBody()
        #expect(try await (body.isReplayable, body.length) == (false, Int64(body.collect(upTo: 1000).count)))
        await #expect(throws: NetworkError.bodyNotReplayable) { try await body.collect(upTo: 1000) }
    }

    @Test func streamOfUnknownLengthLeavesTheLengthUnknown() async throws {
        formData.append(MultipartFormData.Part(HTTPBody(stream: stream(of: ["ab"]))), name: "s")
        let body = try formData.makeBody()
        #expect(body.length == nil)
        #expect(try await body.collect(upTo: 1000).range(of: Data("\r\n\r\nab\r\n--".utf8)) != nil)
    }

    @Test(arguments: [Int64(3), 5, 0]) func streamOfAnotherLengthFails(_ declared: Int64) async throws {
        let chunks = Locked([Data("ab".utf8), Data("cd".utf8)])
        let stream = HTTPBody(length: declared) { chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        formData.append(MultipartFormData.Part(stream), name: "s")
        let body = try formData.makeBody()
        let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 1000) }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test func overflowingLengthIsRefused() throws {
        formData.append(MultipartFormData.Part(HTTPBody(stream: stream(of: []), length: .max)), name: "s")
        #expect(throws: RequestBuildingError.self) { try formData.makeBody() }
    }

    @Test func concurrentAppendsLoseNoPart() async throws {
        _ = try await atOnce(200) { formData.append(value: "\($0)", name: "n") }
        #expect(formData.count == 200)
    }

    private func stream(of chunks: [String]) -> AsyncStream<Data> { .of(chunks.map { Data($0.utf8) }) }

    // MARK: Files

    private func body(of file: URL) throws -> HTTPBody {
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
        let file = try directory.file("data.bin", bytes: 1)
        try formData.append(fileURL: file, name: "f")
        try FileManager.default.removeItem(at: file)
        #expect(throws: NetworkError.uploadFailed(nil)) { try formData.makeBody() }
    }

    @Test func fileTruncatedDuringReadingFails() async throws {
        let file = try directory.file("data.bin", bytes: 600_000)
        var iterator = try body(of: file).makeAsyncIterator()
        for _ in 0..<2 { _ = try await iterator.next() }
        try FileHandle(forWritingTo: file).truncate(atOffset: 300_000)
        _ = try await iterator.next()
        await #expect(throws: TransportError.self) { try await iterator.next() }
    }

    @Test func fileModifiedDuringReadingFailsBeforeItsEnd() async throws {
        let file = try directory.file("data.bin", bytes: 600_000)
        var iterator = try body(of: file).makeAsyncIterator()
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
