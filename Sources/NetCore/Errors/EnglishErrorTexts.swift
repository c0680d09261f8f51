/// English.
struct EnglishErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
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

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "The address is malformed, or its scheme is neither http nor https."
        case .invalidRequest: "A part of the request is missing or not permitted."
        case .requestFailed(400..<500, _): "The server did not accept the request."
        case .requestFailed: "The server could not process the request."
        case .decodingError: "The response contained unexpected data."
        case .noData: "The response was successful but empty."
        case .downloadFailed: "The file could not be received or saved completely."
        case .uploadFailed: "The data could not be read or sent completely."
        case .noInternetConnection: "The device appears to be offline."
        case .timeout: "The server did not answer in time."
        case .networkUnavailable: "The connection to the server could not be made or was lost."
        case .unknown: "The reason is not known."
        case .cancelled: "The operation was stopped before it was complete."
        case .encodingError: "The values given cannot be put into the format of the request."
        case .circuitOpen: "Several requests in a row have failed. It will be tried again later."
        case .pinningFailed: "The certificates of the server do not match the expected ones."
        case .bodyNotReplayable: "The data to send is a stream that can be read only once."
        case .responseTooLarge(let limit): "The response is larger than the limit of \(limit) bytes."
        case .tooManyRedirects: "The server redirected more often than permitted."
        case .unsupported(let advice): note(advice)
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "The address of the server could not be found."
        case .connectionRefused: "The server refused the connection."
        case .hostUnreachable: "There is no network route to the server."
        case .connectionReset: "The server reset the connection."
        case .connectionLost: "The connection to the server was lost."
        case .connectTimeout: "The connection was not established in time."
        case .idleTimeout: "No data was sent or received for too long."
        case .totalTimeout: "The request as a whole took longer than permitted."
        case .httpToTLS: "The address begins with http, but the server expects https."
        case .tlsToHTTP: "The address begins with https, but the server speaks http."
        case .secureConnectionFailed: "A secure connection to the server could not be made."
        case .certificateUntrusted: "The certificate of the server is not trusted."
        case .clientCertificateRejected: "The certificate of this device was not accepted."
        case .proxyFailed: "The proxy server could not be reached or refused the connection."
        case .malformedReply: "The server sent a response that cannot be understood."
        case .oversizedHead: "The server sent more header data than permitted."
        case .truncatedBody: "The response of the server is incomplete."
        case .undecodableContent: "The content of the response could not be decompressed."
        case .unreadableRequestBody: "The data to send could not be read completely."
        case .addressNotAllowed: "The address of the server is not permitted."
        case .unservedRequest: "The server did not carry out the request."
        case .other: "The connection failed for an unexpected reason."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Only a cellular network is available, and its use is not allowed."
        case .expensive: "Only a network that may cost money is available, and its use is not allowed."
        case .constrained: "The network is in Low Data Mode."
        case .localNetworkProhibited: "The app is not allowed to use the local network."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "The request to the server \(host) failed."
        case .preparing: "The request to the server \(host) could not be started."
        case .resolving: "The address of the server \(host) could not be looked up."
        case .connecting: "A connection to the server \(host) could not be opened."
        case .securing: "A secure connection to the server \(host) could not be negotiated."
        case .sending: "The request could not be sent to the server \(host)."
        case .waiting: "The request was sent to the server \(host), but no response arrived."
        case .receivingHead: "The beginning of the response from the server \(host) could not be received."
        case .receivingBody: "The response from the server \(host) could not be received completely."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)), \(expected) was expected, but \(found) was found."
        case .unexpected(let path, let expected, nil): "\(place(path)), \(expected) was expected."
        case .missing(let key, let path): "\(place(path)), the key \(key) is missing."
        case .unfit(let path, let type):
            "\(place(path)), the value does not fit the expected type\(suffix(type))."
        case .malformed: "The data is malformed."
        }
    }

    private func place(_ path: String?) -> String { path.map { "At \($0)" } ?? "At the top level" }

    func text(ofContentType contentType: String) -> String { "The response is \(contentType), not JSON." }

    func note(_ text: String) -> String { text }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Check the internet connection and try again."
        case .tryLater: "Try again later."
        case .signIn: "Sign in again."
        case .checkStorage: "Check that there is enough free storage space and try again."
        case .checkFile: "Check that the file still exists and can be read, then try again."
        case .checkClockOrNetwork: "Check the date and time of the device, or use another network."
        }
    }
}
