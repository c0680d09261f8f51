/// Validates a request that interceptors changed, as the caller's was validated. It follows their list.
///
/// A token with a line break must not become a second header field, and a body that an interceptor set as `httpBody` must be sent.
struct RequestValidationInterceptor: ImmediateInterceptor {
    /// Whether it also removes the credentials that interceptors added after a redirect to another origin.
    let withholdsCredentials: Bool

    func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        // Preparation has validated its own request, and the client has validated the caller's.
        if let known = next.context.pipeline.prepared?.request ?? next.context.pipeline.validated,
            haveSameStorage(known, request.request)
        {
            return .passes(nil)
        }
        return .waits
    }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        var next = next
        if let body = try request.extractBody() { next.body = body }
        if withholdsCredentials { next.withholdAdditions(from: &request) }
        return try await next(request)
    }
}

extension URLRequest {
    /// Takes the body out of the request, unless an explicit one replaces it, and validates URL, method and header fields. Throws
    /// ``NetworkError/invalidURL`` or an error that describes the problem.
    mutating func extractBody(or explicit: HTTPBody? = nil) throws -> HTTPBody? {
        let body = takeBody(or: explicit)
        guard let url else { throw NetworkError.invalidURL }
        guard url.isHTTP || url.unixSocketPath != nil else {
            throw NetworkFailure(cause: .invalidURL, underlyingError: RequestBuildingError.notHTTP(url))
        }
        try checkFields()
        return body
    }

    /// Takes the body out of the request. An explicit one wins.
    mutating func takeBody(or explicit: HTTPBody?) -> HTTPBody? {
        if let data = httpBody {
            httpBody = nil
            return explicit ?? HTTPBody(data)
        }
        guard let stream = httpBodyStream else { return explicit }
        httpBodyStream = nil
        return explicit ?? HTTPBody(inputStream: stream)
    }

    /// Throws for a header field that could inject another one, and for a method that is not a token.
    func checkFields() throws {
        if let method = httpMethod, !method.isHTTPToken { throw RequestBuildingError.invalidMethod(method) }
        guard let fields = allHTTPHeaderFields else { return }
        for (name, value) in fields where !HTTPHeader(name: name, value: value).isValid {
            throw RequestBuildingError.invalidHeader(name)
        }
    }
}

/// The call's `cached:`; nil for the client's rules.
enum CachedKey: RequestContext.Key {
    static let defaultValue: Bool? = nil
}

/// The sources of a hop whose call has a provider of its own: one source for all attempts, so that it counts refreshes.
enum CallCredentialsKey: RequestContext.Key {
    static let defaultValue: [AuthInterceptor]? = nil
}

extension RequestContext {
    /// Applies `cached:`, unless the call has a ``CachePolicy``: true enables the HTTP cache (RFC 9111) whatever the client's policy, and false
    /// neither reads nor stores. Throws an error that describes the problem, for a method other than GET and HEAD.
    mutating func applyCacheChoice(to request: inout URLRequest) throws {
        guard let isCached = self[CachedKey.self], cachePolicy == nil else { return }
        guard isCached else {
            cachePolicy = .networkOnly
            return
        }
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        guard method == .get || method == .head else {
            throw RequestBuildingError("cached: true requires GET or HEAD. The request's method is \(method.rawValue).")
        }
        cachePolicy = CachePolicy(useCache: true, storeCache: true)
        request.cachePolicy = .useProtocolCachePolicy
    }

    /// - Throws: ``NetworkError/unsupported(_:)`` if the call asks for a cache.
    func refuseCacheUse(
        _ advice: String = "This client has no cache. Give it one, or leave out the cache policy."
    ) throws {
        if cachePolicy?.useCache == true || cachePolicy?.storeCache == true || self[CachedKey.self] == true {
            throw NetworkError.unsupported(advice)
        }
    }
}

extension HTTPBody {
    /// Creates a body from Foundation's stream. It can be read once.
    init(inputStream: InputStream) {
        let reader = InputStreamReader(inputStream)
        self.init(pulling: { try await reader.read() })
    }
}

/// Reads a stream for the body's only reader.
private final class InputStreamReader: Sendable {
    private let state: Locked<(stream: InputStream, isOpen: Bool)>
    /// A pipe or a pair of streams may wait for a writer, and none of Swift's threads may.
    private let queue = IOQueue(label: "networking.body")

    init(_ stream: InputStream) { state = Locked((stream, false)) }

    deinit { state.withLock { if $0.isOpen { $0.stream.close() } } }

    func read() async throws -> Data? { try await queue.run { [self] in try readNext() } }

    private func readNext() throws -> Data? {
        try state.withLock { state in
            if !state.isOpen {
                state.stream.open()
                state.isOpen = true
            }
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            let count = state.stream.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else {
                throw TransportError(
                    .requestBodyFailed, phase: .sending,
                    message: state.stream.streamError?.localizedDescription ?? "The body's stream cannot be read.")
            }
            return count == 0 ? nil : Data(buffer[..<count])
        }
    }
}
