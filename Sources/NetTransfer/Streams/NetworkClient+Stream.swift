public import NetClient
public import NetCore

// Responses that are read as they come.
extension NetworkClient {
    /// Sends an endpoint's request, and gives the response as soon as its head is there.
    ///
    /// ```swift
    /// let stream = try await client.stream(GetUserEndpoint(id: "123"))
    /// for try await chunk in stream.bytes { process(chunk) }
    /// ```
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not accepted, with up to 1 MiB of the
    ///   body. (``CallBuilder/stream()`` gives any status, as a bare response: make it a ``ResponseStream`` to read its lines.)
    public func stream(_ endpoint: some Endpoint) async throws(NetworkFailure) -> ResponseStream {
        try await call(to: endpoint).stream()
    }

    /// Sends a request, and gives the response as soon as its head is there.
    ///
    /// - Throws: as ``stream(_:)-(Endpoint)``.
    public func stream<Value>(_ request: Request<Value>) async throws(NetworkFailure) -> ResponseStream {
        try await call(for: request).stream()
    }

    /// Sends a request, and gives the response as soon as its head is there.
    ///
    /// - Parameters:
    ///   - request: its `httpBody` or `httpBodyStream` is the body, unless `body` is given.
    ///   - body: what to send.
    ///   - context: goes along; nil makes a new one.
    /// - Throws: as ``stream(_:)-(Endpoint)``.
    public func stream(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> ResponseStream {
        try await call(for: request, body: body, context: context).stream()
    }

    func call(to endpoint: some Endpoint) -> StreamCall {
        StreamCall(client: self) { [self] () throws(NetworkFailure) in
            StreamRequest(try prepared(CallOptions()) { try lower(endpoint) })
        }
    }

    func call<Value>(for request: Request<Value>) -> StreamCall {
        StreamCall(client: self) { [self] () throws(NetworkFailure) in
            StreamRequest(try prepared(options(for: request, cached: false)) { try lower(request) })
        }
    }

    func call(for request: URLRequest, body: HTTPBody?, context: RequestContext?) -> StreamCall {
        StreamCall(client: self) { [clock] () throws(NetworkFailure) in
            StreamRequest(request: request, body: body, context: context ?? RequestContext(clock: clock))
        }
    }
}
