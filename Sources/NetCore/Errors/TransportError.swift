/// An error of a transport: a stable code, the phase of the exchange, and a text for developers.
///
/// Transports throw it. The client maps it to a ``NetworkError`` (``networkError``) and keeps it as the failure's
/// ``NetworkFailure/underlyingError``. Branch on ``code``, never on ``message``, whose wording is the underlying library's.
public struct TransportError: Error, Hashable, Sendable {
    /// The kind of the error. The raw values never change.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        // The position of a case is its number, so a new case is the last.

        /// The host name has no address, or the resolver did not answer.
        case nameNotResolved = "name_not_resolved"
        /// The server or a firewall refused the connection.
        case connectionRefused = "connection_refused"
        /// There is no route to the host, or the network is down.
        case hostUnreachable = "host_unreachable"
        case connectionReset = "connection_reset"
        /// The connection was closed before the response arrived.
        case connectionLost = "connection_lost"
        case connectTimeout = "connect_timeout"
        /// No byte was sent or received for too long.
        case idleTimeout = "idle_timeout"
        /// The exchange or the call's deadline ran out of time.
        case totalTimeout = "total_timeout"
        /// The TLS handshake failed: no common version or cipher, or a malformed record.
        case tlsHandshakeFailed = "tls_handshake_failed"
        /// The server's certificate is not trusted: unknown issuer, expired, or for another host.
        case certificateUntrusted = "certificate_untrusted"
        /// The certificate authorities to trust are missing or unreadable: the system's file, or the configured one.
        case certificateAuthoritiesUnreadable = "certificate_authorities_unreadable"
        /// The client's certificate or key is unusable, or the server refused it.
        case clientCertificateRejected = "client_certificate_rejected"
        /// The proxy is unreachable, or refused.
        case proxyFailed = "proxy_failed"
        /// The response does not start with an HTTP status line.
        case malformedStatusLine = "malformed_status_line"
        case malformedHeader = "malformed_header"
        /// The response has several lengths that differ (RFC 9112, section 6.3).
        case conflictingLengths = "conflicting_lengths"
        /// The header section exceeds its limit.
        case headersTooLarge = "headers_too_large"
        case malformedChunk = "malformed_chunk"
        /// The body ended before its declared length.
        case truncatedBody = "truncated_body"
        /// The body cannot be decoded by its `Content-Encoding`.
        case contentDecodingFailed = "content_decoding_failed"
        /// The server violated HTTP/2 or HTTP/3, or says that the client did (RFC 9113, section 5.4). ``TransportError/http2ErrorCode`` has the code,
        /// as for the codes that follow.
        case protocolError = "protocol_error"
        /// One side exceeded the other's flow-control window (RFC 9113, section 5.2).
        case flowControlError = "flow_control_error"
        /// Header fields cannot be decompressed (RFC 7541).
        case compressionError = "compression_error"
        /// The server did not process the stream (RFC 9113, section 8.7): it was refused, or came after a `GOAWAY`.
        case refusedStream = "refused_stream"
        /// The server limits the client's load (`ENHANCE_YOUR_CALM`). A retry waits, as after a 429.
        case enhanceYourCalm = "enhance_your_calm"
        /// The server requires HTTP/1.1. The request and later ones to the same origin are sent with it.
        case http11Required = "http_1_1_required"
        /// The server reset the stream with another error, before a response.
        case streamReset = "stream_reset"
        /// The request's body could not be read or sent completely.
        case requestBodyFailed = "request_body_failed"
        /// The ``TransportConfiguration/addressPolicy`` does not allow the host or its address.
        case addressNotAllowed = "address_not_allowed"
        /// The process or the system has no file descriptor left (`EMFILE`, `ENFILE`). The server is not at fault, so the request is not
        /// retried and no circuit opens. Raise `ulimit -n`, or send fewer requests at once.
        case descriptorsExhausted = "descriptors_exhausted"
        case shutDown = "shut_down"
        /// Another error, whose code is in the message.
        case other
    }

    /// The phase of an exchange.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Before any network access.
        case preparing
        /// The name lookup.
        case resolving
        /// Opening the connection, through a proxy if there is one.
        case connecting
        case securing, sending
        /// The request is sent, and no byte of the response has arrived.
        case waiting
        case receivingHead = "receiving_head"
        case receivingBody = "receiving_body"
    }

    public let code: Code
    /// The phase in which the exchange failed.
    public let phase: Phase
    /// The transport's description, without secrets.
    public let message: String
    /// The URL, without user information, query values and fragment.
    public private(set) var url: String?
    /// Whether the server has certainly not begun to process the request: no connection, or nothing sent on it. Then even a POST may be sent again.
    public let isUnprocessed: Bool
    /// Whether a reused connection was lost before any byte of the response. Most likely the server had closed it while it was idle, and
    /// never saw the request. Since that is not certain, only idempotent requests are sent again.
    public let isStaleConnection: Bool
    /// The HTTP/2 error code of the stream or connection (RFC 9113, section 7), or nil for any other failure.
    public package(set) var http2ErrorCode: TransportError.HTTP2Code?
    /// The error of a ``TransportConfiguration/Resolver``, or nil for any other failure. Equality ignores it.
    public var resolverError: (any Error)? { underlying?.error }
    package var underlying: Underlying?
    /// The error of the system's URL loading, mostly a `URLError`, with redacted URLs and without its private entries. Nil for another
    /// transport than `URLSessionTransport`. Equality ignores it.
    public var systemError: (any Error)? { system?.error }
    package var system: Underlying?
    /// The reason why there is no network for the request, or nil if it is unknown or there is one.
    public package(set) var networkUnavailableReason: TransportError.UnavailableReason?
    /// Whether the response shows that http was used on a port for https, or the reverse. Nil if it does not show that.
    package var schemeMismatch: SchemeMismatch?

    /// - Parameters:
    ///   - code: the kind of the error.
    ///   - phase: the phase of the exchange.
    ///   - message: a description for developers.
    ///   - url: the request's URL, which is redacted here.
    ///   - isUnprocessed: nil derives it from the phase: true before the connection is established.
    ///   - isStaleConnection: whether a reused connection was lost before any byte of the response.
    public init(
        _ code: Code, phase: Phase, message: String, url: URL? = nil, isUnprocessed: Bool? = nil,
        isStaleConnection: Bool = false
    ) {
        self.code = code
        self.phase = phase
        self.message = message
        self.url = url?.redactedText
        self.isUnprocessed = isUnprocessed ?? [.preparing, .resolving, .connecting, .securing].contains(phase)
        self.isStaleConnection = isStaleConnection
    }

    package struct Underlying: Hashable, Sendable {
        package let error: any Error

        package init(_ error: any Error) { self.error = error }
        package static func == (lhs: Underlying, rhs: Underlying) -> Bool { true }
        package func hash(into hasher: inout Hasher) {}
    }

    /// Returns the same error with a URL, if it has none: an error while reading a body lacks the URL.
    package func adding(url other: URL?) -> TransportError {
        var copy = self
        copy.url = url ?? other?.redactedText
        return copy
    }

    /// The corresponding case of ``NetworkError``.
    public var networkError: NetworkError {
        switch code {
        case .connectTimeout, .idleTimeout, .totalTimeout: .timeout(self)
        case .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost: .networkUnavailable(self)
        case .shutDown: .cancelled
        default: .unknown(self)
        }
    }

    /// Whether the failure may be temporary: the network failed, and not the configuration or the server's software.
    public var isTransient: Bool {
        switch code {
        case .nameNotResolved, .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost, .connectTimeout,
            .idleTimeout, .totalTimeout, .truncatedBody, .refusedStream, .enhanceYourCalm, .http11Required,
            .streamReset:
            true
        default: false
        }
    }
}

