/// Holds what interceptors made of a request to the rules that held for the caller's: stands behind theirs.
///
/// A token with a line break in it must not become a second header field, whoever put it in; and a body that an interceptor
/// set in Foundation's way must not be dropped in silence.
struct LoweringInterceptor: HTTPInterceptor {
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        var next = next
        if let body = try request.lower() { next.body = body }
        return try await next(request)
    }
}
