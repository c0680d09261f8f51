/// A request with handlers attached one after the other (seed 000, Fluent Chain API).
///
/// It is sent **once**, when the first handler is attached or by ``resume()``; each handler gets the same response, in the
/// order in which they were attached on each queue. A handler attached after the answer is called with it. A chain that is released
/// without having been sent or cancelled logs a warning.
///
/// The body is encoded where it is sent from, at once; only the rest happens in the background.
///
/// A serialiser of one's own is an extension that builds on ``responseData(completion:)`` or ``response(serializer:completion:)``.
public final class RequestChain: Sendable {
    private struct State {
        var isSent = false
        var isCancelled = false
        var task: Task<Void, Never>?
        var handlers: [@Sendable (CallOutcome) -> Void] = []
        var outcome: CallOutcome?
    }

    private let networking: Networking
    private let config: RequestConfig
    private let state = Locked(State())

    init(networking: Networking, config: RequestConfig) {
        self.networking = networking
        self.config = config
    }

    deinit {
        guard state.withLock({ !$0.isSent && !$0.isCancelled }) else { return }
        var request = URLRequest(url: config.url)
        request.httpMethod = config.method.rawValue
        networking.logger.logMessage(
            unsentCallText(RequestSnapshot(request).description, advice: "Attach a handler, or call resume()."),
            level: .warning, logPrivacy: .public)
    }

    /// Sends the request, unless it was sent already.
    @discardableResult
    public func resume() -> Self {
        let (isFirst, isCancelled) = state.withLock { state in
            defer { state.isSent = true }
            return (!state.isSent, state.isCancelled)
        }
        guard isFirst else { return self }
        // Here and not in the task: an `Encodable` may belong to the caller's actor.
        let call = Result { () throws(NetworkFailure) in
            if isCancelled { throw NetworkFailure(cause: .cancelled, timestamp: now) }
            return try networking.prepared(config)
        }
        // The task holds the chain, and with it the client: the answer arrives even if the caller keeps neither.
        let task = Task { await send(call) }
        state.withLock { state in
            if state.isCancelled { task.cancel() }
            if state.outcome == nil { state.task = task }
        }
        return self
    }

    /// Stops the request: its handlers are called with ``NetworkError/cancelled``. Does nothing after the answer.
    public func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Logs the request as a `curl` command, secrets left out.
    @discardableResult
    public func cURLLog() -> Self {
        let logger = networking.logger
        do {
            let call = try networking.prepared(config)
            var request = call.request
            request.httpBody = call.body?.data
            logger.cURLLog(request: request)
        } catch {
            // A log does not change with the user's language.
            let reason = error.cause.localizedDescription(in: Locale(identifier: "en"))
            logger.logMessage(message: "No cURL line: \(reason)", level: .error, logPrivacy: .public)
        }
        return self
    }

    /// Attaches a handler, and sends the request if that was not done yet.
    ///
    /// The handler is called off the caller's thread, since it decodes.
    func attach(_ handler: @escaping @Sendable (CallOutcome) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.handlers.append(handler) }
            return state.outcome
        }
        if let outcome {
            Task { handler(outcome) }
        } else {
            resume()
        }
    }

    /// What decodes if no other decoder is given.
    var decoder: any BodyDecoder { networking.client.decoder }
    /// The time of an error.
    var now: Date { networking.client.clock.now }

    private func send(_ call: Result<PreparedCall, NetworkFailure>) async {
        let outcome = await networking.client.outcome(of: call)
        let handlers = state.withLock { state in
            state.outcome = outcome
            state.task = nil
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler(outcome) }
    }
}