extension TransportError: RedactedReflectable, SecretFreeError, LocalizedError {
    /// Code, phase, message and URL on one line.
    public var description: String { summary + (url.map { " (\($0))" } ?? "").onOneLine }
    /// Only the description: the message comes from a library or a server.
    public var shownFields: KeyValuePairs<String, Any?> { ["description": description] }

    /// Code, phase, message and hint, for a text that has the URL already.
    var summary: String { "\(code.rawValue) \(circumstances)" }

    /// Phase, message and hint, for a text that has the code already.
    var circumstances: String {
        "while \(phase.rawValue): \(message)\(hint.map { " \($0)" } ?? "")".onOneLine.withoutSecrets
    }

    /// The solution, for developers, or nil if the code and the message do not imply one.
    private var hint: String? {
        if let schemeMismatch { return schemeMismatch.hint }
        if let networkUnavailableReason { return networkUnavailableReason.hint }
        switch code {
        case .descriptorsExhausted: return "Raise the limit of open files (ulimit -n), or send fewer requests at once."
        case .certificateAuthoritiesUnreadable:
            return "Install ca-certificates, or set certificateAuthorities to certificates in PEM."
        case .certificateUntrusted where message.contains("self-signed") || message.contains("self signed"):
            return "For a server in development, set certificateAuthorities or developmentServers."
        default: return nil
        }
    }

    public var errorDescription: String? { description }
}
