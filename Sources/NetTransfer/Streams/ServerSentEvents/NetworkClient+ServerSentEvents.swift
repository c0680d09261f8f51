public import NetClient
public import NetCore

// Server-sent events, connected to again as a browser does.
extension NetworkClient {
    /// The events of an endpoint.
    ///
    /// ```swift
    /// for try await event in client.serverSentEvents(from: GetUserEndpoint(id: "123")) { print(event.data) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: whatever its own ``Endpoint/Response`` is. It is asked for its headers and the like at each connection.
    ///   - configuration: when it is connected to again, limits, the end marker.
    /// - Returns: a sequence that connects when it is read. What it throws is a ``NetworkFailure``.
    public func serverSentEvents(
        from endpoint: some Endpoint, configuration: ServerSentEventsConfiguration = ServerSentEventsConfiguration()
    ) -> ServerSentEventSequence {
        call(to: endpoint).events(configuration)
    }

    /// The events of a request.
    ///
    /// - Returns: as ``serverSentEvents(from:configuration:)``.
    public func serverSentEvents<Value>(
        for request: Request<Value>, configuration: ServerSentEventsConfiguration = ServerSentEventsConfiguration()
    ) -> ServerSentEventSequence {
        call(for: request).events(configuration)
    }

    /// The events of a request.
    ///
    /// - Parameters:
    ///   - request: its `httpBody` is the body, unless `body` is given. `Accept`, `Cache-Control` and `Last-Event-ID` are added where it
    ///     has none.
    ///   - body: what to send.
    ///   - context: goes along; nil makes a new one for each connection.
    ///   - configuration: when it is connected to again, limits, the end marker.
    /// - Returns: as ``serverSentEvents(from:configuration:)``.
    public func serverSentEvents(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil,
        configuration: ServerSentEventsConfiguration = ServerSentEventsConfiguration()
    ) -> ServerSentEventSequence {
        call(for: request, body: body, context: context).events(configuration)
    }
}

extension StreamCall {
    /// The events of its response, and of those that follow.
    package func events(_ configuration: ServerSentEventsConfiguration) -> ServerSentEventSequence {
        ServerSentEventSequence(
            source: .call(EventSource(call: self, configuration: configuration)), configuration: configuration,
            errors: errors(of: nil))
    }
}
