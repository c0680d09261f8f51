/// The outcome of a request: the request as sent, the response's head, its bytes, and the value or the error.
///
/// Every call style of `Networking` returns one.
public struct NetworkResponse<Value> {
    /// The request as sent, with the changes of interceptors, or nil if it could not be built.
    public let request: URLRequest?
    /// The bytes of the body as received, or nil without a response.
    public let data: Data?
    public let result: Result<Value, NetworkError>
    /// The error with its context, or nil on success.
    public let failure: NetworkFailure?
    private let head: TransportResponse?
    /// The response as it was given, if it is not of the pipeline.
    private let foundation: URLResponse?

    /// Creates a response from its parts, for custom serialisers and for tests.
    public init(
        request: URLRequest?, response: URLResponse?, data: Data?, result: Result<Value, NetworkError>,
        failure: NetworkFailure? = nil
    ) {
        self.init(
            request: request, head: TransportResponse(response), foundation: response, data: data, result: result,
            failure: failure)
    }

    /// Creates a response of the pipeline, or one around a response of Foundation.
    package init(
        request: URLRequest?, head: TransportResponse?, foundation: URLResponse? = nil, data: Data?,
        result: Result<Value, NetworkError>, failure: NetworkFailure? = nil
    ) {
        self.request = request
        self.head = head
        self.foundation = foundation
        self.data = data
        self.result = result
        if case .failure(let error) = result {
            self.failure =
                failure
                ?? NetworkFailure(
                    cause: error, request: request.map(RequestSnapshot.init),
                    response: head.map { ResponseSnapshot(statusCode: $0.status, headers: $0.headers, body: data) },
                    retryAttempt: foundation == nil ? head?.attempt : nil)
        } else {
            self.failure = nil
        }
    }

    /// The response's head, usually an `HTTPURLResponse`, or nil without a response. Created at each access.
    public var response: URLResponse? { foundation ?? head?.httpURLResponse }

    /// The head of a response of the pipeline, which alone has metrics, a connection and earlier attempts.
    private var received: TransportResponse? { foundation == nil ? head : nil }

    /// The response's headers, including duplicates.
    public var headers: HTTPHeaders { head?.headers ?? HTTPHeaders() }

    /// The status code, or nil without a response.
    public var statusCode: Int? { head?.status }

    /// The same as ``statusCode``.
    public var responseCode: Int? { statusCode }

    /// The timing and byte counts of the exchange, or nil without a response.
    public var metrics: TransportResponse.Metrics? { received?.metrics }

    /// The redirects that were followed: see ``TransportResponse/redirects``.
    public var redirects: [RetryTrace.Redirect] { retryTrace.hops }

    /// The connection of the exchange: see ``TransportResponse/connection``.
    public var connection: TransportResponse.Connection? { received?.connection }

    /// The trailer fields of the response: see ``TransportResponse/trailers``.
    public var trailers: HTTPHeaders? { received?.trailers }

    /// The failures of the earlier attempts, and the reason why there was no further one.
    public var retryTrace: RetryTrace { received?.retryTrace ?? failure?.retryTrace ?? RetryTrace() }
    /// The value, or nil on failure.
    public var value: Value? { if case .success(let value) = result { value } else { nil } }
    /// The error, or nil on success.
    public var error: NetworkError? { if case .failure(let error) = result { error } else { nil } }
    public var isSuccess: Bool { value != nil }
    /// Returns the value or throws the error.
    public func get() throws(NetworkError) -> Value { try result.get() }

    /// Returns the value or throws the failure, which also has the request, the response and the attempt. For a function that
    /// `throws(NetworkFailure)`.
    public func getOrFailure() throws(NetworkFailure) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let error): throw failure ?? NetworkFailure(cause: error)
        }
    }

    /// Returns the same response with another value.
    ///
    /// - Parameter transform: if it throws, a ``NetworkError`` (or the cause of a ``NetworkFailure``) becomes the error; any other error
    ///   becomes ``NetworkError/decodingError(_:)``.
    public func map<Other>(_ transform: (Value) throws -> Other) -> NetworkResponse<Other> {
        let other: Result<Other, NetworkError> = result.flatMap { value in
            do {
                return .success(try transform(value))
            } catch {
                return .failure(error as? NetworkError ?? (error as? NetworkFailure)?.cause ?? .decodingError(error))
            }
        }
        return replacing(other, failure)
    }

    private func replacing<Other>(
        _ result: Result<Other, NetworkError>, _ failure: NetworkFailure?
    ) -> NetworkResponse<Other> {
        NetworkResponse<Other>(
            request: request, head: head, foundation: foundation, data: data, result: result, failure: failure)
    }

    /// Returns the same response with the body decoded in the caller's isolation. An error is kept.
    package func decoded<Other: Decodable>(
        by decoder: any BodyDecoder, as type: Other.Type = Other.self, keyPath: String? = nil, timestamp: Date
    ) -> NetworkResponse<Other> where Value == Data {
        serialized(timestamp) { try decoder.value(type, of: $0, response: $1, keyPath: keyPath) }
    }

    /// The same for a type that may not be `Decodable`.
    package func decodedIfPossible<Other>(
        by decoder: any BodyDecoder, as type: Other.Type = Other.self, timestamp: Date
    ) -> NetworkResponse<Other> where Value == Data {
        serialized(timestamp) { try decoder.valueIfDecodable(type, of: $0, response: $1) }
    }

    private func serialized<Other>(
        _ timestamp: Date, _ serialize: (Data, TransportResponse) throws -> Other
    ) -> NetworkResponse<Other> where Value == Data {
        switch result {
        case .failure(let error): return replacing(.failure(error), failure)
        case .success(let body):
            let response = head ?? TransportResponse(status: 200, url: foundation?.url)
            do {
                return replacing(.success(try serialize(body, response)), nil)
            } catch {
                let failure = NetworkFailure(serializing: error, response: response, data: body, timestamp: timestamp)
                return replacing(.failure(failure.cause), failure)
            }
        }
    }

    /// The body as text for a log: JSON indented with sorted keys, other text unchanged, or nil if it is not text.
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

extension TransportResponse {
    /// The head of Foundation's response, or nil if it is not of HTTP.
    package init?(_ response: URLResponse?) {
        guard let response = response as? HTTPURLResponse else { return nil }
        let fields = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        self.init(status: response.statusCode, headers: HTTPHeaders(Dictionary(fields) { $1 }), url: response.url)
    }
}

extension NetworkResponse: Sendable where Value: Sendable {}

extension NetworkResponse: RedactedReflectable {
    /// Request, status, size and result, one per line. The result is the value's description without secrets that are recognisable by name or form.
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

/// The same as ``NetworkResponse``.
public typealias NetworkingResponse = NetworkResponse
