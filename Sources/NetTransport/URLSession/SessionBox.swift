/// Owns the `URLSession` of a transport: makes tasks for exchanges, and ends the session once. Both take the same lock, since making a task
/// in an ended session is a crash.
final class SessionBox: Sendable {
    /// Nil once closed. Callbacks of the session must not take this lock: task creation waits for them while it holds it.
    let session: Locked<URLSession?>
    private let delegate: SessionDelegate
    private let isBorrowed: Bool
    /// The exchanges whose bodies are being prepared; nil once closed.
    private let preparing = Locked<[ObjectIdentifier: Exchange]?>([:])

    static let closedMessage = "The transport was shut down."

    /// Makes a session of its own.
    init(configuration: URLSessionConfiguration, security: SecurityAdapter) {
        let delegate = SessionDelegate(security: security)
        // Serial, to keep the chunks of a body in order.
        let queue = OperationQueue()
        queue.name = "NetClient.URLSessionTransport"
        queue.maxConcurrentOperationCount = 1
        self.delegate = delegate
        isBorrowed = false
        session = Locked(URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue))
    }

    /// Uses a caller's session: itself if it has a delegate that does more than pin, else a copy of it.
    convenience init(borrowing session: URLSession) throws(NetworkError) {
        guard session.configuration.identifier == nil else {
            throw NetworkError.unsupported("A background URLSession cannot serve requests that wait for their answer.")
        }
        let adapter = SecurityAdapter(takenFrom: session.delegate)
        if session.delegate == nil || adapter != nil {
            guard let copy = session.configuration.copy() as? URLSessionConfiguration else {
                throw NetworkError.unsupported("The configuration of this URLSession cannot be copied.")
            }
            URLSessionPlatform.prepareCopy(copy)
            copy.removeCookies()
            copy.httpAdditionalHeaders = nil
            self.init(configuration: copy, security: adapter ?? SecurityAdapter(ofSession: copy))
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
        // Challenges do not reach it.
        delegate = SessionDelegate(security: SecurityAdapter())
        isBorrowed = true
        self.session = Locked(session)
    }

    /// Tells the observers of the first call about settings that weaken the session.
    func announce(in context: RequestContext) { delegate.security.development?.announce(in: context) }

    /// Sends the exchange. If that is not possible the exchange ends with an error.
    func begin(_ exchange: Exchange, request: URLRequest, upload: Upload) {
        exchange.checkTime()
        guard upload.isStream else { return start(exchange, request: request, upload: upload) }
        let key = ObjectIdentifier(exchange)
        let isClosed = preparing.withLock { preparing in
            preparing?[key] = exchange
            return preparing == nil
        }
        guard !isClosed else { return exchange.stop(Self.closedError(for: exchange)) }
        exchange.prepareBody { [self] in
            start(exchange, request: request, upload: upload)
            preparing.withLock { $0?[key] = nil }
        }
    }

    private func start(_ exchange: Exchange, request: URLRequest, upload: Upload) {
        guard !exchange.hasEnded else { return }
        let task: URLSessionTask? = session.withLock { session in
            guard let session else { return nil }
            let task = upload.makeTask(in: session, request: request)
            task.priority = exchange.context.priority.ofTask
            delegate.add(exchange, for: task)
            exchange.attach(task)
            return task
        }
        guard let task else { return exchange.stop(Self.closedError(for: exchange)) }
        if isBorrowed { URLSessionPlatform.setDelegate(delegate, of: task) }
        exchange.resume()
    }

    /// Ends the session, once. It takes no new tasks. Exchanges in flight end with ``TransportError/Code/shutDown``, or go on.
    func close(stopsExchanges: Bool) {
        let preparing = preparing.withLock { $0.take() ?? [:] }
        let session = session.withLock { $0.take() }
        if stopsExchanges {
            for exchange in delegate.exchanges + preparing.values { exchange.stop(Self.closedError(for: exchange)) }
        }
        // Breaks the cycle of session and delegate. `invalidateAndCancel()` would also cancel tasks, and on Linux the answer to a redirect
        // after that aborts the process.
        if !isBorrowed { session?.finishTasksAndInvalidate() }
    }

    /// Cancels the exchanges of a client.
    func cancel(_ group: ObjectIdentifier) {
        let preparing = preparing.withLock { $0 ?? [:] }
        for exchange in delegate.exchanges + preparing.values where exchange.group == group {
            exchange.stop(CancellationError())
        }
    }

    private static func closedError(for exchange: Exchange) -> TransportError {
        exchange.error(.shutDown, closedMessage)
    }
}

/// Receives the events of all tasks of a session, and passes each to the task's exchange. It holds neither transport nor session: the session
/// holds its delegate until it is invalidated.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let security: SecurityAdapter
    private let table = Locked<[Int: Exchange]>([:])

    init(security: SecurityAdapter) { self.security = security }

    var exchanges: [Exchange] { table.withLock { Array($0.values) } }

    func add(_ exchange: Exchange, for task: URLSessionTask) { table.withLock { $0[task.taskIdentifier] = exchange } }

    private func exchange(for task: URLSessionTask) -> Exchange? { table.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(for: dataTask)?.didReceive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(for: dataTask)?.didReceive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // An interceptor of the client follows it.
        guard URLSessionPlatform.abortsOnLateRedirectAnswer else { return completionHandler(nil) }
        exchange(for: task)?.refuseRedirect(completionHandler)
    }

    // Also for server trust and client certificates, since there is no `urlSession(_:didReceive:…)`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = security.answer(to: challenge, exchange: exchange(for: task))
        completionHandler(answer.disposition, answer.credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(exchange(for: task)?.makeBodyStream()) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { exchange(for: task)?.didSend(bytesSent) }

    #if canImport(Security)
        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
            exchange(for: task)?.waitForConnectivity()
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) { exchange(for: task)?.didCollect(metrics) }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) { completionHandler(nil) }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        table.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.didComplete(error, response: task.response)
    }
}

extension URLSessionConfiguration {
    /// Has a session neither keep nor send cookies.
    func removeCookies() {
        httpCookieStorage = nil
        httpShouldSetCookies = false
        httpCookieAcceptPolicy = .never
    }
}
