public import NetClient
public import NetCore

// WebSockets (RFC 6455).
extension NetworkClient {
    /// Opens a WebSocket.
    ///
    /// The handshake is prepared like any other request (default fields, cookies, credentials). It passes redirects, the client's
    /// interceptors, retry policy, circuit breaker and limits, and uses the transport's settings: proxy (by CONNECT), trust policy, own
    /// authorities, client certificate, address policy. Caches, coalescing and hedging do not apply.
    ///
    /// - Parameters:
    ///   - url: a `wss:` or `ws:` URL. `https:` and `http:` mean the same.
    ///   - protocols: the subprotocols to offer, in order of preference.
    ///   - headers: header fields of the handshake.
    ///   - options: limits and times.
    /// - Throws: ``NetworkFailure``. Its cause is ``NetworkError/requestFailed(statusCode:data:)`` for a status from 300, with a ``WebSocketError``
    ///   as the failure's underlying error, ``NetworkError/unknown(_:)`` with a ``WebSocketError`` for another status and for an invalid handshake,
    ///   ``NetworkError/pinningFailed(host:)``, or ``NetworkError/unsupported(_:)`` for a transport without WebSockets.
    public func webSocket(
        to url: URL, protocols: [String] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: WebSocket.Options = WebSocket.Options()
    ) async throws(NetworkFailure) -> WebSocket {
        var request = URLRequest(url: url)
        if !headers.isEmpty { request.allHTTPHeaderFields = headers.dictionary }
        return try await webSocket(for: request, protocols: protocols, options: options)
    }

    /// Opens a WebSocket to an endpoint: its path, query and headers, and those of the environment. Its method and body are ignored.
    ///
    /// - Throws: as `webSocket(to:protocols:headers:options:)`.
    public func webSocket(
        to endpoint: some Endpoint, protocols: [String] = [], options: WebSocket.Options = WebSocket.Options()
    ) async throws(NetworkFailure) -> WebSocket {
        let handshake = try build {
            var call = try call(for: endpoint)
            call.body = nil
            return call
        }
        return try await webSocket(
            for: handshake.request, protocols: protocols, options: options, context: handshake.context)
    }

    /// Opens a WebSocket with the URL, header fields and timeout of a `URLRequest`.
    ///
    /// - Parameters:
    ///   - request: the handshake.
    ///   - protocols: the subprotocols to offer, in order of preference.
    ///   - options: limits and times.
    ///   - context: the context of the handshake, or nil for a new one.
    /// - Throws: as `webSocket(to:protocols:headers:options:)`.
    public func webSocket(
        for request: URLRequest, protocols: [String] = [], options: WebSocket.Options = WebSocket.Options(),
        context: RequestContext? = nil
    ) async throws(NetworkFailure) -> WebSocket {
        var request = request
        let handshake = try self.handshake(with: &request, protocols, options)
        var context = context ?? RequestContext(clock: clock)
        context[WebSocketMessageSizeKey.self] = max(0, options.maximumMessageSize)
        context[WebSocketOnWatchOSKey.self] = options.usesLowLevelNetworkingOnWatchOS
        context[WebSocketCompressionKey.self] = options.compression?.isRequired == true
        let response = try await upgrade(request, context: context)
        do {
            return try webSocket(response, handshake: handshake, options: options)
        } catch {
            throw NetworkFailure(webSocket: error, response: response, timestamp: clock.now)
        }
    }

    /// Makes the handshake, and completes its request.
    ///
    /// Not inlined: inside the caller, its path for errors keeps the frame's address on the stack where the client's was. `Scripts/check-frames`
    /// reads the program from top to bottom, and then takes the one for the other.
    @inline(never)
    private func handshake(
        with request: inout URLRequest, _ protocols: [String], _ options: WebSocket.Options
    ) throws(NetworkFailure) -> WebSocketHandshake {
        do {
            let handshake = try WebSocketHandshake(
                protocols: protocols, compression: try options.compression?.supported())
            request.url = try request.url?.speakingHTTP()
            handshake.prepare(&request)
            return handshake
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
    }

    /// Returns a WebSocket that reconnects: see ``ReconnectingWebSocket``. It connects when its messages are read.
    ///
    /// - Parameters:
    ///   - url: a `wss:` or `ws:` URL.
    ///   - protocols: the subprotocols to offer, in order of preference.
    ///   - headers: header fields of each handshake.
    ///   - options: limits and times.
    ///   - reconnection: when to reconnect, by the client's clock.
    ///   - resubscribe: called with each new connection before its first message is read, to tell the server what the app wants.
    public func reconnectingWebSocket(
        to url: URL, protocols: [String] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: WebSocket.Options = WebSocket.Options(), reconnection: ReconnectingWebSocket.Policy = .default,
        resubscribe: @escaping @Sendable (WebSocket) async throws -> Void = { _ in }
    ) -> ReconnectingWebSocket {
        ReconnectingWebSocket(
            reconnection: reconnection, clock: clock,
            connect: { [self] () async throws(NetworkFailure) in
                try await webSocket(to: url, protocols: protocols, headers: headers, options: options)
            }, resubscribe: resubscribe)
    }

    private func webSocket(
        _ response: TransportResponse, handshake: WebSocketHandshake, options: WebSocket.Options
    ) throws -> WebSocket {
        guard response.status == 101, let connection = response.pipeline.upgraded else { throw refusal(response) }
        var head = response
        // If the response held the connection, the connection would outlive the WebSocket.
        head.pipeline.upgraded = nil
        let link: any WebSocketLink
        let subprotocol: String?
        let compression: WebSocket.Compression?
        switch connection {
        case .bytes(let channel):
            subprotocol = try handshake.check(response.headers)
            compression = try WebSocket.Compression.agreed(handshake.compression, response.headers)
            link = WebSocketFrameLink(channel, options: options, compression: compression, clock: clock)
        case .webSocket(let task):
            subprotocol = try handshake.checkSubprotocol(response.headers)
            // The transport offered none.
            compression = try WebSocket.Compression.agreed(nil, response.headers)
            link = WebSocketTaskLink(task: task, maximumMessageSize: options.maximumMessageSize)
        }
        return WebSocket(
            WebSocketCore(link, options: options, clock: clock), response: head, subprotocol: subprotocol,
            compression: compression, encoder: encoder, decoder: decoder)
    }

    private func refusal(_ response: TransportResponse) -> WebSocketError {
        if 300...399 ~= response.status {
            return WebSocketError(
                .redirected,
                message: "The server redirects the handshake. Use the URL it redirects to, if you trust it.")
        }
        let advice =
            switch response.status {
            case 200...299, 404, 405, 410: "Check the path of the URL."
            case 401, 403: "Check the credentials, and the Origin field if the server requires one."
            case 426: "It requires another version or protocol: see its Sec-WebSocket-Version and Upgrade fields."
            case 500...: "Try again later."
            default: "Check that the URL is that of a WebSocket, and that proxies on the way pass the Upgrade field."
            }
        return WebSocketError(
            .notUpgraded,
            message:
                "The server answered the handshake with the status \(response.status) and did not open a WebSocket. "
                + advice)
    }
}

extension URL {
    /// Returns the URL with `http` for `ws`, and `https` for `wss`.
    func speakingHTTP() throws(NetworkError) -> URL {
        let text = absoluteString
        let schemes = ["ws": "http", "wss": "https", "http": "http", "https": "https"]
        guard let colon = text.firstIndex(of: ":"), let scheme = schemes[text[..<colon].lowercased()],
            let url = URL(string: scheme + text[colon...]), url.isHTTP
        else { throw .invalidURL }
        return url
    }
}
