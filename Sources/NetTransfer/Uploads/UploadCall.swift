import NetClient
import NetCore

/// One upload on its way through a client: lowers it, sends it, and tells of its progress.
struct UploadCall: Sendable {
    let client: NetworkClient
    let content: UploadContent
    var options = CallOptions()
    /// Everything of the request but the body.
    let lower: @Sendable () throws -> RequestBuilder

    /// Starts it, in a task of its own.
    ///
    /// - Parameter interpret: makes the value of what came of it. The upload is complete if it does.
    func start<Value: Sendable>(
        _ interpret: @escaping @Sendable (CallOutcome) throws -> (value: Value, isComplete: Bool)
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let reporter = ProgressReporter(clock: client.clock)
        let task = TransferTask { try await run(reporter, interpret) }
        return (reporter.stream, task)
    }

    /// Starts it, for a value that is decoded.
    func start<Value: Decodable & Sendable>() -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        start(value)
    }

    /// Sends it in the caller's task.
    func send<Value: Decodable & Sendable>(
        progress handler: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkFailure) -> Value {
        let reporter = ProgressReporter(clock: client.clock)
        let watcher = handler.map { handler in
            Task {
                for await progress in reporter.stream { handler(progress) }
            }
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await run(reporter, value))
        } catch {
            result = .failure(error)
        }
        // The last call of the handler comes before the return.
        await watcher?.value
        do {
            return try result.get()
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: client.clock.now)
        }
    }

    private func run<Value>(
        _ reporter: ProgressReporter, _ interpret: @Sendable (CallOutcome) throws -> (value: Value, isComplete: Bool)
    ) async throws -> Value {
        defer { reporter.end() }
        let (value, isComplete) = try interpret(await outcome(reporter))
        if isComplete { reporter.finish() }
        return value
    }

    private func outcome(_ reporter: ProgressReporter) async -> CallOutcome {
        var request: URLRequest?
        do {
            var call = try client.prepared(options) { try builder() }
            request = call.request
            reporter.begin(totalBytes: call.body?.length)
            call.context.progress = { reporter.report($0) }
            let response = try await client.response(for: call.request, body: call.body, context: call.context)
            return CallOutcome(request: call.request, result: .success(response))
        } catch {
            return CallOutcome(request: request, result: .failure(error.ofUpload))
        }
    }

    private func builder() throws -> RequestBuilder {
        var builder = try lower()
        guard builder.method != .get, builder.method != .head else {
            throw RequestBuildingError(
                "An upload needs a method that has a body: POST, PUT or PATCH. The request says \(builder.method.rawValue)."
            )
        }
        let encoded = try content.encoded()
        builder.body = encoded.body
        builder.contentType = encoded.contentType
        if content.fixesContentType { builder.headers.add(.contentType(encoded.contentType)) }
        return builder
    }

    private func value<Value: Decodable & Sendable>(
        of outcome: CallOutcome
    ) throws -> (value: Value, isComplete: Bool) {
        let response: NetworkResponse<Value> = response(of: outcome)
        if let failure = response.failure { throw failure }
        return (try response.get(), true)
    }

    /// The response with its value or its error.
    func response<Value: Decodable & Sendable>(of outcome: CallOutcome) -> NetworkResponse<Value> {
        outcome.serialized(by: DecodableSerializer(Value.self, decoder: client.decoder), timestamp: client.clock.now)
    }
}

extension NetworkFailure {
    /// The same failure; one of the body that was to be read, and not of the network, as ``NetworkError/uploadFailed(_:)``.
    fileprivate var ofUpload: NetworkFailure {
        guard let transportError, transportError.code == .requestBodyFailed else { return self }
        return NetworkFailure(
            cause: .uploadFailed(transportError), request: request, response: response, timestamp: timestamp,
            retryAttempt: retryAttempt)
    }
}
