/// A response as a transport received it: the head, and a body to read.
public struct TransportResponse: Sendable {
    public var status: Int {
        get { fields.value.status }
        set { fields.value.status = newValue }
    }
    /// The header fields, including duplicates.
    public var headers: HTTPHeaders {
        _read { yield fields.value.headers }
        _modify { yield &fields.value.headers }
    }
    /// The URL of the response; after redirects, the last one.
    public var url: URL? {
        get { fields.value.url }
        set { fields.value.url = newValue }
    }
    public var version: HTTPVersion {
        get { fields.value.version }
        set { fields.value.version = newValue }
    }
    /// The body. Reading it drives the transfer; dropping it unread ends the transfer.
    public var body: HTTPBody {
        _read { yield fields.value.body }
        _modify { yield &fields.value.body }
    }
    /// The timing and byte counts of the exchange.
    public var metrics: TransportResponse.Metrics { pipeline.metricsBox?.metrics ?? TransportResponse.Metrics() }

    /// The body before the transport decoded its `Content-Encoding`, or nil if it was not coded or is delivered undecoded.
    public package(set) var wire: TransportResponse.WireBody? {
        get { fields.value.wire }
        set { fields.value.wire = newValue }
    }

    /// The request as sent. The pipeline sets it when the response comes from the transport; it is nil if an interceptor made the response.
    public package(set) var request: URLRequest? {
        get { fields.value.request }
        set { fields.value.request = newValue }
    }
    /// The number of the attempt: 0 for the first.
    public package(set) var attempt: Int {
        get { fields.value.attempt }
        set { fields.value.attempt = newValue }
    }
    /// The failures of earlier attempts.
    public package(set) var retryTrace: RetryTrace {
        _read { yield fields.value.retryTrace }
        _modify { yield &fields.value.retryTrace }
    }

    /// What the transport and the pipeline keep with the response.
    package var pipeline: PipelineState {
        _read { yield fields.value.pipeline }
        _modify { yield &fields.value.pipeline }
    }

    package struct PipelineState: Sendable {
        /// The prepared request of this attempt, or nil outside of a client's pipeline.
        package var prepared: PreparedRequest?
        /// The fields that interceptors with a ``CredentialOwner`` added, in lower case.
        var ownedFields: Set<String> = []
        /// The statuses that a `ValidationInterceptor` accepts, or nil for 200 to 299. The client checks them at the end of the call, after
        /// redirects, authentication and retries have seen the response.
        package var acceptedStatusCodes: [ClosedRange<Int>]?
        /// The path to the value in the body, which the client copies from ``RequestOptions/responseKeyPath``.
        package var keyPath: String?
        /// The metrics, and all that is known of the exchange besides the message.
        package var metricsBox: MetricsBox?
        /// The connection after a successful upgrade (101). It closes when the response is released.
        package var upgraded: UpgradedConnection?
    }

    private struct Fields: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var url: URL?
        var version: HTTPVersion
        var body: HTTPBody
        var wire: TransportResponse.WireBody?
        var request: URLRequest?
        var attempt = 0
        var retryTrace = RetryTrace()
        var pipeline: PipelineState
    }

    private var fields: Boxed<Fields>

    /// Creates a response, with the connection that it came over, if that is known, and the ``trailers`` of a body that was received whole.
    public init(
        status: Int, headers: HTTPHeaders = HTTPHeaders(), url: URL?, version: HTTPVersion = .http1_1,
        body: HTTPBody = .empty, metrics: TransportResponse.Metrics? = nil,
        connection: TransportResponse.Connection? = nil, trailers: HTTPHeaders? = nil
    ) {
        let isKnown = metrics != nil || connection != nil || trailers != nil
        self.init(
            status: status, headers: headers, url: url, version: version, body: body,
            metricsBox: isKnown
                ? MetricsBox(
                    complete: metrics ?? TransportResponse.Metrics(), over: connection.map { ConnectionBox($0) },
                    trailers: trailers)
                : nil)
    }

    package init(
        status: Int, headers: HTTPHeaders, url: URL?, version: HTTPVersion, body: HTTPBody, metricsBox: MetricsBox?
    ) {
        fields = Boxed(
            Fields(
                status: status, headers: headers, url: url, version: version, body: body,
                pipeline: PipelineState(metricsBox: metricsBox)))
    }

    /// The head as Foundation's type, or nil without a URL. Created at each access: it costs more than the rest of a small request (5 µs on Linux).
    public var httpURLResponse: HTTPURLResponse? {
        url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: status, httpVersion: version.rawValue, headerFields: headers.dictionary)
        }
    }
}

extension TransportResponse: RedactedReflectable {
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "status": status, "url": url?.redactedText, "headers": headers.isEmpty ? nil : headers, "version": version,
            "body": body, "request": request.map(RequestSnapshot.init), "attempt": attempt > 0 ? attempt : nil,
        ]
    }
}

/// A version of HTTP.
public struct HTTPVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The version as on the status line: `"HTTP/1.1"`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let http1_0 = HTTPVersion(rawValue: "HTTP/1.0")
    /// HTTP/1.1 (RFC 9112).
    public static let http1_1 = HTTPVersion(rawValue: "HTTP/1.1")
    /// HTTP/2 (RFC 9113).
    public static let http2 = HTTPVersion(rawValue: "HTTP/2")
    /// HTTP/3 (RFC 9114).
    public static let http3 = HTTPVersion(rawValue: "HTTP/3")
    public var description: String { rawValue }
}

