import NetTesting
import NetTransfer
import TestLab
import Testing

/// A server of one of the protocols, in memory: what it answers after what a test has scripted.
final class UploadModel: Sendable {
    struct State {
        var stored = Data()
        var isComplete = false
        /// The fields of each answer.
        var fields = HTTPHeaders()
    }

    let kind: ResumableUpload.WireProtocol
    let state = Locked(State())
    var stored: Data { state.withLock { $0.stored } }
    init(_ kind: ResumableUpload.WireProtocol) { self.kind = kind }

    func serve() throws -> MockServer {
        try MockServer { request in
            self.state.withLock { state in
                let response = self.answer(request, &state)
                return state.fields.reduce(response) { $0.header($1.name, $1.value) }
            }
        }
    }

    static func serving(_ kind: ResumableUpload.WireProtocol) throws -> (UploadModel, MockServer) {
        let model = UploadModel(kind)
        return (model, try model.serve())
    }

    private func answer(_ request: RecordedRequest, _ state: inout State) -> MockResponse {
        switch request.method {
        case .options:
            return .noContent.header("Tus-Version", "1.0.0").header("Tus-Extension", "creation,expiration,termination")
        case .post:
            (state.stored, state.isComplete) = (Data(), request.headers["Upload-Length"] == "0")
            return .status(201).header("Location", "/files/1")
        case .head:
            let response = MockResponse.noContent.header("Upload-Offset", "\(state.stored.count)")
            return kind == .tus ? response : response.header("Upload-Complete", state.isComplete ? "?1" : "?0")
        case .patch:
            guard request.headers["Upload-Offset"] == "\(state.stored.count)" else { return .status(409) }
            state.stored.append(request.body)
            guard kind == .ietf else { return .noContent.header("Upload-Offset", "\(state.stored.count)") }
            state.isComplete = request.headers["Upload-Complete"] == "?1"
            let response = state.isComplete ? MockResponse.json(Receipt(id: "7")) : .noContent
            return response.header("Upload-Complete", state.isComplete ? "?1" : "?0")
        case .delete: return .noContent
        default: return .status(405)
        }
    }
}

struct UploadBench {
    let directory: TemporaryDirectory
    let file: URL
    let clock = TestClock(autoAdvance: true)
    var options = ResumableUpload.Options()
    var records: ResumableUpload.Records { options.records }

    init(bytes: Int = 600_000) throws {
        directory = try TemporaryDirectory()
        file = try directory.file("movie.mp4", bytes: bytes)
        (options.records, options.delay) = (ResumableUpload.Records(directory: directory.file("records")), .fixed(3))
    }

    func start(
        _ kind: ResumableUpload.WireProtocol, on server: MockServer, headers: HTTPHeaders = [:]
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        NetworkClient(server, clock: clock).resumableUpload(
            file: file, to: server.url("/files"), protocol: kind, headers: headers, options: options)
    }

    /// Uploads, and returns the receipt and the last progress.
    func upload(
        _ kind: ResumableUpload.WireProtocol, on server: MockServer, headers: HTTPHeaders = [:]
    ) async throws -> (receipt: ResumableUpload.Receipt, last: TransferProgress?) {
        let (progress, task) = start(kind, on: server, headers: headers)
        return (try await task.value, await progress.last)
    }

    func failure(_ kind: ResumableUpload.WireProtocol, on server: MockServer) async throws -> NetworkFailure {
        let task = start(kind, on: server).task
        return try #require(await #expect(throws: NetworkFailure.self) { try await task.value })
    }

    /// Starts an upload, and returns when its content is there and gets no answer.
    func stall(
        _ kind: ResumableUpload.WireProtocol, on server: MockServer
    ) async throws -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        if kind == .tus { server.enqueue(.noContent) }
        server.enqueue(.created, .ok.fault(.stall(.beforeResponse)))
        let transfer = start(kind, on: server)
        while try await server.takeRequest().method != .patch {}
        return transfer
    }

    /// Begins an upload of which nothing arrives, so that there is a record of it.
    func begin(_ kind: ResumableUpload.WireProtocol, on server: MockServer) async throws {
        var bench = self
        bench.options.maxRetries = 0
        if kind == .tus { server.enqueue(.noContent) }
        server.enqueue(.created, .ok.fault(.reset(.inRequestBody)))
        #expect(try await (bench.failure(kind, on: server).cause, records.all.count) == (.networkUnavailable, 1))
    }
}

extension NetworkFailure { var uploadError: ResumableUpload.Failure? { underlyingError as? ResumableUpload.Failure } }

extension MockResponse {
    /// Of the creation. The connection is closed: libcurl itself replaces a used connection that breaks before a response.
    static let created = MockResponse.status(201).header("Location", "/files/1").closingConnection()
}
