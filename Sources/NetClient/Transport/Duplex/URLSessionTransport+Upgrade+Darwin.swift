#if canImport(Security)
    package import NetCore

    extension URLSessionTransport: UpgradingTransport {
        /// Opens a WebSocket with `URLSessionWebSocketTask`, in a session of its own with the same settings. No other protocol can be
        /// upgraded to.
        package func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
            try Task.checkCancellation()
            if let refusal { throw refusal }
            let advice = "Use server-sent events, long polling or requests."
            if !context[WebSocketOnWatchOSKey.self],
                let reason = SystemTraits.refusalOfSockets(for: "A WebSocket", advice)
            {
                throw NetworkError.unsupported(reason)
            }
            try addressGuard?.check(request.url)
            guard request.value(forHTTPHeaderField: "Upgrade")?.lowercased() == "websocket" else {
                throw NetworkError.unsupported("URLSession can upgrade to WebSockets only.")
            }
            let (settings, security) = try sessions.main.session.withLock { session in
                guard let session else {
                    throw TransportError(
                        .shutDown, phase: .preparing, message: SessionBox.closedMessage, url: request.url)
                }
                guard let delegate = session.delegate as? SessionDelegate else {
                    throw NetworkError.unsupported(
                        "A WebSocket cannot ask the delegate of a URLSession of yours. Give the transport a configuration."
                    )
                }
                return (session.configuration, delegate.security)
            }
            let prepared = try Self.webSocketRequest(request)
            let socket = URLSessionSocket(
                prepared, settings: settings, security: security,
                maximumMessageSize: context[WebSocketMessageSizeKey.self],
                showsCertificate: ClientCertificateScope(configuration)?.includes(request.url, context) ?? false)
            // The session's own timers are out of the way: this bounds the handshake. The call's deadline stands outside.
            guard let limit = request.idleTimeout(or: configuration.timeouts.idle) else {
                return try await socket.open()
            }
            guard let response = try await context.clock.limit(to: limit, { try await socket.open() }) else {
                socket.cancel()
                throw TransportError(
                    .idleTimeout, phase: .waiting, message: "The handshake took longer than \(limit) s.",
                    url: request.url)
            }
            return response
        }

        /// With the scheme that the task wants, and without the fields that it sets itself.
        private static func webSocketRequest(_ request: URLRequest) throws -> URLRequest {
            guard let text = request.url?.absoluteString, text.lowercased().hasPrefix("http"),
                let url = URL(string: "ws" + text.dropFirst(4))
            else { throw NetworkError.invalidURL }
            var request = request
            request.url = url
            for name in ["Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"] {
                request.setValue(nil, forHTTPHeaderField: name)
            }
            return request
        }
    }
#endif