extension TransportResponse {
    /// A response's body before its `Content-Encoding` was decoded: see ``TransportResponse/wire``.
    public struct WireBody: Sendable {
        /// `Content-Encoding` as received, with several fields joined by commas (RFC 9110, section 8.4).
        public let contentEncoding: String
        /// `Content-Length` as received: the number of bytes before decoding. Nil if there was none.
        public let contentLength: Int64?
        private let surplus = Locked(false)

        public init(contentEncoding: String, contentLength: Int64? = nil) {
            self.contentEncoding = contentEncoding
            self.contentLength = contentLength
        }

        /// Whether bytes followed the end of the coded body. They are dropped, and such a response is not stored. Final once the body was read.
        public var hasSurplus: Bool { surplus.withLock { $0 } }

        package func markSurplus() { surplus.withLock { $0 = true } }
    }

    /// Marks the body as decoded: moves `Content-Encoding` and `Content-Length`, which describe the coded body, from the header to ``wire``.
    @discardableResult
    package mutating func markDecoded() -> WireBody {
        let codings = headers.values(for: "Content-Encoding").joined(separator: ", ")
        let body = WireBody(contentEncoding: codings, contentLength: headers["Content-Length"].flatMap { Int64($0) })
        headers.remove(name: "Content-Encoding")
        headers.remove(name: "Content-Length")
        wire = body
        return body
    }

    /// The timing and byte counts of an exchange. Times are seconds since its start. A time is nil if the step did not happen (no lookup
    /// and no handshake on a reused connection) or the transport does not know it.
    public struct Metrics: Hashable, Sendable {
        /// The end of the name lookup.
        public var nameLookup: TimeInterval?
        /// The end of the TCP handshake.
        public var connect: TimeInterval?
        /// The end of the TLS handshake.
        public var secureConnect: TimeInterval?
        /// The time at which the request's first byte could be sent.
        public var requestStart: TimeInterval?
        /// The arrival of the response's first byte.
        public var firstByte: TimeInterval?
        /// The end of the response, or nil while the body is arriving.
        public var total: TimeInterval?
        public var isReusedConnection: Bool?
        /// The bytes of the request's body.
        public var bytesSent: Int64 = 0
        /// The bytes of the response's body on the wire.
        public var bytesReceived: Int64 = 0
        /// The address of the peer (server or proxy), such as `"127.0.0.1:8080"`.
        public var remoteAddress: String?

        public init() {}
    }
}

extension NetworkFailure {
    /// Creates a failure from an error that occurred while the body of a response was read.
    package init(reading response: TransportResponse, error: any Error, timestamp: Date) {
        self.init(
            wrapping: error, request: response.request,
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
            timestamp: timestamp, retryAttempt: response.attempt)
        if retryTrace == RetryTrace() { retryTrace = response.retryTrace }
    }

    /// Creates a failure from a serialiser's error. A network error keeps its case; any other error becomes a decoding error.
    package init(serializing error: any Error, response: TransportResponse, data: Data, timestamp: Date) {
        let cause = error as? NetworkError ?? (error as? NetworkFailure)?.cause ?? .decodingError(error)
        self.init(cause, of: response, data: data, timestamp: timestamp)
    }

    /// Creates the failure of a response with an unacceptable status.
    package init(response: TransportResponse, data: Data?, timestamp: Date) {
        self.init(
            .requestFailed(statusCode: response.status, data: data), of: response, data: data, timestamp: timestamp)
    }

    /// Creates a failure that a response caused.
    package init(
        _ cause: NetworkError, of response: TransportResponse, data: Data?, underlyingError: (any Error)? = nil,
        timestamp: Date
    ) {
        self.init(
            cause: cause, request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: data),
            underlyingError: underlyingError, timestamp: timestamp, retryAttempt: response.attempt)
        retryTrace = response.retryTrace
    }
}

extension URLRequest {
    /// Whether the request must not be sent: `only-if-cached` (RFC 9111, section 5.2.1.7), or `.returnCacheDataDontLoad`.
    package var acceptsOnlyStored: Bool {
        if cachePolicy == .returnCacheDataDontLoad { return true }
        return allHTTPHeaderFields?.value(of: "Cache-Control")?.listMembers().contains {
            String($0).equalsIgnoringASCIICase("only-if-cached")
        } == true
    }
}

extension TransportResponse {
    /// Collects the body, which stays readable. Throws a ``NetworkFailure``, or a `CancellationError`.
    package mutating func collectBody(upTo limit: Int, clock: any NetworkClock) async throws -> Data {
        do {
            let data = try await body.collect(upTo: limit)
            body = HTTPBody(data)
            return data
        } catch let error as CancellationError {
            throw error
        } catch {
            throw NetworkFailure(reading: self, error: error, timestamp: clock.now)
        }
    }

    /// The answer to a request that accepts only a stored response, when there is none.
    package static func gatewayTimeout(for request: URLRequest, clock: any NetworkClock) -> TransportResponse {
        TransportResponse(
            status: 504, headers: ["Content-Length": "0", "Date": HTTPDate.string(from: clock.now)], url: request.url)
    }
}
