/// A request with handlers that are attached one after the other.
///
/// It is sent **once**, when the first handler is attached or by ``resume()``. All handlers get the same response, on each queue in the
/// order in which they were attached. A handler that is attached after the response is called with it. A chain that is released without
/// being sent or cancelled logs a warning.
///
/// The body is encoded at once, where the chain is sent from; everything else happens in the background.
///
/// A custom serialiser is an extension that calls ``responseData(completion:)`` or ``response(serializer:completion:)``.
public final class RequestChain: Sendable {
    private struct State {
        var isSent = false
        var isCancelled = false
        var task: Task<Void, Never>?
        var outcome: CallOutcome?
    }

    private let networking: Networking
    private let config: RequestConfig
    private let state = Locked(State())
    /// Calls the handlers, one after the other. Inactive until there is a response.
    private let queue = DispatchQueue(label: "networking.chain", attributes: .initiallyInactive)

    init(networking: Networking, config: RequestConfig) {
        self.networking = networking
        self.config = config
    }

    deinit {
        // Dispatch traps if an inactive queue is released.
        queue.activate()
        guard state.withLock({ !$0.isSent && !$0.isCancelled }) else { return }
        var request = URLRequest(url: config.url)
        request.httpMethod = config.method.rawValue
        networking.client.reportUnsent(request, advice: "Attach a handler, or call resume().")
    }

    /// Sends the request, unless it was sent before.
    @discardableResult
    public func resume() -> Self {
        let (isFirst, isCancelled) = state.withLock { state in
            defer { state.isSent = true }
            return (!state.isSent, state.isCancelled)
        }
        guard isFirst else { return self }
        // Not in the task, since an `Encodable` may belong to the caller's actor.
        let call = Result { () throws(NetworkFailure) in
            if isCancelled { throw NetworkFailure(cause: .cancelled, timestamp: now) }
            return try networking.build(config)
        }
        // The task keeps the chain and the client alive, so the response arrives even if the caller keeps neither.
        let task = Task { await send(call) }
        state.withLock { state in
            if state.isCancelled { task.cancel() }
            if state.outcome == nil { state.task = task }
        }
        return self
    }

    /// Cancels the request. Its handlers are called with ``NetworkError/cancelled``. Does nothing after the response.
    public func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Logs the request as a `curl` command without its secrets.
    @discardableResult
    public func cURLLog() -> Self {
        let logger = networking.logger
        do {
            let call = try networking.build(config)
            var request = call.request
            request.httpBody = call.body?.data
            logger.cURLLog(request: request)
        } catch {
            // Logs are in English, whatever the user's language.
            let reason = error.cause.localizedDescription(in: Locale(identifier: "en"))
            logger.logMessage(message: "No cURL line: \(reason)", level: .error, logPrivacy: .public)
        }
        return self
    }

    /// Attaches a handler, and sends the request if it was not sent before. The handler is called on another thread, since it decodes.
    func attach(_ handler: @escaping @Sendable (CallOutcome) -> Void) {
        queue.async { [self] in if let outcome = state.withLock(\.outcome) { handler(outcome) } }
        resume()
    }

    var decoder: any BodyDecoder { networking.client.decoder }
    var now: Date { networking.client.clock.now }

    private func send(_ call: Result<BuiltCall, NetworkFailure>) async {
        let outcome = await networking.client.outcome(of: call)
        state.withLock { state in (state.outcome, state.task) = (outcome, nil) }
        queue.activate()
    }
}
