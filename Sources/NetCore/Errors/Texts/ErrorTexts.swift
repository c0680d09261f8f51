/// What errors say to people, in one language.
///
/// Each language is a type with a `switch` over every case, so that a missing text does not compile. The texts stand in code, since
/// `Bundle.module` traps where its bundle is missing. They are whole sentences; hosts are made harmless by ``ShownText`` before
/// they come here, and numbers are plain digits.
protocol ErrorTexts: Sendable {
    /// One sentence to show to a user.
    func description(of error: NetworkError) -> String
    /// Why, in a second sentence. Of ``NetworkError/unknown(_:)`` only where there is no ``TransportTrouble``.
    func reason(of error: NetworkError) -> String
    /// Why, where a transport failed in a way that has no case of its own.
    func reason(of trouble: TransportTrouble) -> String
    /// What to do about it.
    func text(of suggestion: RecoverySuggestion) -> String
}

/// What the codes of ``TransportError`` come down to for a user: those that become ``NetworkError/unknown(_:)``.
enum TransportTrouble: CaseIterable {
    case nameNotResolved
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
    case other

    /// Nil for an error that says nothing of the network: a plugin's own.
    init?(_ error: any Error) {
        switch error {
        case let error as TransportError:
            guard let trouble = Self(error.code) else { return nil }
            self = trouble
        case let error as URLError: self.init(error.code)
        default: return nil
        }
    }

    /// Nil for what has a case of ``NetworkError`` of its own.
    private init?(_ code: TransportError.Code) {
        switch code {
        case .nameNotResolved: self = .nameNotResolved
        case .tlsHandshakeFailed: self = .secureConnectionFailed
        case .certificateUntrusted: self = .certificateUntrusted
        case .clientCertificateRejected: self = .clientCertificateRejected
        case .proxyFailed: self = .proxyFailed
        case .malformedStatusLine, .malformedHeader, .conflictingLengths, .malformedChunk, .protocolError:
            self = .malformedReply
        case .headersTooLarge: self = .oversizedHead
        case .truncatedBody: self = .truncatedBody
        case .contentDecodingFailed: self = .undecodableContent
        case .requestBodyFailed: self = .unreadableRequestBody
        case .addressNotAllowed: self = .addressNotAllowed
        case .other: self = .other
        case .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost, .connectTimeout, .idleTimeout,
            .totalTimeout, .shutDown:
            return nil
        }
    }

    /// What a plugin's own `URLSession` may report.
    private init(_ code: URLError.Code) {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: self = .nameNotResolved
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

/// What a user can do.
enum RecoverySuggestion: CaseIterable {
    case checkConnection
    case tryLater
    case signIn
    case checkStorage
    case checkFile
    case checkClockOrNetwork

    /// Nil where there is nothing that a user could do.
    init?(_ error: NetworkError) {
        switch error {
        case .noInternetConnection, .networkUnavailable: self = .checkConnection
        case .timeout, .circuitOpen: self = .tryLater
        case .requestFailed(401, _): self = .signIn
        case .requestFailed where error.isRetryable: self = .tryLater
        case .downloadFailed: self = .checkStorage
        case .uploadFailed: self = .checkFile
        case .pinningFailed: self = .checkClockOrNetwork
        case .unknown(let error):
            guard let suggestion = error.flatMap(TransportTrouble.init)?.suggestion else { return nil }
            self = suggestion
        case .requestFailed, .invalidURL, .invalidRequest, .decodingError, .noData, .cancelled, .encodingError,
            .bodyNotReplayable, .responseTooLarge, .tooManyRedirects, .unsupported:
            return nil
        }
    }
}

extension TransportTrouble {
    fileprivate var suggestion: RecoverySuggestion? {
        switch self {
        case .nameNotResolved, .proxyFailed: .checkConnection
        case .secureConnectionFailed, .certificateUntrusted: .checkClockOrNetwork
        case .malformedReply, .truncatedBody: .tryLater
        case .unreadableRequestBody: .checkFile
        case .clientCertificateRejected, .oversizedHead, .undecodableContent, .addressNotAllowed, .other: nil
        }
    }
}
