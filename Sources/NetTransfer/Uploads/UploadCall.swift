import NetClient
import NetCore

/// An upload through a client. It sends the request, and reports the progress.
struct UploadCall: Sendable {
    private let client: NetworkClient
    private let content: Uploader.Content
    private let call: Result<Call, any Error>

    /// - Parameter make: makes the call. It is called at once, since the values that it encodes may belong to the caller's actor.
    init(client: NetworkClient, content: Uploader.Content, _ make: () throws -> Call) {
        self.client = client
        self.content = content
        call = Result(catching: make)
    }

    /// Starts the upload in a new task. `interpret` makes the value from the outcome, and tells whether the upload is complete.
    func start<Value: Sendable>(
        _ interpret: @escaping @Sendable (CallOutcome) async throws -> (value: Value, isComplete: Bool)
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let reporter = ProgressReporter(clock: client.clock)
        let task = TransferTask {
            defer { reporter.end() }
            let (value, isComplete) = try await interpret(await outcome(reporter))
            if isComplete { reporter.finish() }
            return value
        }
        return (reporter.stream, task)
    }

    /// Starts the upload, and decodes the value on the main actor.
    @MainActor
    func startOnMainActor<Value: Decodable>() -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let client = client
        return startUnchecked { @MainActor response in
            UncheckedSendable(
                try response.decoded(by: client.decoder, as: Value.self, timestamp: client.clock.now).getOrFailure())
        }
    }

    /// Starts the upload of a value whose type is checked for `Decodable` at run time.
    func startIfDecodable<Value>() -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let client = client
        let type = UncheckedSendable(Value.self)
        return startUnchecked { response in
            UncheckedSendable(
                try response.decodedIfPossible(by: client.decoder, as: type.value, timestamp: client.clock.now)
                    .getOrFailure())
        }
    }

    /// Starts the upload of a value that is transferred to the caller.
    private func startUnchecked<Value>(
        _ decode: @escaping @Sendable (NetworkResponse<Data>) async throws -> UncheckedSendable<Value>
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let clock = client.clock
        let (progress, task) = start { outcome in
            let response = outcome.serialized(by: DataSerializer(), timestamp: clock.now)
            return (try await decode(response), true)
        }
        return (progress, TransferTask(task) { $0 })
    }

    /// Runs the upload in the caller's task, and decodes the response off the caller's actor.
    @concurrent
    func send<Value: Decodable & Sendable>(
        progress handler: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkFailure) -> Value {
        try await send(progress: handler) { (outcome: CallOutcome) throws(NetworkFailure) -> Value in
            try response(of: outcome).getOrFailure()
        }
    }

    /// Runs the upload in the caller's task, and decodes the response on the caller's actor.
    nonisolated(nonsending) func send<Value: Decodable>(
        progress handler: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkFailure) -> Value {
        try await send(progress: handler) { (outcome: CallOutcome) throws(NetworkFailure) -> Value in
            try outcome.decoded(by: client.decoder, timestamp: client.clock.now).getOrFailure()
        }
    }

    private nonisolated(nonsending) func send<Value>(
        progress handler: (@Sendable (TransferProgress) -> Void)?,
        _ interpret: (CallOutcome) throws(NetworkFailure) -> Value
    ) async throws(NetworkFailure) -> Value {
        let reporter = ProgressReporter(clock: client.clock)
        let watcher = handler.map { handler in
            Task {
                for await progress in reporter.stream { handler(progress) }
            }
        }
        let outcome = await outcome(reporter)
        let result = Result { () throws(NetworkFailure) in try interpret(outcome) }
        if case .success = result { reporter.finish() }
        reporter.end()
        // The last call of the handler has to come before the return.
        await watcher?.value
        return try result.get()
    }

    @concurrent
    private func outcome(_ reporter: ProgressReporter) async -> CallOutcome {
        var request: URLRequest?
        do {
            var call = try client.build(callWithBody)
            request = call.request
            reporter.begin(totalBytes: call.body?.length)
            call.context.progress = reporter.send(call.body?.length)
            let response = try await client.response(for: call.request, body: call.body, context: call.context)
            return CallOutcome(request: call.request, result: .success(response))
        } catch {
            return CallOutcome(request: request, result: .failure(error.ofUpload))
        }
    }

    private func callWithBody() throws -> Call {
        var call = try call.get()
        try Self.checkMethod(call.method)
        let encoded = try content.encoded(as: call.queryEncoding)
        call.body = encoded.body
        call.contentType = encoded.contentType
        if content.fixesContentType { call.headers.add(.contentType(encoded.contentType)) }
        return call
    }

    static func checkMethod(_ method: HTTPMethod) throws {
        guard method != .get, method != .head else {
            throw RequestBuildingError(
                "An upload needs a method that has a body: POST, PUT or PATCH. The method is \(method.rawValue).")
        }
    }

    /// Returns the response, with its value or its error.
    func response<Value: Decodable & Sendable>(of outcome: CallOutcome) -> NetworkResponse<Value> {
        outcome.serialized(by: DecodableSerializer(Value.self, decoder: client.decoder), timestamp: client.clock.now)
    }
}

extension NetworkFailure {
    /// The failure, with an error of the upload's body as ``NetworkError/uploadFailed(_:)``.
    fileprivate var ofUpload: NetworkFailure {
        guard let transportError, transportError.code == .requestBodyFailed else { return self }
        return NetworkFailure(
            cause: .uploadFailed(transportError), request: request, response: response, timestamp: timestamp,
            retryAttempt: retryAttempt)
    }
}
