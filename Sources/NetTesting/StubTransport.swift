/// A transport that answers from a closure and remembers what it was asked: no socket, no server.
///
/// ```swift
/// let transport = StubTransport { request, _, _ in
///     TransportResponse(status: 200, url: request.url, body: HTTPBody(#"{"id": 1}"#))
/// }
/// let client = NetworkClient(transport: transport)
/// ```
///
/// Use ``MockServer`` to test what a socket has to do with: timeouts, resets, TLS.
public final class StubTransport: HTTPTransport {
    /// What the transport was asked to send.
    public struct Exchange: Sendable {
        /// The request, as it left the pipeline.
        public let request: URLRequest
        /// Its body, collected; nil if there was none.
        public let body: Data?
        /// What went along with it.
        public let context: RequestContext
    }

    private let respond: @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse
    private let journal = Locked<[Exchange]>([])

    /// A transport that answers as the closure says.
    ///
    /// - Parameter respond: gets the request, its body (in memory, and so replayable) and the context.
    public init(
        _ respond: @escaping @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse
    ) {
        self.respond = respond
    }

    /// A transport that gives these answers, one after the other; then it fails with ``NetworkError/unsupported(_:)``.
    public convenience init(_ answers: Result<TransportResponse, any Error>...) {
        let rest = Locked(answers[...])
        self.init { _, _, _ in
            guard let answer = rest.withLock({ $0.popFirst() }) else {
                throw NetworkError.unsupported("This StubTransport has no answer left. Give it one for each request.")
            }
            return try answer.get()
        }
    }

    /// What was asked so far, in order.
    public var exchanges: [Exchange] { journal.withLock { $0 } }

    /// Collects the body, notes the exchange, and answers. A cancelled task gets `CancellationError`.
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
