/// The session of a transport, and the exchanges whose bodies are being prepared for it.
final class SessionPool: Sendable {
    private struct State {
        var isClosed = false
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
        guard upload.isStream else { return main.begin(exchange, request: request, upload: upload) }
        let key = ObjectIdentifier(exchange)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.waiting[key] = exchange }
            return state.isClosed
        }
        guard !isClosed else { return stop(exchange) }
        exchange.whenEnded { [state] in state.withLock { $0.waiting[key] = nil } }
        exchange.prepareBody { self.main.begin(exchange, request: request, upload: upload) }
    }

    private func stop(_ exchange: Exchange) {
        exchange.stop(exchange.error(.shutDown, SessionBox.closedMessage))
    }

    /// Ends all sessions: see ``SessionBox/close(stoppingWith:)``.
    func close(stoppingWith code: TransportError.Code? = nil) {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiting.values.map { $0 }
        }
        main.close(stoppingWith: code)
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
