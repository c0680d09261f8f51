/// The sessions of a transport: one, and beside it one without cookies where the platform needs it.
final class SessionPool: Sendable {
    private struct State {
        var isClosed = false
        /// For requests that keep and send no cookies.
        var cookieless: SessionBox?
        /// Those whose bodies are being prepared.
        var waiting: [ObjectIdentifier: Exchange] = [:]
    }

    let main: SessionBox
    private let state = Locked(State())

    init(_ main: SessionBox) {
        self.main = main
    }

    /// Sends the exchange through the session that it needs. If that is not possible the exchange ends with an error.
    func begin(_ exchange: Exchange, request: URLRequest, upload: Upload) {
        exchange.startClock()
        guard upload.isStream else { return send(exchange, request: request, upload: upload) }
        let key = ObjectIdentifier(exchange)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.waiting[key] = exchange }
            return state.isClosed
        }
        guard !isClosed else { return stop(exchange) }
        exchange.whenEnded { [state] in state.withLock { $0.waiting[key] = nil } }
        exchange.prepareBody { self.send(exchange, request: request, upload: upload) }
    }

    private func send(_ exchange: Exchange, request: URLRequest, upload: Upload) {
        let handlesCookies = request.httpShouldHandleCookies || !URLSessionPlatform.ignoresCookieFlag
        guard let box = handlesCookies ? main : cookielessBox() else { return stop(exchange) }
        box.begin(exchange, request: request, upload: upload)
    }

    private func stop(_ exchange: Exchange) {
        exchange.stop(exchange.error(.shutDown, SessionBox.closedMessage))
    }

    private func cookielessBox() -> SessionBox? {
        if let box = state.withLock({ $0.cookieless }) { return box }
        guard let new = main.cookielessTwin() else { return nil }
        let box: SessionBox? = state.withLock { state in
            if state.cookieless == nil, !state.isClosed { state.cookieless = new }
            return state.cookieless
        }
        if box !== new { new.close() }
        return box
    }

    /// Ends all sessions: see ``SessionBox/close(stoppingWith:)``.
    func close(stoppingWith code: TransportError.Code? = nil) {
        let (cookieless, waiting) = state.withLock { state in
            state.isClosed = true
            defer { state.cookieless = nil }
            return (state.cookieless, state.waiting.values.map { $0 })
        }
        main.close(stoppingWith: code)
        cookieless?.close(stoppingWith: code)
        if code != nil { waiting.forEach(stop) }
    }
}

extension URLSessionConfiguration {
    /// Keeps and sends none.
    func removeCookies() {
        httpCookieStorage = nil
        httpShouldSetCookies = false
        httpCookieAcceptPolicy = .never
    }
}
