// Responses that are read as they come: see ``ResponseStream`` and ``ServerSentEventSequence``.
extension Networking {
    /// Sends a request and gives the response as soon as its head is there.
    ///
    /// ```swift
    /// let stream = try await networking.stream(RequestConfig(url: url))
    /// for try await product in stream.jsonLines(of: Product.self) { show(product) }
    /// ```
    ///
    /// - Parameter config: the request. Its `retryCount` is for the time until the head is there.
    /// - Returns: a stream whose sequences throw a ``NetworkError``.
    /// - Throws: what went wrong; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not accepted, with up to 1 MiB of
    ///   the body.
    public func stream(_ config: RequestConfig) async throws(NetworkError) -> ResponseStream {
        do {
            return try await call(config).stream()
        } catch {
            throw error.cause
        }
    }

    /// Sends a request to a URL and gives the response as soon as its head is there: see ``stream(_:)``.
    ///
    /// - Parameters:
    ///   - url: the URL; a query in it is kept.
    ///   - method: the method.
    ///   - queryParameters: added to the URL's query.
    ///   - bodyParameters: the body, as a JSON object unless the client has another encoder.
    ///   - headers: the headers.
    /// - Throws: what went wrong.
    public func stream(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws(NetworkError) -> ResponseStream {
        try await stream(Self.config(url, method, queryParameters, bodyParameters, headers, 0, nil))
    }

    /// The events of a server, connected to again as a browser does.
    ///
    /// - Parameters:
    ///   - config: the request.
    ///   - configuration: when it is connected to again, limits, the end marker.
    /// - Returns: a sequence that connects when it is read. What it throws is a ``NetworkError``.
    public func serverSentEvents(
        _ config: RequestConfig, configuration: ServerSentEventsConfiguration = ServerSentEventsConfiguration()
    ) -> ServerSentEventSequence {
        call(config).events(configuration)
    }

    /// The events of a server, connected to again as a browser does: see ``serverSentEvents(_:configuration:)``.
    ///
    /// - Parameters:
    ///   - url: the URL; a query in it is kept.
    ///   - method: the method. One that is not safe, such as POST, is not sent again unless the configuration says so.
    ///   - queryParameters: added to the URL's query.
    ///   - bodyParameters: the body, as a JSON object unless the client has another encoder.
    ///   - headers: the headers.
    ///   - configuration: when it is connected to again, limits, the end marker.
    public func serverSentEvents(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        configuration: ServerSentEventsConfiguration = ServerSentEventsConfiguration()
    ) -> ServerSentEventSequence {
        serverSentEvents(
            Self.config(url, method, queryParameters, bodyParameters, headers, 0, nil), configuration: configuration)
    }

    private func call(_ config: RequestConfig) -> StreamCall {
        StreamCall(client: client, isPlain: true) { [self] () throws(NetworkFailure) in
            StreamRequest(try prepared(config))
        }
    }
}
