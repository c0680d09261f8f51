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

/// A response's body as it came over the network, before its `Content-Encoding` was decoded: see ``TransportResponse/wire``.
public struct WireBody: Sendable {
    /// `Content-Encoding` as it was received, several fields joined by commas (RFC 9110, section 8.4).
    public let contentEncoding: String
    /// `Content-Length` as it was received: the number of bytes before decoding. Nil if there was none.
    public let contentLength: Int64?
    private let surplus = Locked(false)

    /// What was received.
    public init(contentEncoding: String, contentLength: Int64? = nil) {
        self.contentEncoding = contentEncoding
        self.contentLength = contentLength
    }

    /// Whether bytes came after the end of the coded body. They are dropped, and such a response is not stored. Known once the
    /// body has been read to its end.
    public var hasSurplus: Bool { surplus.withLock { $0 } }

    package func noteSurplus() {
        surplus.withLock { $0 = true }
    }
}

extension TransportResponse {
    /// Notes that the body is given decoded: `Content-Encoding` and `Content-Length` leave the header, since they describe what came
    /// over the network, and go to ``wire``.
    @discardableResult
    package mutating func noteDecoded() -> WireBody {
        let codings = headers.values(for: "Content-Encoding").joined(separator: ", ")
        let body = WireBody(contentEncoding: codings, contentLength: headers["Content-Length"].flatMap { Int64($0) })
        headers.remove(name: "Content-Encoding")
        headers.remove(name: "Content-Length")
        wire = body
        return body
    }
}

/// Where the time of one exchange went, and what it moved. Times are seconds since the exchange began; one that did not
/// happen (no lookup and no handshake on a reused connection) or is not known to the transport is nil.
public struct TransportMetrics: Hashable, Sendable {
    /// The address was known.
    public var nameLookup: TimeInterval?
    /// The connection was open.
    public var connect: TimeInterval?
    /// The TLS handshake was complete.
    public var secureConnect: TimeInterval?
    /// The request's first byte could be sent.
    public var requestStart: TimeInterval?
    /// The response's first byte was there.
    public var firstByte: TimeInterval?
    /// All was received. Nil while the body is still coming.
    public var total: TimeInterval?
    /// Whether the connection had been used before.
    public var isReusedConnection: Bool?
    /// Bytes of the request's body.
    public var bytesSent: Int64 = 0
    /// Bytes of the response's body on the wire.
    public var bytesReceived: Int64 = 0
    /// The address of the peer (server or proxy), such as `"127.0.0.1:8080"`.
    public var remoteAddress: String?

    /// Nothing known.
    public init() {}
}

/// Holds the metrics of an exchange that may still be running: the body's end completes them.
package final class MetricsBox: Sendable {
    private let complete: TransportMetrics?
    private let value: Locked<TransportMetrics>?

    package init(_ metrics: TransportMetrics) {
        complete = nil
        value = Locked(metrics)
    }

    /// Of an exchange that is over: there is nothing to guard, and a lock costs more than all else of a small response's
    /// metrics.
    package init(complete metrics: TransportMetrics) {
        complete = metrics
        value = nil
    }

    package var metrics: TransportMetrics {
        get { complete ?? value?.withLock { $0 } ?? TransportMetrics() }
        set { value?.withLock { $0 = newValue } }
    }
}

extension NetworkFailure {
    /// The failure that a serialiser's error is. What it threw decides the case; anything unknown is a decoding error.
    package init(serializing error: any Error, response: TransportResponse, data: Data, timestamp: Date) {
        let cause = error as? NetworkError ?? (error as? NetworkFailure)?.cause ?? .decodingError(error)
        self.init(
            cause: cause,
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: data),
            timestamp: timestamp,
            retryAttempt: response.attempt)
        retryTrace = response.retryTrace
    }

    /// The failure that a response of an unacceptable status is.
    package init(response: TransportResponse, data: Data?, timestamp: Date) {
        self.init(
            cause: .requestFailed(statusCode: response.status, data: data),
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: data),
            timestamp: timestamp,
            retryAttempt: response.attempt)
        retryTrace = response.retryTrace
    }
}
