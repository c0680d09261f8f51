/// Maps the errors of `URLSession` to ``TransportError``.
package enum URLSessionErrors {
    /// - Parameters:
    ///   - phase: the phase that the exchange had noted.
    ///   - hasHead: whether the response's head was received.
    package static func map(_ error: any Error, phase: TransportError.Phase, hasHead: Bool, url: URL?) -> any Error {
        if let known = error as? TransportError { return known }
        let code = (error as? URLError)?.code
        let original = error
        let error = error as NSError
        func failure(_ code: TransportError.Code, _ phase: TransportError.Phase) -> TransportError {
            let message = "\(error.localizedDescription) (\(error.domain) \(error.code))"
            var failure = TransportError(code, phase: phase, message: message, url: url)
            failure.setSystemError(original)
            if [.tlsHandshakeFailed, .malformedStatusLine].contains(code) {
                failure.schemeMismatch = SchemeMismatch(
                    message: error.localizedDescription, isTLS: url?.scheme?.asciiLowercased == "https")
            }
            return failure
        }
        if let errno = posixCode(of: error), errno == EMFILE || errno == ENFILE {
            return failure(.descriptorsExhausted, phase)
        }
        let found: (code: TransportError.Code, phase: TransportError.Phase?)?
        switch code {
        case nil: found = foreign(error)
        // An exchange that is cancelled ends before its task. So this is a connection that was refused for its certificate while others
        // waited for it.
        case .cancelled?: found = (.connectionLost, nil)
        case .badURL?: return NetworkError.invalidURL
        case .appTransportSecurityRequiresSecureConnection?:
            return NetworkError.unsupported("App Transport Security blocks plain http. Use https, or add an exception.")
        case .notConnectedToInternet?, .internationalRoamingOff?, .callIsActive?, .dataNotAllowed?:
            return NetworkFailure(cause: .noInternetConnection, underlyingError: failure(.hostUnreachable, .connecting))
        case .unknown?, .unsupportedURL?: found = text(error.localizedDescription, hasHead: hasHead)
        case .badServerResponse?: found = text(error.localizedDescription, hasHead: hasHead) ?? (.connectionLost, nil)
        case let code?: found = table(code, of: error, hasHead: hasHead)
        }
        return failure(found?.code ?? .other, found?.phase ?? phase)
    }

    /// Errors of Apple's loader that are not a `URLError`: CFNetwork's of a proxy for http (306) and https (310), and the `errno` of a
    /// WebSocket's connection.
    private static func foreign(_ error: NSError) -> (TransportError.Code, TransportError.Phase?)? {
        switch (error.domain, error.code) {
        case ("kCFErrorDomainCFNetwork", 306), ("kCFErrorDomainCFNetwork", 310): (.proxyFailed, .connecting)
        case (NSPOSIXErrorDomain, Int(ECONNRESET)): (.connectionReset, nil)
        case (NSPOSIXErrorDomain, Int(ENOTCONN)), (NSPOSIXErrorDomain, Int(ECONNABORTED)),
            (NSPOSIXErrorDomain, Int(EPIPE)):
            (.connectionLost, nil)
        default: nil
        }
    }

    /// Maps a code. A nil phase stands for the known one.
    private static func table(
        _ code: URLError.Code, of error: NSError, hasHead: Bool
    ) -> (TransportError.Code, TransportError.Phase?)? {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: (.nameNotResolved, .resolving)
        case .cannotConnectToHost: (isUnreachable(error) ? .hostUnreachable : .connectionRefused, .connecting)
        case .networkConnectionLost where isReset(error): (.connectionReset, nil)
        // A regular close by the peer has no `errno`. After the head, it truncates the body.
        case .networkConnectionLost: (hasHead && posixCode(of: error) == nil ? .truncatedBody : .connectionLost, nil)
        case .dataLengthExceedsMaximum where !hasHead: (.headersTooLarge, .receivingHead)
        // Our own timers are shorter than the session's, so this is a timeout of the kernel.
        case .timedOut:
            error.localizedDescription.contains("onnect") ? (.connectTimeout, .connecting) : (.idleTimeout, nil)
        case .secureConnectionFailed: (.tlsHandshakeFailed, .securing)
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            (.certificateUntrusted, .securing)
        case .clientCertificateRejected, .clientCertificateRequired: (.clientCertificateRejected, .securing)
        case .cannotParseResponse: (hasHead ? .malformedChunk : .malformedStatusLine, hasHead ? nil : .receivingHead)
        case .cannotDecodeRawData, .cannotDecodeContentData: (.contentDecodingFailed, .receivingBody)
        case .requestBodyStreamExhausted: (.requestBodyFailed, .sending)
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile: (.requestBodyFailed, .preparing)
        default: nil
        }
    }

    /// The `errno`. Apple's loader has it under this key if the domain beside it is POSIX (1).
    private static func posixCode(of error: NSError) -> Int32? {
        if error.domain == NSPOSIXErrorDomain { return Int32(truncatingIfNeeded: error.code) }
        let info = error.userInfo
        if info["_kCFStreamErrorDomainKey"] as? Int == 1, let code = info["_kCFStreamErrorCodeKey"] as? Int {
            return Int32(truncatingIfNeeded: code)
        }
        guard let beneath = info[NSUnderlyingErrorKey] as? NSError, beneath !== error else { return nil }
        return posixCode(of: beneath)
    }

    private static func isUnreachable(_ error: NSError) -> Bool {
        switch posixCode(of: error) {
        case EHOSTUNREACH?, ENETUNREACH?, ENETDOWN?, EHOSTDOWN?: true
        default: false
        }
    }

    private static func isReset(_ error: NSError) -> Bool {
        posixCode(of: error) == ECONNRESET || error.localizedDescription.contains("reset by peer")
    }

    /// Maps a message of libcurl, as the last resort: Foundation on Linux has the one code -1 for most failures, and does not report
    /// libcurl's. An unknown message gives ``TransportError/Code/other``, never a wrong code.
    private static func text(_ text: String, hasHead: Bool) -> (TransportError.Code, TransportError.Phase?)? {
        guard let line = words.first(where: { text.contains($0.text) }) else { return nil }
        // For a header line that is too long, libcurl says "Out of memory". After the head it means that.
        if line.code == .headersTooLarge, hasHead { return nil }
        return (line.code, line.phase)
    }

    private static let words: [(text: String, code: TransportError.Code, phase: TransportError.Phase?)] = [
        ("Too many open files", .descriptorsExhausted, nil),
        ("Received HTTP/0.9", .malformedStatusLine, .receivingHead),
        ("Empty reply from server", .connectionLost, .waiting),
        ("Header without colon", .malformedHeader, .receivingHead),
        ("Failed writing header", .malformedHeader, .receivingHead),
        ("Too large response headers", .headersTooLarge, .receivingHead),
        ("Out of memory", .headersTooLarge, .receivingHead),
        ("chunked-encoding", .malformedChunk, .receivingBody),
        ("transfer closed with", .truncatedBody, .receivingBody),
        ("content unencoding", .contentDecodingFailed, .receivingBody),
        ("content encoding", .contentDecodingFailed, .receivingBody),
        ("reset by peer", .connectionReset, nil),
        ("CONNECT", .proxyFailed, .connecting),
        ("proxy", .proxyFailed, .connecting),
        ("certificate problem", .certificateUntrusted, .securing),
        ("certificate subject name", .certificateUntrusted, .securing),
        ("certificate required", .clientCertificateRejected, .securing),
        ("SSL_ERROR_SYSCALL", .connectionLost, nil),
        ("HTTP/2", .protocolError, nil),
        ("HTTP2", .protocolError, nil),
        ("SSL", .tlsHandshakeFailed, .securing),
        ("TLS", .tlsHandshakeFailed, .securing),
        ("No route to host", .hostUnreachable, .connecting),
        ("Network is unreachable", .hostUnreachable, .connecting),
        ("aborted by", .requestBodyFailed, .sending),
        ("Send failure", .connectionLost, .sending),
        ("Recv failure", .connectionLost, nil),
    ]
}

extension TransportError {
    /// Returns the error for an error of a request's body.
    static func ofBody(_ error: any Error, url: URL?) -> any Error {
        if let error = error as? TransportError {
            return TransportError(error.code, phase: error.phase, message: error.message, url: url)
        }
        if error is NetworkError || error is CancellationError { return error }
        // Only the type of the error, since its text may be private.
        let message = "The request's body failed: \(type(of: error))."
        return TransportError(.requestBodyFailed, phase: .sending, message: message, url: url)
    }
}
