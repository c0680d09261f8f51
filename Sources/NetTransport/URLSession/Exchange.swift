import Dispatch

/// One request: takes the events of the session's delegate, and delivers them to the caller and to the reader of the response's body. One
/// lock guards all state. Continuations, tasks and the caller's closures are called after it is released.
final class Exchange: Sendable {
    struct State {
        var phase = TransportError.Phase.preparing
        var task: URLSessionTask?
        var waiter: CheckedContinuation<TransportResponse, any Error>?
        var head: ResponseHead?
        /// The bytes that were received and not read; for a collected response, the whole body.
        var buffer = Data()
        var reader: CheckedContinuation<Data?, any Error>?
        var end: Result<Void, any Error>?
        var progress = RequestContext.Progress()
        var lastActivity: UInt64
        /// The time of ``lastActivity`` at which the session began to wait for a network, until the next activity.
        var waitingSince: UInt64?
        var version = HTTPVersion.http1_1
        var metrics = TransportResponse.Metrics()
        /// The server's certificates, if the exchange opened the connection and the adapter evaluated them.
        var certificates: CertificateChain?
        /// Kept until the task has ended: see ``UploadFeed/fail()``.
        var feed: UploadFeed?
        /// Reads the request's body.
        var pump: Task<Void, Never>?
        var hasGivenStream = false
    }

    let context: RequestContext
    let url: URL?
    let method: String?
    let upload: Upload
    let limits: TransportConfiguration.Limits
    let delivery: RequestContext.Delivery
    /// The client that sends it; nil outside of a client.
    let group: ObjectIdentifier?
    let defersHead: Bool
    /// Whether the client certificate may be shown to the server.
    let showsCertificate: Bool
    private let deadlines: ExchangeDeadlines
    let reportProgress: (@Sendable (RequestContext.Progress) -> Void)?
    let reportStep: (@Sendable (NetworkEvent.Step) -> Void)?
    /// Written under the lock of `state`, so that changes do not overwrite each other.
    private let metrics = MetricsBox(TransportResponse.Metrics())
    private let start = ExchangeDeadlines.now
    private let timer = Locked<TimerQueue.Ticket?>(nil)
    let state: Locked<State>
    let flow = Locked(false)

    init(_ request: URLRequest, upload: Upload, configuration: TransportConfiguration, context: RequestContext) {
        url = request.url
        method = request.httpMethod
        self.upload = upload
        limits = configuration.limits
        delivery = context.delivery
        group = context.pipeline.group.map { ObjectIdentifier($0) }
        defersHead = URLSessionPlatform.defersHead(of: request)
        self.context = context
        showsCertificate = ClientCertificateScope(configuration)?.includes(request.url, context) ?? false
        reportProgress = context.progress
        reportStep = context.stepReport
        deadlines = ExchangeDeadlines(
            request: request, timeouts: configuration.timeouts, remaining: context.timeRemaining)
        var state = State(lastActivity: start)
        state.progress.bytesToSend = upload.length
        self.state = Locked(state)
    }

    /// Sets the continuation that receives the response, or resumes it at once if the exchange has ended.
    func deliver(to waiter: CheckedContinuation<TransportResponse, any Error>) {
        let error: (any Error)? = state.withLock { state in
            if case .failure(let error) = state.end { return error }
            state.waiter = waiter
            return nil
        }
        if let error { waiter.resume(throwing: error) }
    }

