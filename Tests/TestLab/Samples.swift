package import NetCore
package import Testing

/// The body of a request that can be read once.
package func oneShot(_ text: String) -> HTTPBody {
    let rest = Locked<String?>(text)
    return HTTPBody(pulling: {
        rest.withLock { rest in
            defer { rest = nil }
            return rest.map { Data($0.utf8) }
        }
    })
}

/// Collects the notices of a call.
package final class NoticeObserver: NetworkEventObserver {
    private let journal = Locked<[String]>([])

    package init() {}

    package var notices: [String] { journal.withLock { $0 } }

    package var context: RequestContext {
        var context = RequestContext()
        context.observers = [self]
        return context
    }

    package func observe(_ event: NetworkEvent) {
        if case .notice(let text) = event.kind { journal.withLock { $0.append(text) } }
    }
}

/// Interceptors and a transport without a client around them: what a client does at a call's deadline would end a call before the
/// interceptor under test can.
package struct PlainPipeline: Sendable {
    let interceptors: [any HTTPInterceptor]
    let transport: any HTTPTransport
    let clock: any NetworkClock

    package init(interceptors: [any HTTPInterceptor], transport: any HTTPTransport, clock: any NetworkClock) {
        self.interceptors = interceptors
        self.transport = transport
        self.clock = clock
    }

    package func response(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws -> TransportResponse {
        var context = context ?? RequestContext(clock: clock)
        context.clock = clock
        context.origin = request.url
        context.delivery = .collected(limit: 1 << 20)
        let chain = InterceptorChain(interceptors: interceptors, transport: transport)
        do {
            var response = try await Next(chain: chain, body: body, context: context)(request)
            response.body = HTTPBody(try await response.body.collect(upTo: 1 << 20))
            return response
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
    }
}

/// Returns the failure that ends a call.
///
/// - Throws: an error, and records an issue, if the call succeeds or throws something else.
@discardableResult
package func failure<Value>(
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    of call: () async throws -> Value
) async throws -> NetworkFailure {
    try #require(
        await #expect(throws: NetworkFailure.self, sourceLocation: sourceLocation) { _ = try await call() },
        sourceLocation: sourceLocation)
}
