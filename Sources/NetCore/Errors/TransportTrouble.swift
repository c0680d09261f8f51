/// What the codes of ``TransportError`` come down to for a user.
enum TransportTrouble: CaseIterable {
    case nameNotResolved
    case connectionRefused
    case hostUnreachable
    case connectionReset
    case connectionLost
    case connectTimeout
    case idleTimeout
    case totalTimeout
    case httpToTLS
    case tlsToHTTP
    case secureConnectionFailed
    case certificateUntrusted
    case clientCertificateRejected
    case proxyFailed
    case malformedReply
    case oversizedHead
    case truncatedBody
    case undecodableContent
    case unreadableRequestBody
    case addressNotAllowed
    case unservedRequest
    case other

    /// Nil for an error that says nothing of the network: a plugin's own.
    init?(_ error: any Error) {
        switch error {
        case let error as TransportError:
            guard let trouble = error.schemeMismatch.map(Self.init) ?? Self(error.code) else { return nil }
            self = trouble
        case let error as URLError: self.init(error.code)
        default: return nil
        }
    }

    init(_ mismatch: SchemeMismatch) {
        switch mismatch {
        case .httpToTLS: self = .httpToTLS
        case .tlsToHTTP: self = .tlsToHTTP
        }
    }

    /// Nil for a transport that was shut down: that is a cancellation.
    private init?(_ code: TransportError.Code) {
        switch code {
        case .nameNotResolved: self = .nameNotResolved
        case .tlsHandshakeFailed: self = .secureConnectionFailed
        case .certificateUntrusted: self = .certificateUntrusted
        case .clientCertificateRejected: self = .clientCertificateRejected
        case .proxyFailed: self = .proxyFailed
        case .malformedStatusLine, .malformedHeader, .conflictingLengths, .malformedChunk, .protocolError,
            .flowControlError, .compressionError:
            self = .malformedReply
        case .headersTooLarge: self = .oversizedHead
        case .truncatedBody: self = .truncatedBody
        case .contentDecodingFailed: self = .undecodableContent
        case .requestBodyFailed: self = .unreadableRequestBody
        case .addressNotAllowed: self = .addressNotAllowed
        case .refusedStream, .enhanceYourCalm, .http11Required, .streamReset: self = .unservedRequest
        case .other, .descriptorsExhausted: self = .other
        case .connectionRefused: self = .connectionRefused
        case .hostUnreachable: self = .hostUnreachable
        case .connectionReset: self = .connectionReset
        case .connectionLost: self = .connectionLost
        case .connectTimeout: self = .connectTimeout
        case .idleTimeout: self = .idleTimeout
        case .totalTimeout: self = .totalTimeout
        case .shutDown: return nil
        }
    }

    /// What a plugin's own `URLSession` may report.
    private init(_ code: URLError.Code) {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: self = .nameNotResolved
        case .cannotConnectToHost: self = .connectionRefused
        case .networkConnectionLost: self = .connectionLost
        case .timedOut: self = .idleTimeout
        case .secureConnectionFailed: self = .secureConnectionFailed
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            self = .certificateUntrusted
        case .clientCertificateRejected, .clientCertificateRequired: self = .clientCertificateRejected
        case .badServerResponse, .cannotParseResponse: self = .malformedReply
        case .cannotDecodeRawData, .cannotDecodeContentData: self = .undecodableContent
        case .requestBodyStreamExhausted: self = .unreadableRequestBody
        default: self = .other
        }
    }
}

extension TransportTrouble {
    var suggestion: RecoverySuggestion? {
        switch self {
        case .nameNotResolved, .proxyFailed, .hostUnreachable, .connectionReset, .connectionLost: .checkConnection
        case .secureConnectionFailed, .certificateUntrusted: .checkClockOrNetwork
        case .connectionRefused, .connectTimeout, .idleTimeout, .totalTimeout, .malformedReply, .truncatedBody,
            .unservedRequest:
            .tryLater
        case .unreadableRequestBody: .checkFile
        case .clientCertificateRejected, .oversizedHead, .undecodableContent, .addressNotAllowed, .httpToTLS,
            .tlsToHTTP, .other:
            nil
        }
    }
}

/// http spoken to a port for https, or the other way round.
package enum SchemeMismatch: Hashable, Sendable {
    /// http was spoken to a port where the server expects TLS.
    case httpToTLS
    /// TLS was spoken to a port where the server answers in plain http.
    case tlsToHTTP

    /// What to do, for developers.
    var hint: String {
        switch self {
        case .httpToTLS: "The server expects TLS on this port. Use an https URL."
        case .tlsToHTTP: "The server does not speak TLS on this port. Use an http URL, or the port for https."
        }
    }

    /// What the words of a TLS library or of libcurl show. Words that are not known give nil.
    ///
    /// - Parameter isTLS: whether TLS was spoken.
    package init?(words: String, isTLS: Bool) {
        let known = isTLS ? Self.wordsForPlainReplies : Self.wordsForUnreadableReplies
        guard known.contains(where: words.contains) else { return nil }
        self = isTLS ? .tlsToHTTP : .httpToTLS
    }

    /// What a server says in the body of a 400 that it sends in plain http from a port for TLS.
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - body: the whole body; only its first 2,048 bytes are read.
    package init?(status: Int, body: Data?) {
        guard status == 400, let body else { return nil }
        let text = String(decoding: body.prefix(2048), as: UTF8.self)
        guard Self.wordsOfServers.contains(where: text.contains) else { return nil }
        self = .httpToTLS
    }

    /// OpenSSL, LibreSSL and BoringSSL; GnuTLS. The first bytes of `HTTP/1.1 400` are read as a record of an unknown version or length.
    private static let wordsForPlainReplies = [
        "wrong version number", "packet length too long", "WRONG_VERSION_NUMBER", "unexpected TLS packet",
    ]
    /// libcurl, where the reply begins with an alert of TLS instead of a status line.
    private static let wordsForUnreadableReplies = ["Received HTTP/0.9"]
    /// nginx, Apache, Go's net/http, Tomcat.
    private static let wordsOfServers = [
        "The plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port",
        "Client sent an HTTP request to an HTTPS server", "This combination of host and port requires TLS",
    ]
}
