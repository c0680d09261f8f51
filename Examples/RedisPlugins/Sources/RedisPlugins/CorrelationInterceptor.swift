public import NetCore

/// Gives all requests of one call the same `X-Correlation-ID`, so that a call can be found in the logs of every server that it reached.
///
/// ```swift
/// let client = NetworkClient(callInterceptors: [CorrelationInterceptor()])
/// ```
///
/// Among `callInterceptors:` it makes one identifier for a call, which its retries and redirects keep. A server that works on a request
/// of its own passes that request's identifier on:
///
/// ```swift
/// var context = RequestContext()
/// context.correlationID = incoming.headers["X-Correlation-ID"]
/// let response = try await client.send(request, context: context)
/// ```
///
/// An identifier from outside that is not a token of up to 128 characters is not sent on: a new one takes its place. A request that already
/// has an identifier keeps it.
public struct CorrelationInterceptor: HTTPInterceptor {
    private let field: String
    private let makeID: @Sendable () -> String

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - field: the name of the header field.
    ///   - makeID: returns a new identifier; by default a random UUID.
    public init(
        field: String = "X-Correlation-ID",
        makeID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
    ) {
        self.field = field
        self.makeID = makeID
    }

    /// Adds the field, and sets ``NetCore/RequestContext/correlationID`` for the interceptors after it.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        if let own = request.value(forHTTPHeaderField: field) {
            next.context.correlationID = own
            return try await next(request)
        }
        var request = request
        let id = next.context.correlationID.flatMap { Self.isHarmless($0) ? $0 : nil } ?? makeID()
        next.context.correlationID = id
        request.setValue(id, forHTTPHeaderField: field)
        return try await next(request)
    }

    private static func isHarmless(_ id: String) -> Bool {
        (1...128).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "-_.:".utf8.contains(byte)
                }
            }
    }
}

private enum CorrelationIDKey: RequestContext.Key {
    static let defaultValue: String? = nil
}

extension RequestContext {
    /// The identifier that ``CorrelationInterceptor`` sends with the call, or nil for a new one.
    public var correlationID: String? {
        get { self[CorrelationIDKey.self] }
        set { self[CorrelationIDKey.self] = newValue }
    }
}
