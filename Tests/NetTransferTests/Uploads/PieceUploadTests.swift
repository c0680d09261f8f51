import NetTesting
import NetTransfer
import TestLab
import Testing

/// Forms of data and files alone, which a transport may read where they lie.
@Suite(.timeLimit(.minutes(5))) struct PieceUploadTests {
    private let directory: TemporaryDirectory
    private let file: URL
    private let server: MockServer

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.file("data.bin", bytes: 900_000)
        server = try MockServer.receiving()
    }

    private func form() throws -> MultipartFormData {
        let formData = MultipartFormData()
        formData.append(value: "first", name: "text")
        formData.append(data: pattern(400_000), name: "data", filename: "a.bin")
        try formData.append(fileURL: file, name: "file")
        try formData.append(fileURL: directory.file("empty", bytes: 0), name: "empty")
        formData.append(value: "last", name: "text")
        return formData
    }

    @Test func formOfDataAndFilesIsUploaded() async throws {
        let formData = try form()
        let body = try formData.makeBody()
        #expect(body.pieces?.count == 7)
        let expected = try await body.collect(upTo: .max)
        let (progress, task) = NetworkClient(server).upload(formData: formData, to: Drop())
        _ = try await task.value
        let request = try #require(server.requests.first)
        #expect((request.body, request.headers["Content-Length"]) == (expected, "\(expected.count)"))
        #expect(await progress.last?.bytesCompleted == Int64(expected.count))
    }

    @Test func formIsSentAgainOnAnotherConnection() async throws {
        let client = NetworkClient(server)
        _ = try await client.upload(.data(Data([1])), to: Drop()).task.value
        // The server closes the connection that is used again as soon as it has something of the request.
        server.enqueue(MockResponse.ok.fault(.close(.beforeRequest)))
        _ = try await client.upload(formData: form(), to: Drop(method: .put)).task.value
        let last = try #require(server.requests.last)
        #expect(last.isBodyComplete && last.connection > 1 && last.bodyLength > 1_300_000)
    }

    @Test(arguments: [0, 899_999, 900_001]) func changedFileLengthFailsTheUpload(_ count: Int) async throws {
        let formData = try form()
        let body = try formData.makeBody()
        try pattern(count).write(to: file)
        let content = Uploader.Content { RequestContentType.EncodedBody(body, contentType: formData.contentType) }
        let (progress, task) = NetworkClient(server).upload(content, to: Drop())
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect(failure?.cause == .uploadFailed(nil))
        #expect(failure?.transportError?.message.contains("and has \(count) now") == true)
        #expect(await (failure?.request?.url?.path, progress.last?.isComplete) == ("/files", false))
        try await server.waitForOpenConnections()
        #expect(server.requests.allSatisfy { !$0.isBodyComplete })
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func uploadsCloseTheirFiles() async throws {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let directory = try TemporaryDirectory()
                let server = try MockServer { _ in .json(Receipt(id: "7")) }
                let (client, formData) = (NetworkClient(server), MultipartFormData())
                try formData.append(fileURL: directory.file("a.bin", bytes: 2_000_000), name: "a")
                _ = try await client.upload(formData: formData, to: Drop()).task.value
                server.enqueue(.ok.fault(.reset(.inRequestBody)))
                _ = try? await client.upload(formData: formData, to: Drop()).task.value
                let task = client.upload(formData: formData, to: Drop()).task
                task.cancel()
                _ = try? await task.value
                // A cancelled one lets go of it on the transport's thread, a moment later.
                try await waitUntil("the file is closed") {
                    ResourceCensus().descriptors.values.contains { $0.hasSuffix("a.bin") } ? nil : ()
                }
                await server.stop()
            }
        }
    #endif
}
