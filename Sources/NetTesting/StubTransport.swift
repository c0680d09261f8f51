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

extension StubTransport.Exchange: RedactedReflectable {
    public var shownFields: KeyValuePairs<String, Any?> { ["request": RequestSnapshot(request), "context": context] }
}

/// An error of the test tools themselves, rather than one that they simulate.
public enum NetTestingError: Error, Hashable, Sendable {
    /// A system call failed with that `errno`.
    case system(call: String, code: Int32)
    /// The path of a Unix-domain socket is longer than `limit` bytes.
    case pathTooLong(limit: Int)
    /// The time limit was exceeded, in seconds of real time.
    case timedOut(seconds: TimeInterval)
    /// The server was stopped while a task waited for it.
    case stopped
    /// A feature is unavailable on this machine, for that reason.
    case unavailable(String)
    /// A request is not in the recording of a ``ReplayTransport``. The text names the request and the entries that are left.
    case notRecorded(String)
}

extension NetTestingError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code))) (errno \(code))."
        case .pathTooLong(let limit): "The path of a Unix-domain socket may have \(limit) bytes at most."
        case .timedOut(let seconds): "The time limit of \(seconds) s was exceeded."
        case .stopped: "The server was stopped."
        case .unavailable(let reason), .notRecorded(let reason): reason
        }
    }
}
