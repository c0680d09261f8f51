/// A call: the request to send, and the options of the call. Each front door makes it of what the user wrote, in one step.
///
/// A request that cannot be sent as described is refused, and never changed silently.
package struct Call: Sendable {
    package var url: URL
    package var method = HTTPMethod.get
    package var query: [String: any Encodable & Sendable] = [:]
    /// Added after ``query``, in this order.
    package var queryItems: [URLQueryItem] = []
    /// Added after ``queryItems``.
    private var queryObject: ParameterValue?
    package var headers = HTTPHeaders()
    package var timeout: TimeInterval?
    package var body: HTTPBody? { didSet { form = nil } }
    /// The form that ``body`` is made of, and the error of its encoding, thrown when the request is built: until then, the conventions may change.
    private var form: (value: ParameterValue, error: (any Error)?)?
    /// Sent as `Content-Type` with the body, unless ``headers`` has one.
    package var contentType: String?
    /// Whether a GET or HEAD request may have a body.
    package var allowsBodyOnGet = false
    /// The settings of the request in place of the client's.
    package private(set) var options: Boxed<RequestOptions>?

    /// The longest time of the call as a whole, in seconds.
    package var totalTimeout: TimeInterval?
    package var retryPolicy: RetryPolicy?
    /// The number of retries, beside the policy's.
    package var retryCount = 0
    package var cachePolicy: CachePolicy?
    /// Whether to use the cache; nil for the client's rules. ``cachePolicy`` wins.
    package var isCached: Bool?
    package var foundationCachePolicy: URLRequest.CachePolicy?
    package var authenticationProvider: (any AuthenticationProvider)?
    package var partition: String?
    package var validation: ResponseValidation?
    package var priority = RequestContext.Priority.normal
    private var clientQueryEncoding = QueryEncoding.default
    /// The conventions of the query and of a form.
    package var queryEncoding: QueryEncoding { options?.value.queryEncoding ?? clientQueryEncoding }

    package init(
        url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(),
        queryEncoding: QueryEncoding = .default
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        clientQueryEncoding = queryEncoding
    }

    /// Creates the call of a configuration.
    ///
    /// - Parameter environment: the base of a relative URL, or nil if the URL must be absolute.
    package init(
        _ config: RequestConfig, environment: (any NetworkEnvironment)? = nil, encoder: any BodyEncoder,
        queryEncoding: QueryEncoding = .default
    ) throws {
        clientQueryEncoding = queryEncoding
        url =
            config.url.scheme == nil
            ? try environment.baseURL().appending(relative: config.url.absoluteString) : config.url
        method = config.method
        query = config.queryParameters
        headers = config.headers
        timeout = config.timeout
        allowsBodyOnGet = config.allowsBodyOnGet
        options = config.optionsBox
        cachePolicy = config.cachePolicy
        retryCount = config.retryCount
        guard config.bodyParameters.isEmpty || config.body == nil else { throw RequestBuildingError.twoBodies }
        try setBody(
            config.bodyParameters.isEmpty ? config.body : Parameters(config.bodyParameters), as: config.contentType,
            encoder: encoder)
    }

    /// Creates the call of an endpoint.
    ///
    /// - Parameter environment: nil if the endpoint must have its own base URL.
    package init(
        _ endpoint: some Endpoint, environment: (any NetworkEnvironment)?, encoder: any BodyEncoder,
        queryEncoding: QueryEncoding = .default
    ) throws {
        clientQueryEncoding = queryEncoding
        let base = try endpoint.baseURL ?? environment.baseURL()
        url =
            try endpoint.pathComponents.map { try base.appending(requestPathComponents: $0) }
            ?? base.appending(requestPath: endpoint.path)
        method = endpoint.method
        query = endpoint.queryParameters
        queryItems = endpoint.queryItems ?? []
        headers = HTTPHeaders(endpoint.headers)
        allowsBodyOnGet = endpoint.allowsBodyOnGet
        options.options = endpoint.options
        try setBody(endpoint.body, as: endpoint.contentType, encoder: encoder)
    }

    /// Creates the call of a request.
    package init<Response>(
        _ request: Request<Response>, environment: (any NetworkEnvironment)?, encoder: any BodyEncoder,
        queryEncoding: QueryEncoding = .default
    ) throws {
        clientQueryEncoding = queryEncoding
        switch request.target {
        case .path(let path): url = try environment.baseURL().appending(requestPath: path)
        case .pathComponents(let components):
            url = try environment.baseURL().appending(requestPathComponents: components)
        case .absolute(let absolute): url = absolute
        }
        method = request.method
        query = request.query
        queryItems = request.queryItems
        if let object = request.queryObject {
            do {
                queryObject = try ParameterValue(object: object)
            } catch {
                throw NetworkError.encodingError(error)
            }
        }
        headers = request.headers
        timeout = request.timeoutInterval
        allowsBodyOnGet = request.allowsBodyOnGet
        options = request.optionsBox
        foundationCachePolicy = request.cachePolicy
        authenticationProvider = request.authenticationProvider
        try setBody(request.body, as: request.contentType, encoder: encoder)
        if let raw = request.rawBody { (body, form) = (raw, nil) }
    }

    /// Changes the options of the request. A form is encoded again if its conventions changed.
    package mutating func changeOptions(_ change: (inout RequestOptions) -> Void) {
        let before = queryEncoding
        change(&options.options)
        if let form, queryEncoding != before { setForm(form.value) }
    }

    /// Sets the body to a form.
    private mutating func setForm(_ value: ParameterValue) {
        do {
            body = HTTPBody(try QueryEncoding.Encoder.encode(value, as: queryEncoding))
            form = (value, nil)
        } catch {
            body = nil
            form = (value, error)
        }
    }

    /// Sets the body to an encoded value; `Data` is the body itself.
    package mutating func setBody(
        _ value: (any Encodable & Sendable)?, as type: RequestContentType = .clientEncoder, encoder: any BodyEncoder
    ) throws {
        if let form = try type.form(value) {
            contentType = "application/x-www-form-urlencoded"
            return setForm(form)
        }
        guard let encoded = try type.encode(value, by: encoder) else { return }
        body = encoded.body
        contentType = encoded.contentType
    }

    /// Returns the request without its body.
    ///
    /// - Parameter defaultTimeout: the longest time without any byte, in seconds, unless the call has its own.
    /// - Throws: an error that describes the problem, for an invalid method or header, and for a body on GET or HEAD without ``allowsBodyOnGet``;
    ///   ``NetworkError/encodingError(_:)``; ``NetworkError/invalidURL``.
    package func urlRequest(defaultTimeout: TimeInterval? = nil) throws -> URLRequest {
        guard method.rawValue.isHTTPToken else { throw RequestBuildingError.invalidMethod(method.rawValue) }
        if let body, body.length != 0, !allowsBodyOnGet {
            // `URLRequest` sends "get" as GET.
            let method = HTTPMethod(rawValue: method.rawValue.uppercased())
            if method == .get || method == .head {
                throw RequestBuildingError(
                    "A \(method.rawValue) request has a body, which servers and proxies may ignore or refuse (RFC 9110, section "
                        + "\(method == .head ? "9.3.2" : "9.3.1")). Use another method, such as POST, send the values as query "
                        + "parameters, or set allowsBodyOnGet to true.")
            }
        }
        if let error = form?.error { throw NetworkError.encodingError(error) }
        var request = URLRequest(url: try urlWithQuery())
        request.httpMethod = method.rawValue
        if let timeout = timeout ?? defaultTimeout, timeout > 0 { request.timeoutInterval = timeout }
        var headers = headers
        if body != nil, let contentType, !headers.contains(name: "Content-Type") {
            headers.add(.contentType(contentType))
        }
        if let invalid = headers.firstInvalid { throw RequestBuildingError.invalidHeader(invalid.name) }
        // On Linux, assigning one dictionary takes a hundredth of the time of ten calls of setValue.
        if !headers.isEmpty { request.allHTTPHeaderFields = headers.dictionary }
        return request
    }

    private func urlWithQuery() throws -> URL {
        guard !query.isEmpty || !queryItems.isEmpty || queryObject != nil else { return url }
        let encoded: String
        do {
            let encoding = queryEncoding
            encoded = [
                try QueryEncoding.Encoder.encode(query, as: encoding),
                QueryEncoding.Encoder.encode(items: queryItems, as: encoding),
                try queryObject.map { try QueryEncoding.Encoder.encode($0, as: encoding) } ?? "",
            ].filter { !$0.isEmpty }.joined(separator: "&")
        } catch { throw NetworkError.encodingError(error) }
        guard let result = url.appending(encodedQuery: encoded) else { throw NetworkError.invalidURL }
        return result
    }
}

