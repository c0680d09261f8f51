import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct ResumingTests {
    typealias Kind = ResumableUpload.WireProtocol
    private var bench: UploadBench
    private let model = UploadModel(.tus)
    private let server: MockServer

    init() throws {
        bench = try UploadBench()
        server = try model.serve()
    }

    @Test(arguments: Kind.allCases) func lostConnectionResumesAtTheServersOffset(_ kind: Kind) async throws {
        let (model, server) = try UploadModel.serving(kind)
        if kind == .tus { server.enqueue(.noContent) }
        server.enqueue(.created, .ok.fault(.reset(.inRequestBody)))
        // So much it stored of what was lost.
        model.state.withLock { $0.stored = pattern(600_000).prefix(200_000) }
        #expect(try await bench.upload(kind, on: server).last?.isComplete == true && model.stored == pattern(600_000))
        #expect(server.requests.suffix(3).map(\.method) == [.patch, .head, .patch] && bench.clock.sleeps == [3])
        let last = server.requests.last
        #expect((last?.headers["Upload-Offset"], last?.bodyLength) == ("200000", 400_000))
    }

    @Test(arguments: Kind.allCases) func laterCallResumesTheUpload(_ kind: Kind) async throws {
        let (model, server) = try UploadModel.serving(kind)
        try await bench.begin(kind, on: server)
        let record = try #require(bench.records.all.first)
        #expect(record.fileURL == bench.file.resolvingSymlinksInPath() && record.targetURL == server.url("/files"))
        #expect(record.uploadURL == server.url("/files/1") && record.byteCount == 600_000)
        let before = server.requestCount
        model.state.withLock { $0.stored = pattern(600_000).prefix(123_456) }
        let (progress, task) = bench.start(kind, on: server)
        var first: TransferProgress?
        for await state in progress where first == nil { first = state }
        #expect((first?.bytesCompleted ?? 0) >= 123_456)
        _ = try await task.value
        #expect(server.requests.dropFirst(before).map(\.method) == [.head, .patch] && model.stored == pattern(600_000))
        #expect(bench.records.all.isEmpty)
    }

    @Test(arguments: [404, 410]) func a404Or410StartsOver(_ status: Int) async throws {
        try await bench.begin(.tus, on: server)
        server.enqueue(.status(status), .noContent, .status(201).header("Location", "/files/2"))
        let (receipt, last) = try await bench.upload(.tus, on: server)
        #expect(last?.isComplete == true && bench.clock.sleeps.isEmpty && receipt.uploadURL == server.url("/files/2"))
        #expect(server.requests.suffix(4).map(\.method) == [.head, .options, .post, .patch])
        #expect(server.requests.suffix(4).map(\.path) == ["/files/1", "/files", "/files", "/files/2"])
        #expect(model.stored == pattern(600_000))
    }

    @Test mutating func lostUploadKeepsTheProgress() async throws {
        bench.options.chunkSize = 400_000
        server.enqueue(.noContent, .created, .noContent.header("Upload-Offset", "400000"), .status(404))
        let (progress, task) = bench.start(.tus, on: server)
        let states = try await progress.collected()
        _ = try await task.value
        #expect((states.last?.attempt, states.last?.bytesCompleted) == (1, 600_000) && neverGoesBack(states))
    }

    @Test mutating func repeatedlyLostUploadFails() async throws {
        let server = try MockServer { request in
            switch request.method {
            case .post: .created
            // It takes the first chunk, and forgets.
            case .patch where request.headers["Upload-Offset"] == "0": .noContent.header("Upload-Offset", "100000")
            case .options: .noContent
            default: .notFound
            }
        }
        (bench.options.chunkSize, bench.options.maxRetries) = (100_000, 3)
        #expect(try await bench.failure(.tus, on: server).statusCode == 404)
        #expect(server.requests.count { $0.method == .post } == 4)
    }

    @Test func conflictingOffsetIsRequestedAgain() async throws {
        try await bench.begin(.tus, on: server)
        model.state.withLock { $0.stored = pattern(600_000).prefix(300_000) }
        // An answer that is out of date by the time the bytes come.
        server.enqueue(.noContent.header("Upload-Offset", "100000"))
        _ = try await bench.start(.tus, on: server).task.value
        #expect(server.requests.suffix(4).map(\.method) == [.head, .patch, .head, .patch])
        #expect(server.requests.suffix(3).map { $0.headers["Upload-Offset"] } == ["100000", nil, "300000"])
        #expect(bench.clock.sleeps.isEmpty && model.stored == pattern(600_000))
    }

    @Test func a423AndA503AreRetried() async throws {
        try await bench.begin(.tus, on: server)
        server.enqueue(.status(423), .status(503).header("Retry-After", "20"))
        _ = try await bench.start(.tus, on: server).task.value
        #expect(bench.clock.sleeps == [3, 20])
    }

    /// A 502 is retried as often as `maxRetries` says, a 403 never.
    @Test(arguments: [(502, [1, 2]), (403, [])] as [(Int, [TimeInterval])])
    mutating func errorStatusFailsTheUploadAndKeepsTheRecord(_ status: Int, _ sleeps: [TimeInterval]) async throws {
        try await bench.begin(.tus, on: server)
        (bench.options.maxRetries, bench.options.delay) = (2, .exponential(base: 1, jitter: 0))
        server.on(.head, "/files/1", .status(status))
        #expect(try await (bench.failure(.tus, on: server).statusCode, bench.clock.sleeps) == (status, sleeps))
        #expect(bench.records.all.count == 1)
    }

    @Test func expiredUploadStartsOver() async throws {
        let end = bench.clock.now.addingTimeInterval(100)
        let date = HTTPDate.string(from: end)
        model.state.withLock { $0.fields = ["Upload-Expires": date] }
        server.enqueue(.noContent, .created.header("Upload-Expires", date), .status(403))
        _ = try await bench.failure(.tus, on: server)
        #expect(bench.records.all.first?.expirationDate == end)
        try await bench.clock.sleep(for: 101)
        model.state.withLock { $0.fields = [:] }
        let before = server.requestCount
        _ = try await bench.start(.tus, on: server).task.value
        #expect(server.requests.dropFirst(before).map(\.method) == [.options, .post, .patch])
    }

    @Test func changedFileIsRefused() async throws {
        try await bench.begin(.tus, on: server)
        let before = server.requestCount
        // Of the same size.
        try Data(pattern(600_001).dropFirst()).write(to: bench.file)
        let failure = try await bench.failure(.tus, on: server)
        #expect((failure.cause, failure.uploadError, server.requestCount) == (.uploadFailed(nil), .fileChanged, before))
        let record = try #require(bench.records.all.first)
        try await NetworkClient(server).discardResumableUpload(record, records: bench.records)
        #expect((server.requests.last?.method, server.requests.last?.headers["Tus-Resumable"]) == (.delete, "1.0.0"))
        _ = try await bench.start(.tus, on: server).task.value
    }

    @Test mutating func fileChangedBetweenRequestsIsRefused() async throws {
        bench.options.chunkSize = 400_000
        let file = bench.file
        server.enqueue(.noContent, .created)
        server.on(.patch, "/files/1") { _ in
            try pattern(700_000).write(to: file)
            return .noContent.header("Upload-Offset", "400000")
        }
        #expect(try await bench.failure(.tus, on: server).uploadError == .fileChanged)
        #expect(server.requests.count { $0.method == .patch } == 1)
    }

    @Test func fileTruncatedDuringTheUploadIsRefused() async throws {
        let bench = try UploadBench(bytes: 40_000_000)
        let server = try MockServer(keepingBodiesUpTo: 0) { _ in .noContent }
        let file = bench.file
        server.enqueue(.noContent, .created, .ok.readingRequest(bytesPerSecond: 4_000_000))
        let (progress, task) = bench.start(.tus, on: server)
        for await state in progress where state.bytesCompleted > 0 { break }
        try pattern(1000).write(to: file)
        #expect(try await failure { try await task.value }.uploadError == .fileChanged)
        try await server.waitForOpenConnections()
        #expect(server.requests.last?.isBodyComplete == false)
    }

    @Test func sameUploadIsRefusedWhileItRuns() async throws {
        server.enqueue(.noContent.fault(.stall(.beforeResponse)))
        let first = bench.start(.tus, on: server).task
        _ = try await server.takeRequest()
        #expect(try await bench.failure(.tus, on: server).uploadError == .alreadyRunning)
        var other = bench
        other.options.partition = "another user"
        _ = try await other.start(.tus, on: server).task.value
        first.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await first.value }
        _ = await first.outcome
        _ = try await bench.start(.tus, on: server).task.value
    }

    @Test func cancellationKeepsTheRecord() async throws {
        let (progress, task) = try await bench.stall(.tus, on: server)
        task.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await task.value }
        #expect(await (progress.reduce(false) { $0 || $1.isComplete }, bench.records.all.count) == (false, 1))
        try await server.waitForOpenConnections()
    }

    @Test(arguments: Kind.allCases) func pausedUploadResumes(_ kind: Kind) async throws {
        let (model, server) = try UploadModel.serving(kind)
        let task = try await bench.stall(kind, on: server).task
        let before = server.requestCount
        try task.pause()
        try task.pause()
        try await server.waitForOpenConnections()
        #expect(server.requestCount == before)
        model.state.withLock { $0.stored = pattern(600_000).prefix(1000) }
        try task.resume()
        try task.resume()
        _ = try await task.value
        #expect(server.requests.last?.headers["Upload-Offset"] == "1000" && model.stored == pattern(600_000))
        #expect(bench.clock.sleeps.isEmpty)
    }

    @Test func pausedUploadCanBeCancelled() async throws {
        // Before there is an upload.
        server.enqueue(.noContent.fault(.stall(.beforeResponse)))
        let early = bench.start(.tus, on: server).task
        _ = try await server.takeRequest()
        try early.pause()
        try await server.waitForOpenConnections()
        early.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await early.value }
        let task = try await bench.stall(.tus, on: server).task
        try task.pause()
        try await server.waitForOpenConnections()
        task.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await task.value }
    }

    @Test func discardRespectsTheServersStatus() async throws {
        try await bench.begin(.tus, on: server)
        let record = try #require(bench.records.all.first)
        let (client, records) = (NetworkClient(server), bench.records)
        server.enqueue(.status(500))
        let failure = try await failure { try await client.discardResumableUpload(record, records: records) }
        #expect((failure.statusCode, bench.records.all.count) == (500, 1))
        server.enqueue(.status(410))
        try await client.discardResumableUpload(record, records: records)
        #expect(bench.records.all.isEmpty)
    }

    @Test func endpointOptionsApplyToEachRequest() async throws {
        var endpoint = Drop()
        endpoint.options.onRequest = { $0.setValue("1", forHTTPHeaderField: "X-Own") }
        let client = NetworkClient(server, clock: bench.clock)
        _ = try await client.resumableUpload(file: bench.file, to: endpoint, options: bench.options).task.value
        #expect(server.requests.map(\.method) == [.options, .post, .patch])
        #expect(server.requests.allSatisfy { $0.headers["X-Own"] == "1" })
    }
}
