/// Owns a `URLSession` and ends it once: makes tasks for exchanges, and keeps that and the end of the session apart, since
/// making a task in an ended session is a crash.
final class SessionBox: Sendable {
    private let delegate: SessionDelegate
    /// Nil once closed. Callbacks of the session never take this lock: task creation waits for them while it is held.
    let session: Locked<URLSession?>
    private let isBorrowed: Bool

    static let closedMessage = "The transport was shut down."

    /// With a session of its own.
    init(configuration: URLSessionConfiguration, security: SecurityAdapter) {
        let delegate = SessionDelegate(security: security)
        // Serial, or else the chunks of a body could change places.
        let queue = OperationQueue()
        queue.name = "NetClient.URLSessionTransport"
        queue.maxConcurrentOperationCount = 1
        self.delegate = delegate
        isBorrowed = false
        session = Locked(URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue))
    }

    /// With the session of a caller: rebuilt if it has no delegate, or one that does nothing but pin; else itself.
    convenience init(borrowing session: URLSession) throws {
        guard session.configuration.identifier == nil else {
            throw NetworkError.unsupported("A background URLSession cannot serve requests that wait for their answer.")
        }
        let adapter = SecurityAdapter(takenFrom: session.delegate)
        if session.delegate == nil || adapter != nil {
            guard let copy = session.configuration.copy() as? URLSessionConfiguration else {
                throw NetworkError.unsupported("The configuration of this URLSession cannot be copied.")
            }
            URLSessionPlatform.prepare(copy)
            copy.removeCookies()
            copy.httpAdditionalHeaders = nil
            self.init(configuration: copy, security: adapter ?? SecurityAdapter())
        } else {
            guard URLSessionPlatform.hasTaskDelegates else {
                throw NetworkError.unsupported(
                    "On Linux a URLSession with a delegate of its own cannot be used: URLSessionTask.delegate does not get "
                        + "redirects and challenges there. Give one without a delegate.")
            }
            self.init(lending: session)
        }
    }

    private init(lending session: URLSession) {
        delegate = SessionDelegate(security: .lent)
        isBorrowed = true
        self.session = Locked(session)
    }

    /// Makes the task and starts it. If that is not possible the exchange ends with an error.
    func begin(_ exchange: Exchange, request: URLRequest, upload: Upload) {
        guard !exchange.hasEnded else { return }
        let task: URLSessionTask? = session.withLock { session in
            guard let session else { return nil }
            let task = upload.makeTask(in: session, request: request)
            delegate.add(exchange, for: task)
            exchange.attach(task)
            return task
        }
        guard let task else { return exchange.stop(exchange.error(.shutDown, Self.closedMessage)) }
        if isBorrowed { URLSessionPlatform.setDelegate(delegate, of: task) }
        exchange.resume()
    }

    /// Ends the session, once: no new tasks; those in flight go on, or end with the code if one is given.
    func close(stoppingWith code: TransportError.Code? = nil) {
        let session = session.withLock { session in
            defer { session = nil }
            return session
        }
        if let code {
            for exchange in delegate.exchanges { exchange.stop(exchange.error(code, Self.closedMessage)) }
        }
        // Breaks the cycle of session and delegate. Each task was stopped one by one: `invalidateAndCancel()` would do it
        // behind our back, and on Linux a redirect that is answered afterwards aborts the process.
        if !isBorrowed { session?.finishTasksAndInvalidate() }
    }
}