    /// Stops the idle timeout until the next activity: the session waits for a network.
    func waitForConnectivity() {
        state.withLock { state in
            state.lastActivity = ExchangeDeadlines.now
            state.waitingSince = state.lastActivity
        }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    func attach(_ task: URLSessionTask) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.task = task }
            return state.end != nil
        }
        if hasEnded { Self.cancel(task) }
    }

    /// Starts the task.
    func resume() {
        let task = state.withLock { state in
            state.phase = .waiting
            state.lastActivity = ExchangeDeadlines.now
            return state.end == nil ? state.task : nil
        }
        task?.resume()
    }

    /// Ends the exchange if its time has come. Otherwise checks again when it can have come.
    func checkTime() {
        let last: UInt64? = state.withLock { state in
            guard state.end == nil else { return nil }
            // Nor while the session waits for a network.
            return state.waitingSince == state.lastActivity ? ExchangeDeadlines.now : state.lastActivity
        }
        // While the server waits for the reader, the idle timeout does not run.
        guard let last else { return }
        let isPaused = flow.withLock { $0 }
        let (expired, wait) = deadlines.check(lastActivity: isPaused ? ExchangeDeadlines.now : last)
        switch expired {
        case .totalTimeout?: stop(error(.totalTimeout, "The exchange took longer than its total timeout."))
        case .some: stop(error(.idleTimeout, "No byte was sent or received within the idle timeout."))
        case nil:
            guard let wait else { return }
            let ticket = TimerQueue.shared.schedule(after: wait) { [weak self] in self?.checkTime() }
            timer.withLock { $0 = ticket }
            // It may have ended meanwhile, without this ticket.
            if state.withLock({ $0.end != nil }) { TimerQueue.shared.cancel(ticket) }
        }
    }

    /// Ends the exchange and its task, and drops the received bytes. Does nothing if it has ended.
    func stop(_ error: any Error) {
        if let task = finish(.failure(error), keepsBuffer: false)?.task { Self.cancel(task) }
    }

    /// Cancels off the caller's thread: cancelling may wait for the session's queue, which may be busy with a name look-up.
    private static func cancel(_ task: URLSessionTask) { DispatchQueue.global().async { task.cancel() } }

    /// Ends the exchange, once. Returns its last state, or nil if it had ended before.
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
            (state.waiter, state.reader, state.task, state.pump) = (nil, nil, nil, nil)
            return old
        }
        guard let ended else { return nil }
        if let ticket = timer.withLock({ $0 }) { TimerQueue.shared.cancel(ticket) }
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
        if head.isDecoded { response.markDecoded() }
        return response
    }

    func error(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil) -> TransportError {
        TransportError(code, phase: phase ?? state.withLock { $0.phase }, message: message, url: url)
    }

    /// Sets the connection. Call it with the lock held.
    func setConnection(_ connection: TransportResponse.Connection) { metrics.connection = ConnectionBox(connection) }

    /// Changes the metrics, given the seconds since the start. Call it with the lock held.
    func updateMetrics(of state: inout State, _ change: (inout TransportResponse.Metrics, TimeInterval) -> Void) {
        change(&state.metrics, TimeInterval(ExchangeDeadlines.now - start) / 1_000_000_000)
        metrics.metrics = state.metrics
    }
}

/// The times when an exchange must end, in nanoseconds of ``now``.
struct ExchangeDeadlines: Sendable {
    /// Nanoseconds of the monotonic clock.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// The longest time without a byte; nil for no limit.
    let idle: UInt64?
    /// The time when the exchange must end; nil for no limit.
    let total: UInt64?

    init(request: URLRequest, timeouts: TransportConfiguration.Timeouts, remaining: TimeInterval?) {
        idle = Self.nanoseconds(request.idleTimeout(or: timeouts.idle))
        // A call without time left is a limit, unlike a timeout of zero.
        let rest = remaining.flatMap { $0 > 0 ? Self.nanoseconds($0) : 0 }
        total = [Self.nanoseconds(timeouts.total), rest].compactMap { $0 }.min().map { ExchangeDeadlines.now + $0 }
    }

    /// Nil for nil, for what is not above zero, and for 100 years or more.
    private static func nanoseconds(_ seconds: TimeInterval?) -> UInt64? {
        guard let seconds, seconds > 0, seconds < .longestWait else { return nil }
        return UInt64(seconds * 1_000_000_000)
    }

    /// Returns the limit that has run out, or else the seconds until the next check; nil without a limit.
    func check(lastActivity: UInt64) -> (expired: TransportError.Code?, wait: TimeInterval?) {
        let now = Self.now
        if let total, total <= now { return (.totalTimeout, nil) }
        let idleEnd = idle.map { lastActivity + $0 }
        if let idleEnd, idleEnd <= now { return (.idleTimeout, nil) }
        return (nil, [total, idleEnd].compactMap { $0 }.min().map { TimeInterval($0 - now) / 1_000_000_000 })
    }
}
