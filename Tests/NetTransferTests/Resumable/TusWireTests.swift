import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct TusWireTests {
    private var bench: UploadBench
    private let model = UploadModel(.tus)
    private let server: MockServer

    init() throws {
        bench = try UploadBench()
        server = try model.serve()
    }

    @Test func creationAndPatchFollowTus() async throws {
        let (receipt, last) = try await bench.upload(.tus, on: server, headers: ["X-Token": "1"])
        #expect(receipt.uploadURL == server.url("/files/1") && receipt.response?.status == 204)
        #expect(receipt.byteCount == 600_000 && model.stored == pattern(600_000) && bench.records.all.isEmpty)
        #expect((last?.isComplete, last?.attempt) == (true, 0))
        let requests = server.requests
        #expect(requests.map(\.method) == [.options, .post, .patch])
        #expect(requests.allSatisfy { $0.headers["X-Token"] == "1" })
        #expect((requests[0].headers["Tus-Resumable"], requests[1].headers["Tus-Resumable"]) == (nil, "1.0.0"))
        #expect((requests[1].headers["Upload-Length"], requests[1].headers["Content-Length"]) == ("600000", "0"))
        // "movie.mp4" and "video/mp4" in Base64.
        #expect(requests[1].headers["Upload-Metadata"] == "filename bW92aWUubXA0,filetype dmlkZW8vbXA0")
        #expect((requests[2].path, requests[2].headers["Tus-Resumable"]) == ("/files/1", "1.0.0"))
        #expect((requests[2].headers["Upload-Offset"], requests[2].headers["Content-Length"]) == ("0", "600000"))
        #expect(requests[2].headers["Content-Type"] == "application/offset+octet-stream")
    }

    @Test mutating func chunkSizeSplitsThePatches() async throws {
        (bench.options.chunkSize, bench.options.metadata) = (250_000, ["filename": "ü.mp4", "is_draft": ""])
        _ = try await bench.start(.tus, on: server).task.value
        let patches = server.requests.filter { $0.method == .patch }
        #expect(patches.map(\.bodyLength) == [250_000, 250_000, 100_000])
        #expect(patches.map { $0.headers["Upload-Offset"] } == ["0", "250000", "500000"])
        #expect(model.stored == pattern(600_000))
        #expect(server.requests[1].headers["Upload-Metadata"] == "filename w7wubXA0,filetype dmlkZW8vbXA0,is_draft")
    }

    @Test mutating func checksumIsSentAndA460IsRetried() async throws {
        bench.options.chunkSize = 300_000
        server.enqueue(
            .noContent.header("Tus-Version", "0.2.2, 1.0.0").header("Tus-Extension", "creation,checksum")
                .header("Tus-Checksum-Algorithm", "md5,sha1,sha256"))
        server.enqueue(.created, .status(460))
        _ = try await bench.start(.tus, on: server).task.value
        let patches = server.requests.filter { $0.method == .patch }
        let digests = [0..<300_000, 300_000..<600_000].map { range in
            "sha256 \(Data(SHA256.digest(pattern(600_000)[range])).base64EncodedString())"
        }
        #expect(patches.map { $0.headers["Upload-Checksum"] } == [digests[0], digests[0], digests[1]])
    }

    @Test func fileOverTusMaxSizeIsNotCreated() async throws {
        server.enqueue(
            .noContent.header("Tus-Version", "1.0.0").header("Tus-Extension", "creation")
                .header("Tus-Max-Size", "599999"))
        let failure = try await bench.failure(.tus, on: server)
        #expect((failure.cause, failure.uploadError) == (.uploadFailed(nil), .fileTooLarge(limit: 599_999)))
        #expect(server.requestCount == 1)
    }

    @Test func a413IsATypedError() async throws {
        server.enqueue(.noContent, .status(413))
        #expect(try await bench.failure(.tus, on: server).uploadError == .fileTooLarge(limit: nil))
        server.enqueue(.noContent, .created, .status(413))
        let failure = try await bench.failure(.tus, on: server)
        #expect((failure.uploadError, failure.statusCode) == (.requestTooLarge, 413) && bench.records.all.count == 1)
    }

    @Test(arguments: [
        [MockResponse.noContent.header("Tus-Version", "0.2.2")],
        [.noContent.header("Tus-Version", "1.0.0").header("Tus-Extension", "termination")],
        // The creation is refused, or has no location that can be used.
        [.status(405), .status(201)], [.status(405), .status(412)],
        [.status(405), .status(201).header("Location", "ftp://a.example/1")],
    ]) func serverWithoutTusOrCreationIsUnsupported(_ answers: [MockResponse]) async throws {
        let server = try MockServer()
        server.enqueue(answers)
        #expect(try await bench.failure(.tus, on: server).kind == .unsupported && bench.records.all.isEmpty)
    }

    @Test func invalidUploadOffsetIsRefused() async throws {
        for offset in ["600001", "-1", "9999999999999999999", "ten", "1, 2"] {
            server.enqueue(.noContent, .created, .noContent.header("Upload-Offset", offset))
            #expect(try await bench.failure(.tus, on: server).cause == .uploadFailed(nil), "\(offset)")
            try #require(bench.records.all.first.map(bench.records.remove) != nil)
        }
    }

    @Test func credentialsAreNotSentToAnotherOrigin() async throws {
        let (target, store) = try (MockServer(), UploadModel(.tus).serve())
        target.enqueue(.noContent, .status(201).header("Location", store.url("/files/1").absoluteString))
        let fields: HTTPHeaders = ["Authorization": "Bearer x", "X-Api-Key": "secret", "User-Agent": "Mine"]
        _ = try await bench.upload(.tus, on: target, headers: fields)
        #expect(target.requests.allSatisfy { $0.headers["Authorization"] == "Bearer x" })
        let patch = try #require(store.requests.first)
        #expect((patch.headers["Authorization"], patch.headers["X-Api-Key"]) == (nil, nil))
        #expect(patch.headers["User-Agent"] == "Mine")
    }

    @Test func locationThatDowngradesHTTPSIsRefused() async throws {
        let transport = StubTransport { request, _, _ in
            TransportResponse(status: 201, headers: ["Location": "http://a.example/1"], url: request.url)
        }
        let client = NetworkClient(transport: transport)
        let task = client.resumableUpload(file: bench.file, to: URL.example, options: bench.options).task
        let failure = try await failure { try await task.value }
        guard case .protocolViolation(let text) = failure.uploadError else { throw failure }
        #expect(text.contains("X-Forwarded-Proto"))
    }

    @Test func emptyFileIsCompleteWithItsCreation() async throws {
        let bench = try UploadBench(bytes: 0)
        let (receipt, last) = try await bench.upload(.tus, on: server)
        #expect((receipt.byteCount, server.requests.map(\.method)) == (0, [.options, .post]))
        #expect((last?.isComplete, last?.fractionCompleted) == (true, 1) && bench.records.all.isEmpty)
    }

    @Test mutating func invalidMetadataIsRefused() async throws {
        bench.options.metadata = ["a key": "x"]
        #expect(try await bench.failure(.tus, on: server).cause == .invalidRequest)
    }
}
