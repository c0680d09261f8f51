import Networking

/// An error of the command itself, for its user.
struct CommandError: Error {
    let status: Int32
    let message: String

    /// - Parameter status: the exit status of curl for it, section EXIT CODES of curl(1).
    init(_ status: Int32, _ message: String) {
        self.status = status
        self.message = message
    }

    static func usage(_ message: String) -> CommandError { CommandError(2, message) }
}

/// 128 and the number of SIGINT, as shells report it.
let interrupted: Int32 = 130

/// Returns the exit status of curl for an error.
func exitStatus(of error: any Error) -> Int32 {
    if let error = error as? CommandError { return error.status }
    let failure = NetworkFailure(error)
    if failure.isCancellation { return interrupted }
    if let error = failure.transportError { return exitStatus(of: error) }
    return switch failure.cause {
    case .invalidURL: 3
    case .invalidRequest: 2
    case .timeout: 28
    case .networkUnavailable, .noInternetConnection: 7
    case .tooManyRedirects: 47
    default: 1
    }
}

private func exitStatus(of error: TransportError) -> Int32 {
    switch error.code {
    case .proxyFailed: 5
    case .nameNotResolved: 6
    case .connectionRefused, .hostUnreachable, .addressNotAllowed: 7
    case .malformedStatusLine, .malformedHeader, .conflictingLengths, .headersTooLarge: 8
    case .protocolError, .flowControlError, .compressionError: 16
    case .truncatedBody: 18
    case .connectTimeout, .idleTimeout, .totalTimeout: 28
    case .tlsHandshakeFailed: 35
    case .connectionLost where error.phase == .waiting: 52
    case .connectionReset, .connectionLost:
        [.preparing: 7, .resolving: 7, .connecting: 7, .securing: 35, .sending: 55][error.phase] ?? 56
    case .malformedChunk: 56
    case .certificateUntrusted: 60
    case .contentDecodingFailed: 61
    case .certificateAuthoritiesUnreadable: 77
    case .refusedStream, .enhanceYourCalm, .http11Required, .streamReset: 92
    default: 1
    }
}

/// Returns a sentence for a user, the reason, and the line for a log, which contains no secret.
func explanation(of error: any Error) -> String {
    if let error = error as? CommandError { return error.message }
    let failure = NetworkFailure(error)
    if failure.isCancellation { return "Interrupted." }
    var sentences = [failure.errorDescription ?? failure.code]
    // Often the first sentence, or the line for the log, has the reason already.
    if let reason = failure.failureReason, !sentences[0].contains(reason), !"\(failure)".contains(reason) {
        sentences.append(reason)
    }
    return sentences.joined(separator: " ") + "\n[\(failure)]"
}
