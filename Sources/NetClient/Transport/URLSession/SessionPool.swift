/// The sessions of a transport: one, and beside it those that the platform needs for what its sessions cannot do.
final class SessionPool: Sendable {
    private struct State {
        var isClosed = false
        /// For requests that keep and send no cookies.
        var cookieless: SessionBox?
        /// One for each streamed upload.
        var streams: [ObjectIdentifier: SessionBox] = [:]

        var boxes: [SessionBox] { streams.values + [cookieless].compactMap { $0 } }
    }

    let main: SessionBox
    private let state = Locked(State())

    init(_ main: SessionBox) {
        self.main = main
    }

    /// Sends the exchange through the session that it needs. If that is not possible the exchange ends with an error.
    func begin(_ exchange: Exchange, request: URLRequest, upload: Upload) {
        let handlesCookies = request.httpShouldHandleCookies || !URLSessionPlatform.ignoresCookieFlag
        var box: SessionBox? = main
        if upload.isStream && URLSessionPlatform.needsSessionPerStream {
            box = streamBox(for: exchange, handlesCookies: handlesCookies)
        } else if !handlesCookies {
            box = cookielessBox()
        }
        guard let box else { return exchange.stop(exchange.error(.shutDown, SessionBox.closedMessage)) }
        box.begin(exchange, request: request, upload: upload)
    }

    private func streamBox(for exchange: Exchange, handlesCookies: Bool) -> SessionBox? {
        guard let box = main.twin(handlesCookies: handlesCookies) else { return nil }
        let key = ObjectIdentifier(box)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.streams[key] = box }
            return state.isClosed
        }
        exchange.whenEnded { [state] in
            state.withLock { $0.streams[key] = nil }
            box.close()
        }
        return isClosed ? nil : box
    }

    private func cookielessBox() -> SessionBox? {
        if let box = state.withLock({ $0.cookieless }) { return box }
        guard let new = main.twin(handlesCookies: false) else { return nil }
        let box: SessionBox? = state.withLock { state in
            if state.cookieless == nil, !state.isClosed { state.cookieless = new }
            return state.cookieless
        }
        if box !== new { new.close() }
        return box
    }

    /// Ends all sessions: see ``SessionBox/close(stoppingWith:)``.
    func close(stoppingWith code: TransportError.Code? = nil) {
        let boxes = state.withLock { state in
            state.isClosed = true
            defer { state.cookieless = nil }
            return state.boxes
        }
        main.close(stoppingWith: code)
        for box in boxes { box.close(stoppingWith: code) }
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
