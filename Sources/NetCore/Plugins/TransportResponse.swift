/// What a transport received: the head of a response, and its body to be read.
public struct TransportResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields, duplicates included.
    public var headers: HTTPHeaders
    /// The URL that answered; after redirects, the last one.
    public var url: URL?
    /// The version of HTTP that was spoken.
    public var version: HTTPVersion
    /// The body. Reading it drives the transfer; dropping it unread ends the transfer.
    public var body: HTTPBody
    /// Where the time went.
    public var metrics: TransportMetrics { metricsBox?.metrics ?? TransportMetrics() }

    /// What the body was before the transport decoded its `Content-Encoding`; nil for one that was not coded, or is given as it came.
    public package(set) var wire: WireBody?

    /// The request as it was sent, set by the pipeline when the response comes from the transport; nil for an answer that an
    /// interceptor made by itself.
    public package(set) var request: URLRequest?
    /// The attempt that gave this response: 0 for the first.
    public package(set) var attempt = 0
    /// Why the attempts before this one failed, if there were any.
    public package(set) var retryTrace = RetryTrace()

    /// The request as it was prepared for the attempt that gave this response; nil outside of a client's pipeline.
    package var prepared: PreparedRequest?

    /// The fields that interceptors with a ``CredentialOwner`` added, in lower case.
    var ownedFields: Set<String> = []

    /// The statuses that a `ValidationInterceptor` on the way accepts; nil for 200 to 299. Carried along, since only at the end of the
    /// call is it known that nobody (redirects, authentication, retry) takes a status for something else.
    package var acceptedStatusCodes: [ClosedRange<Int>]?

    package var metricsBox: MetricsBox?

    /// The connection itself, after a successful upgrade (101). Who drops the response closes it.
    package var upgraded: UpgradedConnection?

    /// A response.
    public init(
        status: Int,
        headers: HTTPHeaders = HTTPHeaders(),
        url: URL?,
        version: HTTPVersion = .http1_1,
        body: HTTPBody = .empty,
        metrics: TransportMetrics? = nil
    ) {
        self.status = status
        self.headers = headers
        self.url = url
        self.version = version
        self.body = body
        metricsBox = metrics.map { MetricsBox(complete: $0) }
    }

    package init(
        status: Int, headers: HTTPHeaders, url: URL?, version: HTTPVersion, body: HTTPBody, metricsBox: MetricsBox
    ) {
        self.status = status
        self.headers = headers
        self.url = url
        self.version = version
        self.body = body
        self.metricsBox = metricsBox
    }

    /// The class of the status.
    public var statusType: StatusCodeType { status.statusCodeType }

    /// The head as Foundation's type. Made when asked for, since it costs more than a small request's other work
    /// (5 µs on Linux). Nil only if there is no URL.
    public var httpURLResponse: HTTPURLResponse? {
        url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: status, httpVersion: version.rawValue, headerFields: headers.dictionary)
        }
    }
}

extension TransportResponse: RedactedReflectable {
    /// Status, URL and header fields without secrets, and the length of the body.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "status": status, "url": url?.redactedText, "headers": headers.isEmpty ? nil : headers, "version": version,
            "body": body, "request": request.map(RequestSnapshot.init), "attempt": attempt > 0 ? attempt : nil,
        ]
    }
}

/// A version of HTTP.
public struct HTTPVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// As on the status line: `"HTTP/1.1"`.
    public let rawValue: String

    /// A version from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// HTTP/1.0.
    public static let http1_0 = HTTPVersion(rawValue: "HTTP/1.0")
    /// HTTP/1.1 (RFC 9112).
    public static let http1_1 = HTTPVersion(rawValue: "HTTP/1.1")
    /// HTTP/2 (RFC 9113).
    public static let http2 = HTTPVersion(rawValue: "HTTP/2")
    /// HTTP/3 (RFC 9114).
    public static let http3 = HTTPVersion(rawValue: "HTTP/3")

    /// The raw value.
    public var description: String { rawValue }
}
