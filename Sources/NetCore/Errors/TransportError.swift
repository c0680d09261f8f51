/// What a transport saw fail: a stable code, the phase in which it happened, and a text for people.
///
/// Transports throw it; the client puts it into a ``NetworkError`` (``networkError``) and keeps it as the failure's
/// ``NetworkFailure/underlyingError``. Branch on ``code``, never on ``message``, whose wording is the library's below.
public struct TransportError: Error, Hashable, Sendable {
    /// What failed. The raw values never change.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The host name has no address, or the resolver did not answer.
        case nameNotResolved = "name_not_resolved"
        /// The server (or a firewall on the way) refused the connection.
        case connectionRefused = "connection_refused"
        /// There is no way to the host: no route, network down.
        case hostUnreachable = "host_unreachable"
        /// The connection was reset.
        case connectionReset = "connection_reset"
        /// The connection was closed before the response was there.
        case connectionLost = "connection_lost"
        /// The connection was not there in time.
        case connectTimeout = "connect_timeout"
        /// For too long no byte came or went.
        case idleTimeout = "idle_timeout"
        /// The exchange as a whole, or the call's deadline, ran out of time.
        case totalTimeout = "total_timeout"
        /// The TLS handshake failed: no version or cipher in common, or a broken record.
        case tlsHandshakeFailed = "tls_handshake_failed"
        /// The server's certificate is not trusted: unknown issuer, expired, or for another host.
        case certificateUntrusted = "certificate_untrusted"
        /// The client's own certificate or key could not be used, or the server refused it.
        case clientCertificateRejected = "client_certificate_rejected"
        /// The proxy could not be reached, or refused.
        case proxyFailed = "proxy_failed"
        /// The reply does not start with a status line of HTTP.
        case malformedStatusLine = "malformed_status_line"
        /// A header line cannot be read.
        case malformedHeader = "malformed_header"
        /// The reply gives several lengths that differ (RFC 9112, section 6.3).
        case conflictingLengths = "conflicting_lengths"
        /// The header section is over its limit.
        case headersTooLarge = "headers_too_large"
        /// The chunked coding is broken.
        case malformedChunk = "malformed_chunk"
        /// The body ended before its declared length.
        case truncatedBody = "truncated_body"
        /// The body cannot be decoded by its `Content-Encoding`.
        case contentDecodingFailed = "content_decoding_failed"
        /// The server broke the rules of HTTP/2 or HTTP/3, or says that we did (RFC 9113, section 5.4). ``TransportError/http2ErrorCode``
        /// says which, as it does for the codes that follow.
        case protocolError = "protocol_error"
        /// One side sent more than the other had room for (RFC 9113, section 5.2).
        case flowControlError = "flow_control_error"
        /// Header fields cannot be decompressed (RFC 7541).
        case compressionError = "compression_error"
        /// The server did not process the stream (RFC 9113, section 8.7): it was refused, or came after a `GOAWAY`.
        case refusedStream = "refused_stream"
        /// The server finds that it is asked too much (`ENHANCE_YOUR_CALM`). A retry waits, as after a 429.
        case enhanceYourCalm = "enhance_your_calm"
        /// The server wants HTTP/1.1 for this. It is sent so once more, and so are later requests to the same origin.
        case http11Required = "http_1_1_required"
        /// The server ended the stream with another error, before there was an answer.
        case streamReset = "stream_reset"
        /// The request's body could not be read or sent to its end.
        case requestBodyFailed = "request_body_failed"
        /// The ``TransportConfiguration/addressPolicy`` does not allow the host, or the address that it has.
        case addressNotAllowed = "address_not_allowed"
        /// The process or the system has no descriptor left (`EMFILE`, `ENFILE`): nothing can be opened until something is closed. Says
        /// nothing of the server, so it is not retried and opens no circuit. Raise `ulimit -n`, or send less at once.
        case descriptorsExhausted = "descriptors_exhausted"
        /// The transport was shut down.
        case shutDown = "shut_down"
        /// Anything else; the message has the library's own code.
        case other
    }

    /// How far the exchange had come.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Before anything was done.
        case preparing
        /// Looking up the address.
        case resolving
        /// Opening the connection, through a proxy if there is one.
        case connecting
        /// The TLS handshake.
        case securing
        /// Sending the request.
        case sending
        /// The request is sent; no byte of the response has come.
        case waiting
        /// Reading the header section.
        case receivingHead = "receiving_head"
        /// Reading the body.
        case receivingBody = "receiving_body"
    }

    /// What failed.
    public let code: Code
    /// How far the exchange had come.
    public let phase: Phase
    /// The transport's own words, without secrets.
    public let message: String
    /// The URL, without user information, query values and fragment.
    public let url: String?
    /// Whether it is known that the server has not begun to process the request, so that even a POST may be sent again: no
    /// connection came about, or nothing was sent on it.
    public let isUnprocessed: Bool
    /// Whether the connection had served another exchange before, and was lost before any byte of an answer. Most likely the server
    /// had closed it while it was idle and never saw the request; but that is not known, so only what is idempotent is sent again.
    public let isStaleConnection: Bool
    /// The error code of HTTP/2 with which the stream or its connection ended (RFC 9113, section 7); nil for every other failure.
    public package(set) var http2ErrorCode: HTTP2ErrorCode?
    /// Whether the reply shows that the server speaks http where https was used, or TLS where http was used. Nil if it does not show.
    package var schemeMismatch: SchemeMismatch?

    /// An error.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - phase: how far the exchange had come.
    ///   - message: the same in words, for developers.
    ///   - url: the request's URL as it is; secrets in it are left out here.
    ///   - isUnprocessed: nil derives it from the phase: true while there is no connection yet.
    ///   - isStaleConnection: whether a connection that was used before was lost before any byte of an answer.
    public init(
        _ code: Code, phase: Phase, message: String, url: URL? = nil, isUnprocessed: Bool? = nil,
        isStaleConnection: Bool = false
    ) {
        self.code = code
        self.phase = phase
        self.message = message
        self.url = url.map(Redactor.standard.text(of:))
        self.isUnprocessed =
            isUnprocessed ?? [.preparing, .resolving, .connecting, .securing].contains(phase)
        self.isStaleConnection = isStaleConnection
    }

    /// The same error with a URL, if it has none: what reads a body does not know whose it is.
    package func adding(url other: URL?) -> TransportError {
        guard url == nil, other != nil else { return self }
        var copy = TransportError(
            code, phase: phase, message: message, url: other, isUnprocessed: isUnprocessed,
            isStaleConnection: isStaleConnection)
        copy.schemeMismatch = schemeMismatch
        copy.http2ErrorCode = http2ErrorCode
        return copy
    }

    /// The case of ``NetworkError`` that this becomes.
    public var networkError: NetworkError {
        switch code {
        case .connectTimeout, .idleTimeout, .totalTimeout: .timeout(self)
        case .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost: .networkUnavailable(self)
        case .shutDown: .cancelled
        default: .unknown(self)
        }
    }

    /// Whether the server broke the rules of HTTP/2. Its software is at fault, and not the way to it.
    package var isProtocolViolation: Bool {
        [.protocolError, .flowControlError, .compressionError].contains(code)
    }

    /// Whether it may go away by itself: the network failed, and not the configuration or the peer's software.
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

extension TransportError: RedactedReflectable, LocalizedError {
    /// Code, phase, message and URL in one line.
    public var description: String {
        summary + (url.map { " (\($0))" } ?? "").onOneLine
    }

    /// The description alone: the message is text of a library's or a server's.
    public var shownFields: KeyValuePairs<String, Any?> { ["description": description] }

    /// Code, phase and message, for a text that names the URL already.
    var summary: String {
        let hint = schemeMismatch.map { " \($0.hint)" } ?? ""
        return "\(code.rawValue) while \(phase.rawValue): \(message)\(hint)".onOneLine.withoutSecrets
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
