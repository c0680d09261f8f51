public import NetClient
public import NetCore

// WebSockets (RFC 6455).
extension NetworkClient {
    /// Opens a WebSocket.
    ///
    /// The handshake is prepared like any other request (default fields, cookies, credentials), and goes through redirects, the client's
    /// interceptors, retry policy, breaker and limits, and through the transport's settings: proxy (by CONNECT), trust policy, own
    /// authorities, client certificate, address policy. Caches, coalescing and hedging do not take part.
    ///
    /// - Parameters:
    ///   - url: `wss:` or `ws:` (or `https:`, `http:`, which mean the same here).
    ///   - protocols: subprotocols to offer, the best first.
    ///   - headers: fields of the handshake.
    ///   - options: limits and times.
    /// - Throws: a failure: ``NetworkError/requestFailed(statusCode:data:)`` for a status other than 101; ``NetworkError/unknown(_:)`` with a ``WebSocketError`` for an answer that does not fit;
    ///   ``NetworkError/pinningFailed(host:)``; ``NetworkError/unsupported(_:)`` for a transport that cannot do it.
    public func webSocket(
        to url: URL, protocols: [String] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: WebSocket.Options = WebSocket.Options()
    ) async throws(NetworkFailure) -> WebSocket {
        var request = URLRequest(url: url)
        if !headers.isEmpty { request.allHTTPHeaderFields = headers.dictionary }
        return try await webSocket(for: request, protocols: protocols, options: options)
    }

    /// Opens a WebSocket at an endpoint: its path, query and headers, and those of the environment. Its method and body do not count.
    ///
    /// - Throws: as `webSocket(to:protocols:headers:options:)`.
    public func webSocket(
        to endpoint: some Endpoint, protocols: [String] = [], options: WebSocket.Options = WebSocket.Options()
    ) async throws(NetworkFailure) -> WebSocket {
        let request: URLRequest
        do {
            var builder = try lower(endpoint)
            builder.body = nil
            request = try builder.urlRequest()
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
        }
        return try await webSocket(for: request, protocols: protocols, options: options)
    }

    /// Opens a WebSocket with a request of Foundation's: its URL, header fields and timeout.
    ///
    /// - Parameters:
    ///   - request: the handshake.
    ///   - protocols: the subprotocols to offer, the one preferred first.
    ///   - options: sizes, pings and timeouts.
    ///   - context: goes along with the handshake; nil makes a new one.
    /// - Throws: as `webSocket(to:protocols:headers:options:)`.
    public func webSocket(
        for request: URLRequest, protocols: [String] = [], options: WebSocket.Options = WebSocket.Options(),
        context: RequestContext? = nil
    ) async throws(NetworkFailure) -> WebSocket {
        let handshake: WebSocketHandshake
        var request = request
        do {
            handshake = try WebSocketHandshake(protocols: protocols)
            request.url = try request.url?.speakingHTTP()
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
        handshake.prepare(&request)
        var context = context ?? RequestContext(clock: clock)
        context[WebSocketMessageSizeKey.self] = max(0, options.maximumMessageSize)
        context[WebSocketOnWatchOSKey.self] = options.usesLowLevelNetworkingOnWatchOS
        let response = try await upgrade(request, context: context)
        do {
            return try webSocket(response, handshake: handshake, options: options)
        } catch {
            throw NetworkFailure(webSocket: error, response: response, timestamp: clock.now)
        }
    }

    /// A WebSocket that connects again when it was lost: see ``ReconnectingWebSocket``. Nothing is opened yet.
    ///
    /// - Parameters:
    ///   - url: `ws` or `wss`.
    ///   - protocols: the subprotocols to offer, the one preferred first.
    ///   - headers: of each handshake.
    ///   - options: sizes, pings and timeouts.
    ///   - reconnection: when to connect again, by the client's clock.
    ///   - resubscribe: called with each new connection before its first message is read: tells the server what is wanted.
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
        guard response.status == 101, let connection = response.upgraded else { throw refusal(response) }
        var head = response
        // Held by the response, the connection would outlive the WebSocket.
        head.upgraded = nil
        let link: any WebSocketLink
        let subprotocol: String?
        switch connection {
        case .bytes(let channel):
            subprotocol = try handshake.check(response.headers)
            link = WebSocketFrameLink(channel, options: options, clock: clock)
        case .webSocket(let task):
            subprotocol = try handshake.checkOffers(response.headers)
            link = WebSocketTaskLink(task, maximumMessageSize: options.maximumMessageSize)
        }
        return WebSocket(
            WebSocketCore(link, options: options, clock: clock), response: head, subprotocol: subprotocol,
            encoder: encoder, decoder: decoder)
    }

    private func refusal(_ response: TransportResponse) -> any Error {
        switch response.status {
        case 300...399:
            WebSocketError(
                .redirected,
                message: "The server redirects the handshake. Give the address to which it leads, if you trust it.")
        case 400...599: NetworkError.requestFailed(statusCode: response.status, data: response.body.data)
        default:
            WebSocketError(
                .notUpgraded,
                message: "The server answered with the status \(response.status), and opened no WebSocket.")
        }
    }
}

extension URL {
    /// With `http` for `ws`, and `https` for `wss`.
    func speakingHTTP() throws(NetworkError) -> URL {
        let text = absoluteString
        guard let colon = text.firstIndex(of: ":") else { throw .invalidURL }
        let scheme =
            switch text[..<colon].lowercased() {
            case "ws", "http": "http"
            case "wss", "https": "https"
            default: ""
            }
        guard !scheme.isEmpty, let url = URL(string: scheme + text[colon...]), url.isHTTP else { throw .invalidURL }
        return url
    }
}

// WebSockets, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension NetworkClient {
    /// Opens a WebSocket.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func webSocket(
        to url: URL, protocols: [String] = [], headers: some Sequence<(key: String, value: String)>,
        options: WebSocket.Options = WebSocket.Options()
    ) async throws(NetworkFailure) -> WebSocket {
        try await webSocket(
            to: url, protocols: protocols, headers: HTTPHeaders(fields: headers), options: options)
    }

    /// A WebSocket that connects again when it was lost: see ``ReconnectingWebSocket``. Nothing is opened yet.
    @_disfavoredOverload
    public func reconnectingWebSocket(
        to url: URL, protocols: [String] = [], headers: some Sequence<(key: String, value: String)>,
        options: WebSocket.Options = WebSocket.Options(), reconnection: ReconnectingWebSocket.Policy = .default,
        resubscribe: @escaping @Sendable (WebSocket) async throws -> Void = { _ in }
    ) -> ReconnectingWebSocket {
        reconnectingWebSocket(
            to: url, protocols: protocols, headers: HTTPHeaders(fields: headers), options: options,
            reconnection: reconnection, resubscribe: resubscribe)
    }
}
