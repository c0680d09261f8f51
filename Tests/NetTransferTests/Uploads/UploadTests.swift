import NetTesting
import NetTransfer
import TestLab
import Testing

/// `client.upload(…)` with progress and task (seed 003), over real sockets.
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    private let directory: TemporaryDirectory
    private let server: MockServer

    init() throws {
        directory = try TemporaryDirectory()
        server = try MockServer.receiving()
    }

    @Test func fileIsUploadedWithProgress() async throws {
        let file = try directory.file("movie.mp4", bytes: 3_000_000)
        let (progress, task) = NetworkClient(server).upload(file: file, to: Drop())
        let states = try await progress.collected()
        #expect(try await task.value == Receipt(id: "7"))
        let request = try #require(server.requests.first)
        #expect((request.method, request.path) == (.post, "/files") && request.body == pattern(3_000_000))
        #expect((request.headers["Content-Type"], request.headers["Content-Length"]) == ("video/mp4", "3000000"))
        #expect((states.last?.isComplete, states.last?.bytesCompleted) == (true, 3_000_000))
        #expect(states.dropLast().allSatisfy { !$0.isComplete && $0.totalBytes == 3_000_000 && $0.attempt == 0 })
        #expect(neverGoesBack(states))
    }

    @Test func progressKeepsItsLastValue() async throws {
        let (progress, task) = NetworkClient(server, clock: TestClock()).upload(.data(Data("abc".utf8)), to: Drop())
        _ = try await task.value
        let states = try await progress.collected()
        #expect((states.map(\.description), states.last?.isComplete) == (["100.0% 3 B of 3 B"], true))
    }

    @Test func endpointHeadersOverrideTheMIMEType() async throws {
        let (client, file) = try (NetworkClient(server), directory.file("a.png", bytes: 10))
        let endpoint = Drop(method: .put, headers: ["Content-Type": "image/x-mine", "X-Token": "1"])
        _ = try await client.upload(file: file, to: endpoint, mimeType: "image/other").task.value
        _ = try await client.upload(file: file, to: Drop(), mimeType: "image/other").task.value
        #expect(server.requests.map { $0.headers["Content-Type"] } == ["image/x-mine", "image/other"])
        #expect((server.requests.first?.method, server.requests.first?.headers["X-Token"]) == (.put, "1"))
    }

    @Test func formKeepsItsBoundary() async throws {
        let formData = MultipartFormData([.text(name: "a", value: "x")])
        let endpoint = Drop(headers: ["content-type": "multipart/form-data"])
        let task = NetworkClient(server).upload(formData: formData, to: endpoint).task
        formData.append(value: "late", name: "b")
        _ = try await task.value
        #expect(server.requests.first?.headers.values(for: "Content-Type") == [formData.contentType])
        #expect(server.requests.first?.bodyText.contains("late") == false)
    }

    @Test(arguments: [HTTPMethod.get, .head]) func getAndHeadAreRefused(_ method: HTTPMethod) async throws {
        let transport = StubTransport()
        let client = NetworkClient(environment: Site(baseURL: .example), transport: transport)
        let (progress, task) = client.upload(.data(Data()), to: Drop(method: method))
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect(failure?.cause == .invalidRequest)
        #expect((failure?.underlyingError as? RequestBuildingError)?.message.contains("POST, PUT or PATCH") == true)
        #expect(await progress.reduce(0) { count, _ in count + 1 } == 0 && transport.exchanges.isEmpty)
    }

    @Test func missingFileFailsTheUpload() async throws {
        let missing = directory.file("missing.bin")
        let failure = await #expect(throws: NetworkFailure.self) {
            try await NetworkClient(server).upload(file: missing, to: Drop()).task.value
        }
        #expect((failure?.cause, failure?.kind) == (.uploadFailed(nil), .uploadFailed) && server.requestCount == 0)
    }

    @Test(arguments: [(413, "request_failed"), (200, "decoding_error")])
    func failedUploadIsNotComplete(_ status: Int, _ code: String) async throws {
        let server = try MockServer { _ in .text("no JSON", status: status) }
        let (progress, task) = NetworkClient(server).upload(.data(pattern(100_000)), to: Drop())
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect((failure?.code, failure?.cause.statusCode) == (code, status == 200 ? nil : status))
        #expect(failure?.request?.url?.path == "/files")
        #expect(await progress.reduce(false) { $0 || $1.isComplete } == false)
    }

    @Test func cancellationStopsTheUpload() async throws {
        let server = try MockServer { _ in .ok.fault(.stall(.beforeResponse)) }
        let (progress, task) = NetworkClient(server).upload(.data(pattern(10_000)), to: Drop())
        _ = try await server.takeRequest()
        task.cancel()
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect(await (failure?.cause, progress.reduce(false) { $0 || $1.isComplete }) == (.cancelled, false))
        try await server.waitForOpenConnections()
    }

    @Test func retryStartsANewAttempt() async throws {
        server.enqueue(.status(503))
        let (clock, policy) = (TestClock(), RetryPolicy(maxRetries: 1, delay: .fixed(3)))
        let (progress, task) = NetworkClient(server, retryPolicy: policy, clock: clock)
            .upload(.data(pattern(200_000)), to: Drop(method: .put))
        let states = Locked<[TransferProgress]>([])
        let watcher = Task { for await state in progress { states.withLock { $0.append(state) } } }
        try await clock.waitForSleepers()
        // All of it was sent, and was not taken.
        try await waitUntil("the first attempt was seen") {
            states.withLock { $0.last?.bytesCompleted == 200_000 } ? () : nil
        }
        #expect(states.withLock { $0.allSatisfy { $0.attempt == 0 && !$0.isComplete } })
        await clock.advance(by: 3)
        #expect(try await task.value == Receipt(id: "7"))
        await watcher.value
        let last = try #require(states.withLock { $0.last })
        #expect((last.attempt, last.isComplete, last.bytesCompleted) == (1, true, 200_000))
        #expect(states.withLock { neverGoesBack($0) } && server.requests.map(\.bodyLength) == [200_000, 200_000])
    }

    @Test func a307StartsANewAttempt() async throws {
        server.enqueue(.redirect(to: "/other", status: 307))
        let formData = MultipartFormData()
        try formData.append(fileURL: directory.file("a.bin", bytes: 500_000), name: "a")
        let (progress, task) = NetworkClient(server).upload(formData: formData, to: Drop())
        let states = try await progress.collected()
        _ = try await task.value
        let last = states.last
        #expect((last?.attempt, last?.isComplete) == (1, true) && neverGoesBack(states))
        #expect(server.requests.map(\.path) == ["/files", "/other"])
        #expect(server.requests.last?.bodyLength == last?.totalBytes)
    }

    @Test func a303DoesNotStartANewAttempt() async throws {
        server.enqueue(.redirect(to: "/done", status: 303))
        let (progress, task) = NetworkClient(server).upload(.data(pattern(5000)), to: Drop())
        _ = try await task.value
        let last = await progress.last
        #expect((last?.attempt, last?.bytesCompleted) == (0, 5000) && server.requests.map(\.method) == [.post, .get])
    }

    @Test func transportWithoutProgressCompletes() async throws {
        let transport = StubTransport([.status(200, [:], #"{"id":"1"}"#)])
        let client = NetworkClient(environment: Site(baseURL: .example), transport: transport)
        let (progress, task) = client.upload(.form(["b": 2, "a": "ü&"]), to: Drop())
        #expect(try await task.value.id == "1")
        let last = await progress.last
        #expect(last?.bytesCompleted == last?.totalBytes && last?.isComplete == true)
        #expect(transport.exchanges.first?.body == Data("a=%C3%BC%26&b=2".utf8))
        #expect(transport.sent("Content-Type") == ["application/x-www-form-urlencoded"])
    }

    // MARK: Forms of files

    /// Data and files alone, which a transport may read where they lie; or with a stream, so that it may not.
    private func form(of file: URL, hasStream: Bool = false) throws -> MultipartFormData {
        let formData = MultipartFormData()
        formData.append(value: "first", name: "text")
        formData.append(data: pattern(400_000), name: "data", filename: "a.bin")
        try formData.append(fileURL: file, name: "file")
        try formData.append(fileURL: directory.file("empty", bytes: 0), name: "empty")
        let stream = HTTPBody(stream: AsyncStream.of([pattern(10)]), length: 10)
        if hasStream { formData.append(MultipartFormData.Part(stream), name: "stream") }
        formData.append(value: "last", name: "text")
        return formData
    }

    @Test func formOfDataAndFilesIsUploaded() async throws {
        let formData = try form(of: directory.file("data.bin", bytes: 900_000))
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
        let formData = try form(of: directory.file("data.bin", bytes: 900_000))
        _ = try await client.upload(formData: formData, to: Drop(method: .put)).task.value
        let last = try #require(server.requests.last)
        #expect(last.isBodyComplete && last.connection > 1 && last.bodyLength > 1_300_000)
    }

    @Test(arguments: [0, 899_999, 900_001], [false, true])
    func changedFileLengthFailsTheUpload(_ count: Int, hasStream: Bool) async throws {
        let file = try directory.file("data.bin", bytes: 900_000)
        let formData = try form(of: file, hasStream: hasStream)
        let body = try formData.makeBody()
        #expect((body.pieces == nil) == hasStream)
        try pattern(count).write(to: file)
        let content = Uploader.Content { RequestContentType.EncodedBody(body, contentType: formData.contentType) }
        let (progress, task) = NetworkClient(server).upload(content, to: Drop())
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect((failure?.cause, failure?.isRetryable) == (.uploadFailed(nil), false))
        let message = failure?.transportError?.message ?? ""
        #expect(message.contains("data.bin had 900000 bytes when the body was made, and has \(count) now"))
        // Only the name is sent, since a path is private.
        #expect(!message.contains(directory.url.path))
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
