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
/// rules win (``RequestContext/validation``). So a 401 still reaches the authentication. ``NetworkClient/send(_:body:context:)`` validates no
/// status.
public struct ValidationInterceptor: HTTPInterceptor {
    private let validation: ResponseValidation

    /// Creates an interceptor.
    public init(_ validation: ResponseValidation) {
        self.validation = validation
    }

    /// Sends the request on, and validates the response.
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

extension TransportResponse {
    /// Validates the response of a call by the call's rules, else by the client's `ValidationInterceptor`, else by the statuses 200 to 299.
    ///
    /// - Parameters:
    ///   - data: the body.
    ///   - validation: the call's own rules: ``RequestContext/validation``.
    /// - Throws: the failure of a refused response.
    package func validate(
        data: Data, by validation: ResponseValidation? = nil, timestamp: Date
    ) throws(NetworkFailure) {
        guard ResponseValidation.accepts(status, among: validation?.statusCodes ?? acceptedStatusCodes) else {
            throw NetworkFailure(response: self, data: data, timestamp: timestamp)
        }
        guard let validation else { return }
        do {
            try validation.validateContent(of: self, data: data)
        } catch {
            throw NetworkFailure(serializing: error, response: self, data: data, timestamp: timestamp)
        }
    }
}

extension NetworkFailure {
    /// Creates a failure from an error that occurred while the body of a response was read.
    init(reading response: TransportResponse, error: any Error, timestamp: Date) {
        self.init(
            wrapping: error, request: response.request,
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
            timestamp: timestamp, retryAttempt: response.attempt)
    }
}

extension ValidationInterceptor: CredentialFreeInterceptor {}
