/// What came of a request: the request as sent, the response's head, its bytes, and the value or the error (seed 000).
///
/// Every call style of `Networking` gives one, so that one can be exchanged for another.
public struct NetworkResponse<Value> {
    /// The request as it was sent, with what interceptors added. Nil if none could be built.
    public let request: URLRequest?
    /// The bytes of the body, as received; nil if there was no response.
    public let data: Data?
    /// The value, or what went wrong.
    public let result: Result<Value, NetworkError>
    /// The error with its context; nil on success.
    public let failure: NetworkFailure?

    private let head: ResponseHead

    /// A response from its parts, for serialisers of one's own and for tests.
    public init(
        request: URLRequest?, response: URLResponse?, data: Data?, result: Result<Value, NetworkError>,
        failure: NetworkFailure? = nil
    ) {
        self.init(request: request, head: .foundation(response), data: data, result: result, failure: failure)
    }

    /// A response as the pipeline made it.
    package init(
        request: URLRequest?, head: TransportResponse, data: Data?, result: Result<Value, NetworkError>,
        failure: NetworkFailure? = nil
    ) {
        self.init(request: request, head: .transport(head), data: data, result: result, failure: failure)
    }

    private init(
        request: URLRequest?, head: ResponseHead, data: Data?, result: Result<Value, NetworkError>,
        failure: NetworkFailure?
    ) {
        self.request = request
        self.head = head
        self.data = data
        self.result = result
        if case .failure(let error) = result {
            self.failure =
                failure
                ?? NetworkFailure(
                    cause: error, request: request.map(RequestSnapshot.init), response: head.snapshot(with: data),
                    retryAttempt: head.attempt)
        } else {
            self.failure = nil
        }
    }

    /// The response's head, usually an `HTTPURLResponse`; nil if there was none. Made anew at each access.
    public var response: URLResponse? {
        switch head {
        case .foundation(let response): response
        case .transport(let response): response.httpURLResponse
        }
    }

    /// The response's headers, duplicates included.
    public var headers: HTTPHeaders { head.headers }

    /// The status code; nil if there was no response.
    public var statusCode: Int? { head.statusCode }

    /// The same as ``statusCode``.
    public var responseCode: Int? { statusCode }

    /// Where the time went; nil if there was no response.
    public var metrics: TransportMetrics? {
        if case .transport(let response) = head { response.metrics } else { nil }
    }

    /// Why the attempts before the last one failed, if there were any, and why there was no further one.
    public var retryTrace: RetryTrace {
        if case .transport(let response) = head { response.retryTrace } else { failure?.retryTrace ?? RetryTrace() }
    }

    /// The value; nil on failure.
    public var value: Value? {
        if case .success(let value) = result { value } else { nil }
    }

    /// The error; nil on success.
    public var error: NetworkError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// Whether there is a value.
    public var isSuccess: Bool { value != nil }

    /// The value, or the error thrown.
    public func get() throws(NetworkError) -> Value {
        try result.get()
    }

    /// The same response with another value.
    ///
    /// - Parameter transform: what it throws becomes the error: a ``NetworkError`` (or the cause of a ``NetworkFailure``) as
    ///   it is, anything else ``NetworkError/decodingError(_:)``.
    public func map<Other>(_ transform: (Value) throws -> Other) -> NetworkResponse<Other> {
        let other: Result<Other, NetworkError> = result.flatMap { value in
            do {
                return .success(try transform(value))
            } catch {
                return .failure(error as? NetworkError ?? (error as? NetworkFailure)?.cause ?? .decodingError(error))
            }
        }
        return NetworkResponse<Other>(
            request: request, head: head, data: data, result: other, failure: failure)
    }

    /// The same response with the body decoded, where this is called. An error stays as it is.
    package func decoded<Other: Decodable>(
        by decoder: any BodyDecoder, as type: Other.Type = Other.self, timestamp: Date
    ) -> NetworkResponse<Other> where Value == Data {
        serialized(timestamp) { try decoder.value(type, of: $0, response: $1) }
    }

