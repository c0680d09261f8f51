/// Looks at requests before they are sent and at responses after they came (seed 003).
///
/// It stands in the same list as every ``HTTPInterceptor``. The response half runs on buffered responses: where the caller
/// reads the body as a stream, only the request half runs. Write an ``HTTPInterceptor`` to work on streams.
public protocol Interceptor: HTTPInterceptor {
    /// Gives the request to send in place of this one. When it is called, bodies and credentials are as in
    /// ``RequestInterceptor/adapt(_:)``.
    func intercept(request: URLRequest) async throws -> URLRequest

    /// Gives the body to use in place of this one. Called for every status.
    func intercept(response: HTTPURLResponse, data: Data) async throws -> Data
}

extension Interceptor {
    /// Leaves the request as it is.
    public func intercept(request: URLRequest) async throws -> URLRequest { request }

    /// Leaves the body as it is.
    public func intercept(response: HTTPURLResponse, data: Data) async throws -> Data { data }

    /// Sends the request on, and runs the response half if the body is to be collected. The request half has run when the client
    /// prepared the request; outside of a client it runs here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        var request = request
        if !next.isAdapted(by: Self.self) {
            do {
                request = try await next.adapt(request, by: intercept(request:))
            } catch {
                throw NetworkFailure.ofHook(error, request: request, timestamp: next.context.clock.now)
            }
        }
        var response = try await next(request)
        guard case .collected(let limit) = next.context.delivery, let head = response.httpURLResponse else {
            return response
        }
        do {
            let data = try await response.body.collect(upTo: limit)
            response.body = HTTPBody(try await intercept(response: head, data: data))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw NetworkFailure(
                wrapping: error, request: response.request ?? request,
                response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
                timestamp: next.context.clock.now, retryAttempt: response.attempt)
        }
        return response
    }
}
