import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct AwaitedUploadTests {
    private let directory: TemporaryDirectory
    private let server: MockServer
    private let request = Request<Receipt>(method: .post, path: "/upload")

    init() throws {
        directory = try TemporaryDirectory()
        server = try MockServer.receiving()
    }

    @Test func requestsUploadDataFilesAndForms() async throws {
        let client = NetworkClient(server)
        let request = Request<Receipt>(method: .post, path: "/upload", headers: ["X-Token": "1"])
        #expect(try await client.upload(for: request, from: Data("raw".utf8)) == Receipt(id: "7"))
        let formData = MultipartFormData([.text(name: "a", value: "b")])
        for content in try [Uploader.Content.file(directory.file("a.txt", bytes: 9)), .multipart(formData)] {
            #expect(try await client.upload(for: request, from: content) == Receipt(id: "7"))
        }
        let types = server.requests.map { $0.headers["Content-Type"] }
        #expect(types == ["application/octet-stream", "text/plain", formData.contentType])
        #expect(server.requests.first?.body == Data("raw".utf8))
        #expect(server.requests.allSatisfy { $0.headers["X-Token"] == "1" && $0.path == "/upload" })
    }

    @Test func progressHandlerSeesTheEndBeforeTheReturn() async throws {
        let isComplete = Locked(false)
        _ = try await NetworkClient(server).upload(for: request, from: pattern(100_000)) { state in
            isComplete.withLock { $0 = state.isComplete }
        }
        #expect(isComplete.withLock { $0 })
    }

    @Test func progressHandlerEndsBeforeTheFailure() async throws {
        let server = try MockServer { _ in .status(500) }
        let states = Locked<[TransferProgress]>([])
        let failure = try await failure {
            try await NetworkClient(server).upload(for: request, from: pattern(10)) { state in
                states.withLock { $0.append(state) }
            }
        }
        #expect(failure.statusCode == 500)
        let before = states.withLock { $0 }
        #expect(before.allSatisfy { !$0.isComplete })
        await Task.yield()
        #expect(states.withLock { $0.count } == before.count)
    }

    @Test func cancellationStopsTheUpload() async throws {
        let server = try MockServer { _ in .ok.fault(.stall(.beforeResponse)) }
        let client = NetworkClient(server)
        let task = Task { try await client.upload(for: request, from: pattern(10)) { _ in } }
        _ = try await server.takeRequest()
        task.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await task.value }
        try await server.waitForOpenConnections()
    }

    @Test func dataWithAFilenameIsUploadedAsAForm() async throws {
        let receipt: Receipt = try await NetworkClient(server).upload(
            Data("pixels".utf8), filename: "me.png", mimeType: "image/png", to: Drop())
        #expect(receipt.id == "7")
        let text = "form-data; name=\"file\"; filename=\"me.png\"\r\nContent-Type: image/png\r\n\r\npixels\r\n"
        #expect(server.requests.first?.bodyText.contains("Content-Disposition: " + text) == true)
    }

    @Test func multipartFieldsBecomeTheBody() async throws {
        let client = NetworkClient(server)
        let fields: [MultipartDataField] = [
            .file(name: "avatar", filename: "profile.jpg", data: Data("jpeg".utf8), contentType: "image/jpeg"),
            .text(name: "username", value: "john_doe"),
        ]
        let request = Request<Receipt>(method: .post, path: "/upload", contentType: .multipartData(fields))
        #expect(try await client.send(request) == Receipt(id: "7"))
        let sent = try #require(server.requests.first)
        let boundary = try #require(sent.headers["Content-Type"]?.components(separatedBy: "boundary=").last)
        let avatar = "form-data; name=\"avatar\"; filename=\"profile.jpg\"\r\nContent-Type: image/jpeg\r\n\r\njpeg"
        let parts = [avatar, "form-data; name=\"username\"\r\n\r\njohn_doe"]
        let text = parts.map { "--\(boundary)\r\nContent-Disposition: \($0)\r\n" }.joined() + "--\(boundary)--\r\n"
        #expect(sent.bodyText == text)
        let both = Request<Receipt>(
            method: .post, path: "/upload", body: ["a": "b"], contentType: .multipartData(fields))
        #expect(try await failure { try await client.send(both) }.kind == .encodingFailed)
    }
}
