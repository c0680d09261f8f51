import Networking

/// The exit statuses: those of curl, section EXIT CODES of curl(1), as far as the command has them.
enum ExitCode: Int32, CaseIterable {
    case success = 0
    case otherFailure = 1
    case usage = 2
    case malformedURL = 3
    case proxyFailed = 5
    case nameNotResolved = 6
    case notConnected = 7
    case malformedReply = 8
    case protocolError = 16
    case partialBody = 18
    case errorStatus = 22
    case writeError = 23
    case readError = 26
    case timeout = 28
    case tlsHandshake = 35
    case badResume = 36
    case tooManyRedirects = 47
    case emptyReply = 52
    case sendError = 55
    case receiveError = 56
    case clientCertificate = 58
    case untrustedCertificate = 60
    case contentEncoding = 61
    case bodyTooLarge = 63
    case bodyNotReplayable = 65
    case unreadableAuthorities = 77
    case streamError = 92
    /// 128 and the number of SIGINT, as shells report it.
    case interrupted = 130

    var meaning: String {
        switch self {
        case .success: "success; with get and post, whatever the status is"
        case .otherFailure: "another error, such as a scheme other than http and https"
        case .usage: "the command line is wrong, or the request cannot be built"
        case .malformedURL: "the URL is malformed"
        case .proxyFailed: "the proxy is unreachable, or refuses"
        case .nameNotResolved: "the host name cannot be resolved"
        case .notConnected: "no connection to the server"
        case .malformedReply: "the reply is malformed, or contradicts itself"
        case .protocolError: "the server violates HTTP/2 or HTTP/3"
        case .partialBody: "the body ended too early"
        case .errorStatus: "a status from 400, with --fail or in a download"
        case .writeError: "the output cannot be written"
        case .readError: "a local file cannot be read"
        case .timeout: "timeout"
        case .tlsHandshake: "the TLS handshake failed"
        case .badResume: "the download cannot be resumed"
        case .tooManyRedirects: "too many redirects"
        case .emptyReply: "the server closed the connection without a reply"
        case .sendError: "sending failed"
        case .receiveError: "receiving failed"
        case .clientCertificate: "a problem with the client's certificate"
        case .untrustedCertificate: "the server's certificate is not trusted"
        case .unreadableAuthorities: "the certificate authorities cannot be read"
        case .contentEncoding: "the body cannot be decoded"
        case .bodyTooLarge: "the body is too large"
        case .bodyNotReplayable: "the request has to be sent again, and its body cannot be"
        case .streamError: "the server reset the HTTP/2 stream"
        case .interrupted: "interrupted by Ctrl-C"
        }
    }
}

// The one table from the SDK's errors to exit statuses.
extension ExitCode {
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error.code
        case is CancellationError: self = .interrupted
        default: self.init(NetworkFailure(error))
        }
    }

    init(_ failure: NetworkFailure) {
        if let error = failure.cause.embeddedError as? DownloadError {
            self.init(error.code)
        } else if let error = failure.transportError, failure.cause != .cancelled {
            self.init(error)
        } else {
            self.init(failure.cause)
        }
    }

    private init(_ error: NetworkError) {
        self =
            switch error {
            case .invalidURL: .malformedURL
            case .invalidRequest: .usage
            case .requestFailed: .errorStatus
            case .timeout: .timeout
            case .networkUnavailable, .noInternetConnection, .circuitOpen: .notConnected
            case .cancelled: .interrupted
            case .pinningFailed: .untrustedCertificate
            case .bodyNotReplayable: .bodyNotReplayable
            case .responseTooLarge: .bodyTooLarge
            case .tooManyRedirects: .tooManyRedirects
            case .uploadFailed: .readError
            case .downloadFailed: .writeError
            case .decodingError, .noData, .unknown, .encodingError, .unsupported: .otherFailure
            }
    }

    private init(_ error: TransportError) {
        self =
            switch error.code {
            case .nameNotResolved: .nameNotResolved
            case .connectionRefused, .hostUnreachable, .addressNotAllowed: .notConnected
            case .connectionLost where error.phase == .waiting: .emptyReply
            case .connectionReset, .connectionLost: Self.interruption(in: error.phase)
            case .connectTimeout, .idleTimeout, .totalTimeout: .timeout
            case .tlsHandshakeFailed: .tlsHandshake
            case .certificateUntrusted: .untrustedCertificate
            case .certificateAuthoritiesUnreadable: .unreadableAuthorities
            case .clientCertificateRejected: .clientCertificate
            case .proxyFailed: .proxyFailed
            case .malformedStatusLine, .malformedHeader, .conflictingLengths, .headersTooLarge: .malformedReply
            case .malformedChunk: .receiveError
            case .truncatedBody: .partialBody
            case .contentDecodingFailed: .contentEncoding
            case .protocolError, .flowControlError, .compressionError: .protocolError
            case .refusedStream, .enhanceYourCalm, .http11Required, .streamReset: .streamError
            case .requestBodyFailed: .readError
            case .shutDown: .interrupted
            case .descriptorsExhausted, .other: .otherFailure
            }
    }

    /// Returns the status of a connection that was reset or lost in a phase.
    private static func interruption(in phase: TransportError.Phase) -> ExitCode {
        switch phase {
        case .preparing, .resolving, .connecting: .notConnected
        case .securing: .tlsHandshake
        case .sending: .sendError
        case .waiting, .receivingHead, .receivingBody: .receiveError
        }
    }

    private init(_ code: DownloadError.Code) {
        self =
            switch code {
            case .diskFull, .cannotWrite, .destinationExists, .inUse, .registry: .writeError
            case .digestMismatch, .contradictoryResponse: .malformedReply
            case .contentCoding: .contentEncoding
            case .invalidResumeData: .badResume
            }
    }
}

/// An error of the command itself, for its user.
struct CommandError: Error {
    let code: ExitCode
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    static func usage(_ message: String) -> CommandError { CommandError(.usage, message) }
}

/// Returns a sentence for a user, the reason, and the line for a log, which contains no secret.
func explanation(of error: any Error) -> String {
    switch error {
    case let error as CommandError: return error.message
    case is CancellationError: return "Interrupted."
    default: break
    }
    let failure = NetworkFailure(error)
    if failure.isCancellation { return "Interrupted." }
    var sentences = [failure.errorDescription ?? failure.code]
    // Often the first sentence, or the line for the log, has the reason already.
    if let reason = failure.failureReason, !sentences[0].contains(reason), !"\(failure)".contains(reason) {
        sentences.append(reason)
    }
    return sentences.joined(separator: " ") + "\n[\(failure)]"
}
