/// Validates every response of a client by the same rules.
///
/// ```swift
/// let client = NetworkClient(interceptors: [
///     ValidationInterceptor([.contentTypes("application/json"), .statusCodes(200..<300), .statusCodes(304)])
/// ])
/// ```
///
/// Among `interceptors:` it sees each attempt: a refused response is not cached, is not a success for the circuit breaker, and is retried if the
/// error of the check says so. Among `callInterceptors:` it sees the last response only, also one from a cache.
///
/// It validates content types and checks of responses with an accepted status. Redirects and 304 pass, since outer interceptors need them. The
/// accepted statuses are only recorded, for the code that reads the response at the end (`data(for:)`, `value(for:)`, `Networking`). A call's own
/// rules win (``RequestContext/validation``). So a 401 still reaches the authentication. ``NetworkClient/send(_:body:context:)`` validates no status.
public struct ValidationInterceptor: HTTPInterceptor, CredentialFreeInterceptor {
    let validation: ResponseValidation

    /// Creates an interceptor.
    public init(_ validation: ResponseValidation) { self.validation = validation }

    /// Sends the request on, and validates the response.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        if let codes = validation.statusCodes { response.pipeline.acceptedStatusCodes = codes }
        guard ResponseValidation.accepts(response.status, among: validation.statusCodes),
            !(300..<400).contains(response.status)
        else { return response }
        var data = response.body.data
        if data == nil, !validation.checks.isEmpty, case .collected(let limit) = next.context.delivery {
            data = try await response.collectBody(upTo: limit, clock: next.context.clock)
        }
        do {
            try validation.validateContent(of: response, data: data)
        } catch {
            throw NetworkFailure(
                serializing: error, response: response, data: data ?? Data(), timestamp: next.context.clock.now)
        }
        return response
    }
}
