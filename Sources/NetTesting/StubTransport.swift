public import NetCore

/// A transport that answers from a closure and records the requests, without a socket or a server.
///
/// ```swift
/// let transport = StubTransport { request, _, _ in
///     TransportResponse(status: 200, url: request.url, body: HTTPBody(#"{"id": 1}"#))
/// }
/// let client = NetworkClient(transport: transport)
/// ```
///
/// Use ``MockServer`` to test timeouts, resets and TLS, which need sockets.
public final class StubTransport: HTTPTransport {
    /// A request that the transport was asked to send.
    public struct Exchange: Sendable {
        /// The request as it left the pipeline.
        public let request: URLRequest
        /// The collected body, or nil.
        public let body: Data?
        public let context: RequestContext
    }

    private let respond: @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse
    private let journal = Locked<[Exchange]>([])

    /// - Parameter respond: returns the response to a request. The body is in memory, and so replayable.
    public init(
        _ respond: @escaping @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse
    ) {
        self.respond = respond
    }

    /// Creates a transport that returns these results in order, and then fails with ``NetworkError/unsupported(_:)``.
    public convenience init(_ answers: Result<TransportResponse, any Error>...) {
        let rest = Locked(answers[...])
        self.init { _, _, _ in
            guard let answer = rest.withLock({ $0.popFirst() }) else {
                throw NetworkError.unsupported("This StubTransport has no answer left. Give it one for each request.")
            }
            return try answer.get()
        }
    }

    /// The requests so far, in order.
    public var exchanges: [Exchange] { journal.withLock { $0 } }

    /// Collects the body, records the exchange, and returns the response. A cancelled task gets `CancellationError`.
    public func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        let data = try await body?.collect(upTo: .max)
        journal.withLock { $0.append(Exchange(request: request, body: data, context: context)) }
        var response = try await respond(request, data.map { HTTPBody($0) }, context)
        response.url = response.url ?? request.url
        return response
    }
}
