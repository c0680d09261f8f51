import AppleLiberties

extension URLSession {
    /// Hands a task to a thread, now or when there is a connection for it.
    func start(_ task: URLSessionTask) {
        guard let host = task.gate else { return run(task) }
        if state.admit(task, to: host) { run(task) }
    }

    /// For a task that was cancelled while it waited.
    func stopWaiting(_ task: URLSessionTask) {
        guard let host = task.gate, state.stopWaiting(task, for: host) else { return }
        run(task, holdsPlace: false)
    }

    private func run(_ task: URLSessionTask, holdsPlace: Bool = true) {
        let thread = Thread { [self] in
            task.run()
            if holdsPlace, let host = task.gate, let next = state.leave(host) { run(next) }
        }
        thread.name = "URLSession task"
        thread.stackSize = 1 << 20
        thread.start()
    }
}

extension URLSessionTask {
    /// Names what bounds the number of connections; nil for tasks that need none of those.
    var gate: String? {
        guard !(self is URLSessionWebSocketTask), let url = originalRequest?.url else { return nil }
        return "\(url.scheme ?? "")://\(url.host ?? ""):\(url.port ?? 0)"
    }

    /// On a thread of its own, from beginning to end.
    func run() {
        awaitEarliestBegin()
        let begin = Date()
        var transactions: [URLSessionTaskTransactionMetrics] = []
        var failure: (any Error)?
        do {
            try load(&transactions)
            try prepareCompletion()
        } catch {
            failure = error
        }
        if sync(\.isCancelled) { failure = failure.map { $0 is Verdict ? $0 : cancellation } ?? nil }
        failure = (failure as? Verdict)?.error ?? failure
        end(failure, URLSessionTaskMetrics(transactions, interval: DateInterval(start: begin, end: max(begin, Date()))))
    }

    /// What `cancel()` gives.
    var cancellation: URLError { URLError(.cancelled, userInfo: errorInfo) }

    /// What stands in every error of a task.
    var errorInfo: [String: Any] {
        guard let url = currentRequest?.url else { return [:] }
        return [NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": url.absoluteString]
    }

    private func load(_ transactions: inout [URLSessionTaskTransactionMetrics]) throws {
        if sync(\.isCancelled) { throw cancellation }
        if let type = URLProtocol.type(for: self) {
            try ProtocolLoad(self).run(type)
        } else if let socket = self as? URLSessionWebSocketTask {
            try SocketLoad(socket).run(&transactions)
        } else {
            try HTTPLoad(self).run(&transactions)
        }
    }

    func end(_ failure: (any Error)?, _ metrics: URLSessionTaskMetrics) {
        sync { facts in
            facts.state = .completed
            facts.error = failure
            facts.wake = nil
        }
        // That metrics come before the end is not documented.
        let isLate = Liberties.takes("URLSession.lateMetrics", oncePer: 4)
        func tellMetrics() {
            session.tellTask(self) { $0.urlSession(self.session, task: self, didFinishCollecting: metrics) }
        }
        if !isLate { tellMetrics() }
        tellCompletion(failure)
        if isLate { tellMetrics() }
        if session.state.remove(self) { session.tellInvalid() }
    }
}

/// An error that stands, whatever happened beside it.
struct Verdict: Error { let error: any Error }
