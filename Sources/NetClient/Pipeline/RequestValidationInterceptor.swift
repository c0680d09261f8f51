/// Holds what interceptors made of a request to the rules that held for the caller's. It stands behind their list.
///
/// A token with a line break in it must not become a second header field, and a body that an interceptor set in Foundation's way must
/// not be dropped in silence.
struct RequestValidationInterceptor: HTTPInterceptor {
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        var next = next
        if let body = try request.lower() { next.body = body }
        return try await next(request)
    }
}
