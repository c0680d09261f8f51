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
