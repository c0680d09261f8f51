/// Stands between the caller and the transport: sees each request on its way out and each response on its way back.
///
/// One method is all: change the request, call `next`, change the response. Not calling `next` answers the request
/// yourself (a cache); calling it several times repeats it (a retry). Redirects, retry, caching, authentication and logging
/// of this SDK are interceptors on this same protocol.
///
/// **Order is the only knob:** one list, and the first is outermost: it sees the request first and the response last.
///
/// ```swift
/// struct RequestIDInterceptor: HTTPInterceptor {
///     func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
///         var request = request
///         request.setValue(next.context.id.description, forHTTPHeaderField: "X-Request-ID")
///         return try await next(request)
///     }
/// }
/// ```
///
/// Throw what you have; the client wraps it once. What `next` throws is a ``NetworkFailure`` that names the request as it
/// was sent, what an interceptor further in threw, or `CancellationError`: let the latter through.
public protocol HTTPInterceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: method, URL and headers. The body is ``Next/body``.
    ///   - next: the rest of the pipeline.
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse

    /// Whether the interceptor handles requests that upgrade their connection, such as the handshake of a WebSocket. True by default. Return
    /// false from an interceptor that stores responses, shares them between callers or sends copies of a request: a connection has one owner.
    var handlesUpgrades: Bool { get }

    /// Whether the interceptor does anything. A client that is made while this is false leaves the interceptor out. True by default.
    var isActive: Bool { get }
}

extension HTTPInterceptor {
    public var handlesUpgrades: Bool { true }

    public var isActive: Bool { true }
}

/// The rest of the pipeline, seen from an interceptor: call it to send the request on.
public struct Next: Sendable {
    /// The request's body, or nil. Set it to send another.
    public var body: HTTPBody?
    /// What goes along with the request. Changes are seen by those further in.
    public var context: RequestContext

    private let chain: InterceptorChain
    private let index: Int

    package init(chain: InterceptorChain, index: Int = 0, body: HTTPBody?, context: RequestContext) {
        self.chain = chain
        self.index = index
        self.body = body
        self.context = context
    }

    /// A pipeline that ends in a closure, to test an interceptor by itself.
    public init(
        body: HTTPBody? = nil,
        context: RequestContext = RequestContext(),
        transport: @escaping @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse
    ) {
        self.init(
            chain: InterceptorChain(interceptors: [], transport: ClosureTransport(send: transport)),
            body: body, context: context)
    }

    /// Which pipeline this is, and where in it: what two calls have in common that go the same way from here.
    package struct Place: Hashable, Sendable {
        fileprivate let chain: ObjectIdentifier
        fileprivate let index: Int
    }

    package var place: Place { Place(chain: ObjectIdentifier(chain), index: index) }

    /// Sends the request on, with ``body`` and ``context``, and gives the response.
    public func callAsFunction(_ request: URLRequest) async throws -> TransportResponse {
        guard index < chain.interceptors.count else { return try await send(request) }
        let following = Next(chain: chain, index: index + 1, body: body, context: context)
        return try await chain.interceptors[index].intercept(request, next: following)
    }

    /// The end of the pipeline. Here, and only here, it is known what is really sent: errors and responses get it along.
    private func send(_ request: URLRequest) async throws -> TransportResponse {
        // The beginning of another exchange: what counts bytes learns that it starts anew.
        if let body, let progress = context.progress { progress(TransportProgress(bytesToSend: body.length)) }
        let exchange = context.observers.isEmpty ? nil : NetworkEvent.nextExchange()
        context.notify(.sending(request, body: body), exchange: exchange)
        do {
            var response = try await chain.transport.send(request, body: body, context: context)
            response.request = request
            response.attempt = context.attempt
            response.prepared = context.prepared
            response.ownedFields = context[OwnedFieldsKey.self]
            context.notify(.responded(response), exchange: exchange)
            return response
        } catch let error as CancellationError {
            context.notify(.failed(error), exchange: exchange)
            throw error
        } catch {
            let failure = NetworkFailure(
                wrapping: error, request: request, timestamp: context.clock.now, retryAttempt: context.attempt)
            context.notify(.failed(failure), exchange: exchange)
            throw failure
        }
    }
}

/// The interceptors of a client and its transport, shared by all its calls.
package final class InterceptorChain: Sendable {
    package let interceptors: [any HTTPInterceptor]
    package let transport: any HTTPTransport

    package init(interceptors: [any HTTPInterceptor], transport: any HTTPTransport) {
        self.interceptors = interceptors
        self.transport = transport
    }
}

private struct ClosureTransport: HTTPTransport {
    let send: @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        try await send(request, body, context)
    }
}

/// A cache in the pipeline: the slot of a client that NetCache fills, or a cache of your own.
///
/// As an interceptor it answers a request from what is stored, or sends it on and stores the response. It stands outside
/// retry and authentication, so it must keep users apart by itself: ``RequestContext/partition``, and `Authorization` and
/// `Cookie` where the request has them, belong into its keys.
public protocol HTTPCaching: HTTPInterceptor {
    /// Drops every stored response that could answer this request, whosever it is, so that the next one asks the server.
    /// Does nothing if there is none.
    func invalidate(for request: URLRequest) async

    /// Drops all that is stored.
    func invalidateAll() async
}

extension HTTPCaching {
    /// False: a connection cannot be stored.
    public var handlesUpgrades: Bool { false }
}

/// An interceptor that answers a server's challenges (RFC 9110, section 11): it tells the client's retry engine when to send a request
/// again, and adds its answer to requests that pass.
package protocol ChallengeAnswering: HTTPInterceptor {
    /// Takes note of the challenge in a response.
    ///
    /// - Parameters:
    ///   - response: the response, of any status.
    ///   - request: the request as it was sent.
    ///   - context: the context of the call.
    /// - Returns: whether the same request would be sent with another answer now.
    func canAnswer(_ response: TransportResponse, to request: URLRequest, context: RequestContext) -> Bool
}
