/// Turns what a caller wrote into a `URLRequest` and a body: the one lowering, used by every front door.
///
/// Nothing is dropped in silence: what cannot be sent as written is refused here, before the pipeline.
package struct RequestBuilder: Sendable {
    package var url: URL
    package var method = HTTPMethod.get
    package var query: [String: any Encodable & Sendable] = [:]
    /// Added behind ``query``, in this order.
    package var queryItems: [URLQueryItem] = []
    package var headers = HTTPHeaders()
    package var timeout: TimeInterval?
    package var body: HTTPBody?
    /// Sent as `Content-Type` with the body, unless ``headers`` has one.
    package var contentType: String?
    /// Whether a GET or HEAD request may have a body.
    package var allowsBodyOnGet = false

    package init(url: URL) {
        self.url = url
    }

    /// What a configuration describes.
    ///
    /// - Parameter environment: where a relative URL is added to the base URL's; nil if the URL has to be whole.
    package init(
        _ config: RequestConfig, environment: (any NetworkEnvironment)? = nil, encoder: any BodyEncoder
    ) throws {
        url =
            config.url.scheme == nil
            ? try environment.baseURL().appending(relative: config.url.absoluteString) : config.url
        method = config.method
        query = config.queryParameters
        headers = config.headers
        timeout = config.timeout
        allowsBodyOnGet = config.allowsBodyOnGet
        guard config.bodyParameters.isEmpty || config.body == nil else { throw RequestBuildingError.twoBodies }
        try setBody(
            config.bodyParameters.isEmpty ? config.body : Parameters(config.bodyParameters), as: config.contentType,
            encoder: encoder)
    }

    /// What an endpoint describes.
    ///
    /// - Parameter environment: nil if the endpoint has to have a base URL of its own.
    package init(
        _ endpoint: some Endpoint, environment: (any NetworkEnvironment)?, encoder: any BodyEncoder
    ) throws {
        let base = try endpoint.baseURL.endpointBaseURL ?? environment.baseURL()
        url =
            try endpoint.pathComponents.map { try base.appending(requestPathComponents: $0) }
            ?? base.appending(requestPath: endpoint.path)
        method = endpoint.method
        query = endpoint.queryParameters
        queryItems = endpoint.queryItems.endpointQueryItems
        headers = HTTPHeaders(endpoint.headers)
        allowsBodyOnGet = endpoint.allowsBodyOnGet
        try setBody(endpoint.body, as: endpoint.contentType, encoder: encoder)
    }

    /// What a request describes.
    package init<Response>(
        _ request: Request<Response>, environment: (any NetworkEnvironment)?, encoder: any BodyEncoder
    ) throws {
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
                queryItems += try QueryEncoder.items(ofObject: object)
            } catch {
                throw NetworkError.encodingError(error)
            }
        }
        headers = request.headers
        timeout = request.timeoutInterval
        allowsBodyOnGet = request.allowsBodyOnGet
        try setBody(request.body, as: request.contentType, encoder: encoder)
        body = request.rawBody ?? body
    }

    private mutating func setBody(
        _ value: (any Encodable & Sendable)?, as type: RequestContentType, encoder: any BodyEncoder
    ) throws {
        guard let encoded = try type.encode(value, by: encoder) else { return }
        body = encoded.body
        contentType = encoded.contentType
    }

    /// Encodes a value as the body; `Data` is the body.
    package mutating func setBody(_ value: any Encodable & Sendable, encoder: any BodyEncoder) throws {
        try setBody(value, as: .clientEncoder, encoder: encoder)
    }

    /// The request as Foundation has it, without its body.
    ///
    /// - Throws: ``RequestBuildingError`` for a method or a header that cannot be sent, and for a body on GET or HEAD that was
    ///   not asked for; ``NetworkError/encodingError(_:)``; ``NetworkError/invalidURL``.
    package func urlRequest() throws -> URLRequest {
        guard method.rawValue.isHTTPToken else {
            throw RequestBuildingError.invalidMethod(method.rawValue)
        }
        if let body, body.length != 0, !allowsBodyOnGet {
            // `URLRequest` sends "get" as GET.
            let method = HTTPMethod(rawValue: method.rawValue.uppercased())
            if method == .get || method == .head { throw RequestBuildingError.unexpectedBody(method) }
        }
        var request = URLRequest(url: try urlWithQuery())
        request.httpMethod = method.rawValue
        if let timeout, timeout > 0 { request.timeoutInterval = timeout }
        var headers = headers
        if body != nil, let contentType, !headers.contains(name: "Content-Type") {
            headers.add(.contentType(contentType))
        }
        if let invalid = headers.firstInvalid { throw RequestBuildingError.invalidHeader(invalid.name) }
        // One assignment of a dictionary costs a hundredth of ten calls of setValue on Linux.
        if !headers.isEmpty { request.allHTTPHeaderFields = headers.dictionary }
        return request
    }

    private func urlWithQuery() throws -> URL {
        guard !query.isEmpty || !queryItems.isEmpty else { return url }
        let encoded: String
        do {
            encoded = QueryEncoder.encode(items: try QueryEncoder.items(of: query) + queryItems)
        } catch {
            throw NetworkError.encodingError(error)
        }
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
    /// A header that cannot be sent. The value is not shown: it may be a secret.
    package static func invalidHeader(_ name: String) -> RequestBuildingError {
        RequestBuildingError(
            "The header '\(String(name.prefix(64)).onOneLine)' cannot be sent: its name must be a token, and its value must "
                + "not hold CR, LF or NUL (RFC 9110, section 5). Encode or remove them.")
    }

    /// A method that cannot be sent.
    package static func invalidMethod(_ method: String) -> RequestBuildingError {
        RequestBuildingError(
            "The method '\(String(method.prefix(64)).onOneLine)' is not a token (RFC 9110, section 9.1).")
    }

    /// A body that is given twice.
    package static let twoBodies = RequestBuildingError(
        "The request has both a body and bodyParameters. Set one of them.")

    /// A body with a method for which a body has no meaning.
    package static func unexpectedBody(_ method: HTTPMethod) -> RequestBuildingError {
        RequestBuildingError(
            "A \(method.rawValue) request has a body, which servers and proxies may ignore or refuse (RFC 9110, section "
                + "\(method == .head ? "9.3.2" : "9.3.1")). Use another method, such as POST, send the values as query "
                + "parameters, or set allowsBodyOnGet to true.")
    }
}

