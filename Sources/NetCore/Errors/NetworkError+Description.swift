extension NetworkError: CustomStringConvertible, CustomReflectable {
    /// One line for a log: the ``code``, and what is known beyond it. No secret and no body is in it.
    public var description: String {
        if case .requestFailed(let status, _) = self { return "\(code): status \(status)" }
        return detail.map { "\(code): \($0)" } ?? code
    }

    /// Shows the description alone, so that `dump` does not show the body either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// What the case knows beyond its code and status.
    var detail: String? {
        switch self {
        case .circuitOpen(let host, let until): "\(host) until \(until)".onOneLine
        case .pinningFailed(let host): host.onOneLine
        case .responseTooLarge(let limit): "over \(limit) bytes"
        case .unsupported(let advice): advice.onOneLine
        default: embeddedError.map(secretFreeText(of:))
        }
    }
}

extension NetworkError: LocalizedError {
    /// One sentence to show to a user (seed 000's texts). No secret is in it.
    public var errorDescription: String? {
        switch self {
        case .invalidURL: "The URL is invalid."
        case .invalidRequest: "The request could not be built."
        case .requestFailed(let status, _): "Server responded with code \(status)."
        case .decodingError: "The response could not be decoded."
        case .noData: "The server sent no data."
        case .downloadFailed: "The download failed."
        case .uploadFailed: "The upload failed."
        case .noInternetConnection: "No internet connection."
        case .timeout: "The request timed out."
        case .networkUnavailable: "The network is unavailable."
        case .unknown: "An unknown network error occurred."
        case .cancelled: "The request was cancelled."
        case .encodingError: "The request could not be encoded."
        case .circuitOpen(let host, _): "The server \(host) is temporarily not used."
        case .pinningFailed(let host): "The identity of the server \(host) could not be verified."
        case .bodyNotReplayable: "The request cannot be sent again."
        case .responseTooLarge: "The response is too large."
        case .tooManyRedirects: "There were too many redirects."
        case .unsupported: "The operation is not supported."
        }
    }

    /// Why, in a second sentence (seed 001's style).
    public var failureReason: String? {
        switch self {
        case .invalidURL: "The address is malformed, or its scheme is neither http nor https."
        case .invalidRequest: "A part of the request is missing or not permitted."
        case .requestFailed(let status, _):
            (400..<500).contains(status)
                ? "The server did not accept the request." : "The server could not process the request."
        case .decodingError: "The response contained unexpected data."
        case .noData: "The response was successful but empty."
        case .downloadFailed: "The file could not be received or saved completely."
        case .uploadFailed: "The data could not be read or sent completely."
        case .noInternetConnection: "The device appears to be offline."
        case .timeout: "The server did not answer in time."
        case .networkUnavailable: "The connection to the server could not be made or was lost."
        case .unknown(let error):
            (error as? TransportError)?.description ?? "The reason is not known."
        case .cancelled: "The operation was stopped before it was complete."
        case .encodingError: "The values given cannot be put into the format of the request."
        case .circuitOpen: "Several requests in a row have failed. It will be tried again later."
        case .pinningFailed: "The certificates of the server do not match the expected ones."
        case .bodyNotReplayable: "The data to send is a stream that can be read only once."
        case .responseTooLarge(let limit): "The response is larger than the limit of \(limit) bytes."
        case .tooManyRedirects: "The server redirected more often than permitted."
        case .unsupported(let advice): advice
        }
    }
}