extension Optional where Wrapped == any NetworkEnvironment {
    fileprivate func baseURL() throws -> URL {
        guard let self else {
            throw RequestBuildingError(
                "There is no base URL for the path. Give the client an environment, or the request an absolute URL.")
        }
        return self.baseURL
    }
}

extension RequestBuildingError {
    /// An invalid header. The message omits the value, which may be a secret.
    package static func invalidHeader(_ name: String) -> RequestBuildingError {
        RequestBuildingError(
            "The header '\(String(name.prefix(64)).onOneLine)' cannot be sent: its name must be a token, and its value must "
                + "not hold CR, LF or NUL (RFC 9110, section 5). Encode or remove them.")
    }

    /// An invalid method.
    package static func invalidMethod(_ method: String) -> RequestBuildingError {
        RequestBuildingError(
            "The method '\(String(method.prefix(64)).onOneLine)' is not a token (RFC 9110, section 9.1).")
    }

    /// A URL without a host, or with another scheme than http and https.
    package static func notHTTP(_ url: URL) -> RequestBuildingError {
        switch url.scheme?.asciiLowercased {
        case nil: RequestBuildingError("The URL has no scheme. Begin it with https://, or give the client a base URL.")
        case "http", "https": RequestBuildingError("The URL has no host.")
        case "http+unix":
            RequestBuildingError(
                "An http+unix URL needs the percent-encoded path of a socket as its host: http+unix://%2Frun%2Fapp.sock/v1."
            )
        case let scheme?:
            RequestBuildingError("The URL has the scheme '\(String(scheme.prefix(64)).onOneLine)'. Use https or http.")
        }
    }

    /// Two bodies.
    package static let twoBodies = RequestBuildingError(
        "The request has both a body and bodyParameters. Set one of them.")
}

extension URL {
    /// Returns the URL with a query appended to its own, and without the fragment.
    package func appending(encodedQuery query: String) -> URL? {
        guard !query.isEmpty else { return self }
        var text = absoluteString
        if let hash = text.firstIndex(of: "#") { text = String(text[..<hash]) }
        let separator = text.contains("?") ? (text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&") : "?"
        return URL(string: text + separator + query)
    }
}