extension URL {
    /// The URL with a query added behind the one it has. The fragment, which is never sent, goes.
    package func appending(encodedQuery query: String) -> URL? {
        guard !query.isEmpty else { return self }
        var text = absoluteString
        if let hash = text.firstIndex(of: "#") { text = String(text[..<hash]) }
        let separator = text.contains("?") ? (text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&") : "?"
        return URL(string: text + separator + query)
    }

    /// Whether a transport can be asked for it: `http` or `https`, and a host. Works on the text, which is several times
    /// cheaper than taking the URL apart, and happens for every request.
    package var isHTTP: Bool {
        var text = absoluteString
        return text.withUTF8 { text in
            for scheme in [StaticString("http://"), StaticString("https://")] {
                let length = scheme.utf8CodeUnitCount
                guard text.count > length, text.starts(with: scheme) else { continue }
                var first = text[length]
                // What stands before an @ is user information (RFC 3986, section 3.2).
                for index in length..<text.count {
                    if text[index].endsAuthority { break }
                    if text[index] == UInt8(ascii: "@") {
                        first = index + 1 < text.count ? text[index + 1] : UInt8(ascii: "/")
                    }
                }
                return !first.endsAuthority && first != UInt8(ascii: ":")
            }
            return false
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// But for the case of ASCII letters.
    fileprivate func starts(with prefix: StaticString) -> Bool {
        prefix.withUTF8Buffer { prefix in
            for index in 0..<prefix.count where self[index].asciiLowercased != prefix[index] { return false }
            return true
        }
    }
}

extension UInt8 {
    fileprivate var endsAuthority: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }
}
