internal import CAppleNetwork

/// Does what a task of HTTP asks for: as many exchanges as its redirects and logins take.
final class HTTPLoad {
    enum Next {
        /// The response is the task's.
        case deliver
        /// The response is read to its end and forgotten, and this is sent.
        case follow(URLRequest)
    }

    let task: URLSessionTask
    var session: URLSession { task.session }
    var request: URLRequest
    let begin = Date()

    // Of the attempt that runs.
    var lines: [String] = []
    var next: Next?
    var response: HTTPURLResponse?
    var handed: Int64 = 0
    var reported: Int64 = 0
    /// Whether libcurl holds back a part of the body, since the task is suspended.
    var isPaused = false
    var lastActivity = DispatchTime.now()
    /// What ended it, where that is known better than by libcurl's code.
    var verdict: (any Error)?

    // Of all attempts.
    var body: RequestBody?
    var redirects = 0
    var logins = Logins()
    var kept: [NSData] = []

    init(_ task: URLSessionTask) {
        self.task = task
        request = task.originalRequest ?? URLRequest(url: URL(fileURLWithPath: "/"))
    }

    deinit { body?.stop() }

    func run(_ transactions: inout [URLSessionTaskTransactionMetrics]) throws {
        guard let scheme = request.url?.scheme?.lowercased(), request.url?.host?.isEmpty == false else {
            throw error(.badURL)
        }
        guard scheme == "http" || scheme == "https" else { throw error(.unsupportedURL) }
        if request.httpMethod == "GET", task.body.isStream || (task.body.length ?? 0) > 0 {
            throw error(.dataLengthExceedsMaximum)
        }
        while true {
            guard case .follow(let following)? = try attempt(&transactions) else { return }
            request = following
            task.sync { $0.current = following }
            guard redirects <= 20 else { throw error(.httpTooManyRedirects) }
        }
    }

    /// One exchange. Nil if it was the last one.
    private func attempt(_ transactions: inout [URLSessionTaskTransactionMetrics]) throws -> Next? {
        try awaitConnectivity()
        (lines, next, response, verdict) = ([], nil, nil, nil)
        (handed, reported, isPaused) = (0, 0, false)
        let connection = session.state.takeConnection(to: task.gate ?? "")
        defer { session.state.putBack(connection) }
        task.sync { $0.wake = { connection.wake() } }
        defer { task.sync { $0.wake = nil } }
        try openBody()
        let start = Date()
        let form = RequestForm(self)
        let hasBegun = form.begin(connection, self)
        defer { an_end(connection.pointer) }
        guard hasBegun else { throw error(.badURL) }
        let outcome = Result { try loop(connection) }
        var result = an_result()
        an_result_of(connection.pointer, &result)
        if result.code == 0 { reportSent(all: true) }
        transactions.append(metrics(result, since: start))
        if task.sync(\.isCancelled) { throw task.cancellation }
        if let verdict { throw Verdict(error: verdict) }
        try outcome.get()
        if result.connect_status == 407, result.code != 0 { return try answerTunnel(result) }
        switch next {
        case .follow(let following)?: return .follow(following)
        case .deliver? where result.code == 0: return nil
        default: throw failure(result)
        }
    }

    /// Until it is over.
    private func loop(_ connection: Connection) throws {
        lastActivity = .now()
        while true {
            let (isCancelled, isSuspended, hasMoreToSend) = task.sync { facts in
                defer { facts.hasMoreToSend = false }
                return (facts.isCancelled, facts.state == .suspended, facts.hasMoreToSend)
            }
            if isCancelled { return }
            if isSuspended { lastActivity = .now() }
            let wait = try timeLeft()
            if hasMoreToSend || (isPaused && !isSuspended) {
                isPaused = false
                an_unpause(connection.pointer)
            }
            if an_step(connection.pointer, Int32(wait)) { return }
        }
    }

    /// Milliseconds until it has to be looked at again.
    private func timeLeft() throws -> Int {
        // What is not set in a request is the session's.
        let idle = request.timeoutInterval == 60 ? session.settings.timeoutIntervalForRequest : request.timeoutInterval
        let quiet = Double(DispatchTime.now().uptimeNanoseconds - lastActivity.uptimeNanoseconds) / 1e9
        let left = min(
            idle > 0 ? idle - quiet : .infinity,
            session.settings.timeoutIntervalForResource - Date().timeIntervalSince(begin))
        guard left > 0 else { throw error(.timedOut) }
        return Int(min(left * 1000 + 1, 1000))
    }

    // MARK: The body that is sent

    /// From its first byte.
    private func openBody() throws {
        body?.stop()
        body = nil
        handed = 0
        guard sendsBody, let stream = try bodyStream() else { return }
        body = RequestBody(stream) { [task] in
            let wake = task.sync { facts in
                facts.hasMoreToSend = true
                return facts.wake
            }
            wake?()
        }
    }

    private func bodyStream() throws -> InputStream? {
        switch task.body {
        case .none: return nil
        case .data(let data): return InputStream(data: data)
        case .file(let url):
            guard FileManager.default.isReadableFile(atPath: url.path) else { throw URLError(.fileDoesNotExist) }
            return InputStream(url: url)
        case .stream(let own):
            defer { handedOwnStream = true }
            if let own, !handedOwnStream { return own }
            if let stream = session.askStream(for: task) { return stream }
            throw task.sync(\.isCancelled) ? task.cancellation : error(.requestBodyStreamExhausted)
        }
    }

    private var handedOwnStream = false

    /// Redirects may have made it a GET.
    var sendsBody: Bool {
        if case .none = task.body { return false }
        return request.httpMethod != "GET" && request.httpMethod != "HEAD"
    }

    /// libcurl has to send it once more.
    func rewindBody() -> Bool {
        do {
            try openBody()
            return true
        } catch {
            verdict = error
            return false
        }
    }

    func reportSent(all: Bool, upTo sent: Int64 = .max) {
        let now = all ? handed : min(handed, sent)
        guard now > reported else { return }
        let news = now - reported
        reported = now
        let (total, expected) = task.sync { facts in
            facts.sent = now
            return (now, facts.toSend)
        }
        let face = task.face
        if face !== task { face.sync { $0.sent = now } }
        face.session.tellTask(face) {
            $0.urlSession(
                face.session, task: face, didSendBodyData: news, totalBytesSent: total,
                totalBytesExpectedToSend: expected)
        }
    }
}
