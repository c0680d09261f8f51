import NetClient
import NetTesting

/// Interceptors and a transport without a client around them: what a client does at a call's deadline would end a call before the
/// interceptor under test can.
struct PlainPipeline: Sendable {
    let interceptors: [any HTTPInterceptor]
    let transport: any HTTPTransport
    let clock: any NetworkClock

    func response(
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
