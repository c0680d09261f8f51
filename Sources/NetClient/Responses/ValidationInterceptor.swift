/// Holds every response of a client to the same rules.
///
/// ```swift
/// let client = NetworkClient(interceptors: [
///     ValidationInterceptor([.contentTypes("application/json"), .statusCodes(200..<300), .statusCodes(304)])
/// ])
/// ```
///
/// Among `interceptors:` it sees each attempt: what it refuses is neither cached nor taken for a success by the circuit breaker, and is
/// retried if what a check throws says so. Among `callInterceptors:` it sees the last response only, also one that came from a cache.
///
/// It refuses by content type and by check, and only responses whose status is accepted; redirects and 304 are let through, since
/// redirects and caches further out want to see them. Which statuses are accepted it only notes: whoever judges the response in the end
/// (`data(for:)`, `value(for:)`, `Networking`) goes by that, unless the call has rules of its own (``RequestContext/validation``).
/// So a 401 still reaches the authentication, wherever this stands. ``NetworkClient/send(_:body:context:)`` judges no status.
public struct ValidationInterceptor: HTTPInterceptor {
    private let validation: ResponseValidation

    /// An interceptor.
    public init(_ validation: ResponseValidation) {
        self.validation = validation
    }

    /// Sends the request on, and looks at the response.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        if let codes = validation.statusCodes { response.acceptedStatusCodes = codes }
        guard ResponseValidation.accepts(response.status, among: validation.statusCodes),
            !(300..<400).contains(response.status)
        else { return response }
        var data = response.body.data
        if data == nil, !validation.checks.isEmpty, case .collected(let limit) = next.context.delivery {
            data = try await collect(&response, upTo: limit, next: next)
        }
        do {
            try validation.validateContent(of: response, data: data)
        } catch {
            throw NetworkFailure(
                serializing: error, response: response, data: data ?? Data(), timestamp: next.context.clock.now)
        }
        return response
    }

    private func collect(_ response: inout TransportResponse, upTo limit: Int, next: Next) async throws -> Data {
        do {
            let data = try await response.body.collect(upTo: limit)
            response.body = HTTPBody(data)
            return data
        } catch let error as CancellationError {
            throw error
        } catch {
            throw NetworkFailure(reading: response, error: error, timestamp: next.context.clock.now)
        }
    }
}
