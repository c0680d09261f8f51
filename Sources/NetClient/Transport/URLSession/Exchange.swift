/// One request on its way: takes what the session's delegate hears, and gives it to whoever waits for the response and
/// reads its body.
///
/// All state stands behind one lock. Continuations, tasks and the caller's closures are called after it is released.
final class Exchange: Sendable {
    struct State {
        var phase = TransportError.Phase.preparing
        var task: URLSessionTask?
        var waiter: CheckedContinuation<TransportResponse, any Error>?
        var head: ResponseHead?
        /// What was received and not read yet; for a collected response, all of it.
        var buffer = Data()
        var reader: CheckedContinuation<Data?, any Error>?
        var end: Result<Void, any Error>?
        var whenEnded: [@Sendable () -> Void] = []
        var progress = TransportProgress()
        var lastActivity: UInt64
        var version = HTTPVersion.http1_1
        var metrics = TransportMetrics()
        /// Held until the task has ended: see ``UploadFeed/fail()``.
        var feed: UploadFeed?
        /// Reads the request's body.
        var pump: Task<Void, Never>?
        var hasGivenStream = false
    }

    let url: URL?
    let method: String?
    let upload: Upload
    let limits: TransportConfiguration.Limits
    let delivery: ResponseDelivery
    let defersHead: Bool
    /// Whether the client certificate may be shown to the server.
    let showsCertificate: Bool
    private let deadlines: ExchangeDeadlines
    let reportProgress: (@Sendable (TransportProgress) -> Void)?
    /// Written under the lock of `state`, so that no change is lost.
    private let metrics = MetricsBox(TransportMetrics())
    private let start = ExchangeTimer.now
    private let timer = Locked<ExchangeTimer?>(nil)
    let state: Locked<State>
    let flow = Locked(false)

    init(
        _ request: URLRequest, upload: Upload, configuration: TransportConfiguration, context: RequestContext
    ) {
        url = request.url
        method = request.httpMethod
        self.upload = upload
        limits = configuration.limits
        delivery = context.delivery
        defersHead = URLSessionPlatform.defersHead(of: request)
        showsCertificate = ClientCertificateScope(configuration)?.includes(request.url, context) ?? false
        reportProgress = context.progress
        deadlines = ExchangeDeadlines(
            request: request, timeouts: configuration.timeouts, remaining: context.timeRemaining)
        var state = State(lastActivity: start)
        state.progress.bytesToSend = upload.length
        self.state = Locked(state)
    }

    /// Who waits for the response. Answered at once if the exchange has ended before.
    func deliver(to waiter: CheckedContinuation<TransportResponse, any Error>) {
        let error: (any Error)? = state.withLock { state in
            if case .failure(let error) = state.end { return error }
            state.waiter = waiter
            return nil
        }
        if let error { waiter.resume(throwing: error) }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    func attach(_ task: URLSessionTask) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.task = task }
            return state.end != nil
        }
        if hasEnded { Self.cancel(task) }
    }

    /// Starts the timers.
    func startClock() {
        guard deadlines.idle != nil || deadlines.total != nil else { return }
        timer.withLock { $0 = ExchangeTimer { [weak self] in self?.checkTime() } }
        checkTime()
    }

    /// Starts the task.
    func resume() {
        let task = state.withLock { state in
            state.phase = .waiting
            state.lastActivity = ExchangeTimer.now
            return state.end == nil ? state.task : nil
        }
        task?.resume()
    }

    /// Runs when the exchange ends; at once if it has.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.whenEnded.append(body) }
            return state.end != nil
        }
        if hasEnded { body() }
    }

    private func checkTime() {
        let last = state.withLock { $0.end == nil ? $0.lastActivity : nil }
        // The server is not to blame while it has to wait for the reader.
        guard let last else { return timer.withLock { $0?.cancel() } }
        let isPaused = flow.withLock { $0 }
        let (expired, next) = deadlines.check(lastActivity: isPaused ? ExchangeTimer.now : last)
        switch expired {
        case .totalTimeout?: stop(error(.totalTimeout, "The time for this exchange ran out."))
        case .some: stop(error(.idleTimeout, "For too long no byte came or went."))
        case nil: if let next { timer.withLock { $0?.fire(at: next) } }
        }
    }

    /// Ends the exchange and its task, without what has been received. Does nothing if it has ended.
    func stop(_ error: any Error) {
        if let task = finish(.failure(error), keepsBuffer: false)?.task { Self.cancel(task) }
    }

    /// Cancelling may wait for the session's queue, which may be busy in a name look-up: not on the caller's thread.
    private static func cancel(_ task: URLSessionTask) {
        DispatchQueue.global().async { task.cancel() }
    }

    /// Ends the exchange, once. Gives its last state, if this was its end.
    @discardableResult
    func finish(_ result: Result<Void, any Error>, keepsBuffer: Bool = true) -> State? {
        let ended: State? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = result
            let progress = state.progress
            updateMetrics(of: &state) { metrics, elapsed in
                metrics.total = metrics.total ?? elapsed
                metrics.bytesSent = max(metrics.bytesSent, progress.bytesSent)
                metrics.bytesReceived = max(metrics.bytesReceived, progress.bytesReceived)
            }
            if !keepsBuffer { state.buffer = Data() }
            let old = state
            state.waiter = nil
            state.whenEnded = []
            state.task = nil
            state.pump = nil
            state.reader = nil
            return old
        }
        guard let ended else { return nil }
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
        ended.pump?.cancel()
        ended.feed?.fail()
        switch result {
        case .success:
            if let waiter = ended.waiter { answer(waiter, from: ended) }
            ended.reader?.resume(returning: nil)
        case .failure(let error):
            ended.waiter?.resume(throwing: error)
            ended.reader?.resume(throwing: error)
        }
        ended.whenEnded.forEach { $0() }
        return ended
    }

    private func answer(_ waiter: CheckedContinuation<TransportResponse, any Error>, from state: State) {
        guard let head = state.head else {
            return waiter.resume(throwing: error(.other, "URLSession gave no response and no error."))
        }
        waiter.resume(returning: response(head, body: HTTPBody(state.buffer), version: state.version))
    }

    func response(_ head: ResponseHead, body: HTTPBody, version: HTTPVersion) -> TransportResponse {
        var response = TransportResponse(
            status: head.status, headers: head.headers, url: head.url ?? url, version: version, body: body,
            metricsBox: metrics)
        if head.isDecoded { response.noteDecoded() }
        return response
    }

    func error(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil) -> TransportError {
        TransportError(code, phase: phase ?? state.withLock { $0.phase }, message: message, url: url)
    }

    /// Call it with the lock held: changes the metrics, given the seconds since the start.
    func updateMetrics(of state: inout State, _ change: (inout TransportMetrics, TimeInterval) -> Void) {
        change(&state.metrics, TimeInterval(ExchangeTimer.now - start) / 1_000_000_000)
        metrics.metrics = state.metrics
    }
}
