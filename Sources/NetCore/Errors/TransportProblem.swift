/// The cause of a transport's failure, as far as it matters to a user. Several codes of ``TransportError`` share one.
enum TransportProblem: CaseIterable {
    case nameNotResolved, connectionRefused, hostUnreachable, connectionReset, connectionLost
    case connectTimeout, idleTimeout, totalTimeout
    case httpToTLS, tlsToHTTP, secureConnectionFailed, certificateUntrusted, clientCertificateRejected, proxyFailed
    case malformedReply, oversizedHead, truncatedBody, undecodableContent
    case unreadableRequestBody, addressNotAllowed, unservedRequest
    case other

    /// Nil for an error that is not of the network, such as a plugin's own.
    init?(_ error: any Error) {
        switch error {
        case let error as TransportError:
            guard let problem = error.schemeMismatch.map(Self.init) ?? Self(error.code) else { return nil }
            self = problem
        case let error as URLError: self.init(error.code)
        default: return nil
        }
    }

    init(_ mismatch: SchemeMismatch) { self = mismatch == .httpToTLS ? .httpToTLS : .tlsToHTTP }

    /// Nil for a transport that was shut down, which counts as a cancellation.
    private init?(_ code: TransportError.Code) {
        switch code {
        case .nameNotResolved: self = .nameNotResolved
        case .tlsHandshakeFailed: self = .secureConnectionFailed
        case .certificateUntrusted, .certificateAuthoritiesUnreadable: self = .certificateUntrusted
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

    /// Maps the errors of a plugin's own `URLSession`.
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

/// A request over http to a port for https, or the reverse.
package enum SchemeMismatch: Hashable, Sendable {
    case httpToTLS, tlsToHTTP

    /// The solution, for developers.
    var hint: String {
        switch self {
        case .httpToTLS: "The server expects TLS on this port. Use an https URL."
        case .tlsToHTTP: "The server does not speak TLS on this port. Use an http URL, or the port for https."
        }
    }

    /// Recognises the messages of TLS libraries and libcurl. Nil for any other message.
    ///
    /// - Parameter isTLS: whether the client used TLS.
    package init?(message: String, isTLS: Bool) {
        let known = isTLS ? Self.messagesForPlainReplies : Self.messagesForUnreadableReplies
        guard known.contains(where: message.contains) else { return nil }
        self = isTLS ? .tlsToHTTP : .httpToTLS
    }

    /// Recognises the body of a 400 that a server sends in plain http from a port for TLS. Only its first 2,048 bytes are read.
    package init?(status: Int, body: Data?) {
        guard status == 400, let body else { return nil }
        let text = String(decoding: body.prefix(2048), as: UTF8.self)
        guard Self.serverMessages.contains(where: text.contains) else { return nil }
        self = .httpToTLS
    }

    /// OpenSSL, LibreSSL and BoringSSL; GnuTLS. They read the first bytes of `HTTP/1.1 400` as a record of an unknown version or length.
    private static let messagesForPlainReplies = [
        "wrong version number", "packet length too long", "WRONG_VERSION_NUMBER", "unexpected TLS packet",
    ]
    /// libcurl, if the response starts with a TLS alert instead of a status line.
    private static let messagesForUnreadableReplies = ["Received HTTP/0.9"]
    /// nginx, Apache, Go's net/http, Tomcat.
    private static let serverMessages = [
        "The plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port",
        "Client sent an HTTP request to an HTTPS server", "This combination of host and port requires TLS",
    ]
}
