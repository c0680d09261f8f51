import NetTesting
import NetTransfer
import TestLab
import Testing

/// The examples of draft-ietf-httpbis-resumable-upload-12, as they go over the wire.
@Suite(.timeLimit(.minutes(5))) struct IETFWireTests {
    private var bench: UploadBench
    private let model = UploadModel(.ietf)
    private let server: MockServer

    init() throws {
        bench = try UploadBench()
        server = try model.serve()
    }

    /// Section "Careful Upload Creation", and examples B of creation and of appending.
    @Test func creationAndAppendFollowTheDraft() async throws {
        // The final answer counts, whatever interim ones come before it.
        server.enqueue(
            .status(201).header("Location", "/upload/3fd4994ad").header("Upload-Limit", "max-size=1234567890")
                .preceded(by: 104, headers: ["Location": "/upload/3fd4994ad", "Upload-Draft-Interop-Version": "8"]))
        let (receipt, last) = try await bench.upload(.ietf, on: server)
        #expect(receipt.uploadURL == server.url("/upload/3fd4994ad") && receipt.response?.status == 200)
        #expect(receipt.data == Data(#"{"id":"7"}"#.utf8) && last?.isComplete == true && bench.records.all.isEmpty)
        let requests = server.requests
        #expect(requests.map(\.method) == [.post, .patch])
        #expect(requests.allSatisfy { $0.headers["Upload-Draft-Interop-Version"] == "8" })
        #expect((requests[0].headers["Upload-Complete"], requests[0].headers["Upload-Length"]) == ("?0", "600000"))
        #expect((requests[0].headers["Content-Length"], requests[0].headers["Content-Type"]) == ("0", "video/mp4"))
        #expect(requests[0].headers["Content-Disposition"] == "inline; filename=\"movie.mp4\"")
        #expect((requests[1].path, requests[1].headers["Upload-Complete"]) == ("/upload/3fd4994ad", "?1"))
        #expect((requests[1].headers["Upload-Offset"], requests[1].headers["Content-Length"]) == ("0", "600000"))
        #expect(requests[1].headers["Content-Type"] == "application/partial-upload")
        #expect(requests[1].body == pattern(600_000))
    }

    /// Section "Example 2: Upload as a series of parts"; interim answers with the offset do no harm.
    @Test mutating func chunksAreAppendedInOrder() async throws {
        bench.options.chunkSize = 250_000
        server.enqueue(.created)
        server.on(.patch, "/files/1") { [model] request in
            let offset = Int(request.headers["Upload-Offset"] ?? "") ?? -1
            let isComplete = request.headers["Upload-Complete"] == "?1"
            model.state.withLock { $0.stored.append(request.body) }
            return MockResponse.noContent.header("Upload-Complete", isComplete ? "?1" : "?0")
                .preceded(by: 104, headers: ["Upload-Offset": "\(offset + 1000)", "Upload-Draft-Interop-Version": "8"])
        }
        _ = try await bench.start(.ietf, on: server).task.value
        let patches = server.requests.dropFirst()
        #expect(patches.map { $0.headers["Upload-Complete"] } == ["?0", "?0", "?1"])
        #expect(patches.map { $0.headers["Upload-Offset"] } == ["0", "250000", "500000"])
        #expect(model.stored == pattern(600_000))
    }

    @Test mutating func uploadLimitBoundsTheChunkSize() async throws {
        bench.options.chunkSize = 50_000
        server.enqueue(
            .created.header("Upload-Limit", "max-append-size=400000, min-append-size=200000;x=1, new=\"a,b\""))
        _ = try await bench.start(.ietf, on: server).task.value
        #expect(server.requests.dropFirst().map(\.bodyLength) == [200_000, 200_000, 200_000])
        bench.options.chunkSize = nil
        server.enqueue(.created.header("Upload-Limit", "max-append-size=400000"))
        model.state.withLock { $0.stored = Data() }
        _ = try await bench.start(.ietf, on: server).task.value
        #expect(server.requests.suffix(2).map(\.bodyLength) == [400_000, 200_000])
    }

    @Test func uploadLimitOfA413IsRespected() async throws {
        server.enqueue(.created, .status(413).header("Upload-Limit", "max-append-size=400000"))
        _ = try await bench.start(.ietf, on: server).task.value
        #expect(server.requests.map(\.method) == [.post, .patch, .head, .patch, .patch])
        #expect(server.requests.suffix(2).map(\.bodyLength) == [400_000, 200_000])
        // A limit that no retry satisfies is an error.
        server.enqueue(.created, .status(413).header("Upload-Limit", "max-append-size=600000"))
        #expect(try await bench.failure(.ietf, on: server).uploadError == .requestTooLarge)
    }

    @Test func fileOutsideTheUploadLimitFails() async throws {
        server.enqueue(.status(413).header("Upload-Limit", "max-size=1000"))
        #expect(try await bench.failure(.ietf, on: server).uploadError == .fileTooLarge(limit: 1000))
        server.enqueue(.created.header("Upload-Limit", "max-size=1000"))
        #expect(try await bench.failure(.ietf, on: server).uploadError == .fileTooLarge(limit: 1000))
        // As the draft asks for: what was created is cancelled.
        #expect(server.requests.map(\.method) == [.post, .post, .delete])
        server.enqueue(.created.header("Upload-Limit", "min-size=1000000"))
        #expect(try await bench.failure(.ietf, on: server).uploadError == .fileTooSmall(minimum: 1_000_000))
        #expect(bench.records.all.isEmpty)
    }

    /// Section "Upload Append": an answer with `Upload-Complete: ?1` is the target's, whatever its status.
    @Test func errorStatusOfACompleteUploadIsFinal() async throws {
        server.enqueue(.created, .text("no movie", status: 503).header("Upload-Complete", "?1"))
        let failure = try await bench.failure(.ietf, on: server)
        #expect(failure.cause == .requestFailed(statusCode: 503, data: Data("no movie".utf8)))
        #expect(server.requestCount == 2 && bench.records.all.isEmpty && bench.clock.sleeps.isEmpty)
    }

    /// Section "Offset Retrieval", example B: complete, and the answer was lost.
    @Test func completeUploadIsNotSentAgain() async throws {
        server.enqueue(.created, .ok.fault(.close(.beforeResponse)))
        model.state.withLock { ($0.stored, $0.isComplete) = (pattern(600_000), true) }
        let (receipt, last) = try await bench.upload(.ietf, on: server)
        #expect(receipt.response == nil && receipt.data == nil && last?.isComplete == true)
        #expect(server.requests.map(\.method) == [.post, .patch, .head])
    }

    @Test func emptyPatchCompletesTheUpload() async throws {
        try await bench.begin(.ietf, on: server)
        model.state.withLock { $0.stored = pattern(600_000) }
        #expect(try await bench.start(.ietf, on: server).task.value.response?.status == 200)
        let patch = try #require(server.requests.last)
        #expect((patch.bodyLength, patch.headers["Upload-Offset"]) == (0, "600000"))
        #expect(patch.headers["Upload-Complete"] == "?1")
    }

    @Test func uploadThatNeverCompletesIsAProtocolViolation() async throws {
        server.enqueue(.created)
        server.on(.patch, "/files/1", .noContent)
        server.on(.head, "/files/1", .noContent.header("Upload-Offset", "600000").header("Upload-Complete", "?0"))
        guard case .protocolViolation = try await bench.failure(.ietf, on: server).uploadError else {
            return #expect(Bool(false), "not said")
        }
        #expect(server.requests.count { $0.method == .patch } <= 8)
    }

    @Test func emptyFileIsCompleteWithItsCreation() async throws {
        let bench = try UploadBench(bytes: 0)
        server.enqueue(.json(Receipt(id: "1")).header("Upload-Complete", "?1"))
        #expect(try await bench.start(.ietf, on: server).task.value.data == Data(#"{"id":"1"}"#.utf8))
        #expect(server.requests.first?.headers["Upload-Complete"] == "?1")
    }

    @Test func filenameIsSentInContentDisposition() async throws {
        let bench = try UploadBench(bytes: 1)
        let file = try bench.directory.file("fi\"le ü.jpg", bytes: 3)
        server.enqueue(.created)
        _ = try await NetworkClient(server).resumableUpload(
            file: file, to: Drop(method: .put), protocol: .ietf, options: bench.options
        ).task.value
        let sent = try #require(server.requests.first)
        let disposition = "inline; filename=\"fi_le _.jpg\"; filename*=UTF-8''fi%22le%20%C3%BC.jpg"
        #expect((sent.method, sent.headers["Content-Disposition"]) == (.put, disposition))
    }

    @Test func getIsRefused() async throws {
        let task = NetworkClient(server).resumableUpload(
            file: bench.file, to: Drop(method: .get), protocol: .ietf, options: bench.options
        ).task
        #expect(try await (failure { try await task.value }.cause, server.requestCount) == (.invalidRequest, 0))
    }
}