    /// The same response with the body decoded, where this is called, if the type can be.
    package func decodedIfPossible<Other>(
        by decoder: any BodyDecoder, as type: Other.Type = Other.self, timestamp: Date
    ) -> NetworkResponse<Other> where Value == Data {
        serialized(timestamp) { try decoder.valueIfDecodable(type, of: $0, response: $1) }
    }

    private func serialized<Other>(
        _ timestamp: Date, _ serialize: (Data, TransportResponse) throws -> Other
    ) -> NetworkResponse<Other> where Value == Data {
        switch result {
        case .failure(let error):
            return NetworkResponse<Other>(
                request: request, head: head, data: data, result: .failure(error), failure: failure)
        case .success(let body):
            let response = head.transportResponse
            do {
                let value = try serialize(body, response)
                return NetworkResponse<Other>(
                    request: request, head: head, data: data, result: .success(value), failure: nil)
            } catch {
                let failure = NetworkFailure(serializing: error, response: response, data: body, timestamp: timestamp)
                return NetworkResponse<Other>(
                    request: request, head: head, data: data, result: .failure(failure.cause), failure: failure)
            }
        }
    }

    /// The body as text for a log: JSON indented with sorted keys, other text as it is; nil if it is neither.
    public var prettyPrinted: String? {
        guard let data, !data.isEmpty else { return nil }
        if let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed),
            let pretty = try? JSONSerialization.data(
                withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .fragmentsAllowed])
        {
            return String(data: pretty, encoding: .utf8)
        }
        return String(data: data, encoding: .utf8)
    }
}

/// Either what Foundation has, or the transport's head, from which Foundation's is made when somebody asks for it.
private enum ResponseHead: Sendable {
    case foundation(URLResponse?)
    case transport(TransportResponse)

    var statusCode: Int? {
        switch self {
        case .foundation(let response): (response as? HTTPURLResponse)?.statusCode
        case .transport(let response): response.status
        }
    }

    var headers: HTTPHeaders {
        switch self {
        case .foundation(let response):
            HTTPHeaders(
                (response as? HTTPURLResponse)?.allHeaderFields
                    .reduce(into: [String: String]()) { $0["\($1.key)"] = "\($1.value)" } ?? [:])
        case .transport(let response): response.headers
        }
    }

    /// The head as a transport gives it, for what reads that.
    var transportResponse: TransportResponse {
        switch self {
        case .foundation(let response):
            TransportResponse(status: statusCode ?? 200, headers: headers, url: response?.url)
        case .transport(let response): response
        }
    }

    var attempt: Int? {
        if case .transport(let response) = self { response.attempt } else { nil }
    }

    func snapshot(with data: Data?) -> ResponseSnapshot? {
        statusCode.map { ResponseSnapshot(statusCode: $0, headers: headers, body: data) }
    }
}

extension NetworkResponse: Sendable where Value: Sendable {}

extension NetworkResponse: RedactedReflectable {
    /// Request, status, size and result, a line each. The result is the value's own description, without what a log would leave out: what
    /// is a secret by its name or its form.
    public var description: String {
        """
        Request: \(request.map { RequestSnapshot($0).description } ?? "none")
        Response: \(statusCode.map { "\($0) \($0.statusCodeType)" } ?? "none")
        Data: \(data.map { "\($0.count) bytes" } ?? "none")
        Result: \(resultDescription)
        """
    }

    /// The parts of ``description``.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "request": request.map(RequestSnapshot.init), "statusCode": statusCode,
            "data": data.map { "\($0.count) bytes" }, "result": resultDescription,
        ]
    }

    private var resultDescription: String {
        switch result {
        case .success(let value): "success(\("\(value)".withoutSecrets))"
        case .failure(let error): "failure(\(error.code)): \(failure?.description ?? error.localizedDescription)"
        }
    }
}

/// The name that seed 000 also uses.
public typealias NetworkingResponse = NetworkResponse
