// Domains and codes by which crash reporters and analytics group errors. They never change.
extension TransportError: CustomNSError {
    /// `NetCore.TransportError`.
    public static var errorDomain: String { "NetCore.TransportError" }

    /// A number from 1 on for each ``code-swift.property``.
    public var errorCode: Int { code.number }

    /// The description, the redacted URL, and the ``systemError``.
    public var errorUserInfo: [String: Any] {
        var info = Self.failingURL(url)
        // On Linux, an error with an `errorUserInfo` has no other `localizedDescription`.
        info[NSLocalizedDescriptionKey] = errorDescription
        if let systemError { info[NSUnderlyingErrorKey] = systemError as NSError }
        return info
    }
}

extension NetworkError: CustomNSError {
    /// `NetCore.NetworkError`.
    public static var errorDomain: String { "NetCore.NetworkError" }

    /// The HTTP status of ``requestFailed(statusCode:data:)``, 1000 plus the code of an embedded ``TransportError``, or else a number from 1 on
    /// for each case.
    public var errorCode: Int {
        if let error = embeddedError as? TransportError { return 1000 + error.errorCode }
        return number
    }

    /// The description, and the embedded error, without its details if it is not of this SDK.
    public var errorUserInfo: [String: Any] { Self.info(errorDescription, beneath: embeddedError) }

    fileprivate static func info(_ description: String?, beneath error: (any Error)?) -> [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = description
        guard let error else { return info }
        if let error = error as? TransportError {
            info.merge(TransportError.failingURL(error.url)) { $1 }
            info[NSUnderlyingErrorKey] = error as NSError
        } else {
            // Its details may be private.
            let bridged = error as NSError
            info[NSUnderlyingErrorKey] = NSError(domain: bridged.domain, code: bridged.code)
        }
        return info
    }

    private var number: Int {
        switch self {
        case .invalidURL: 1
        case .invalidRequest: 2
        case .requestFailed(let status, _): status
        case .decodingError: 3
        case .noData: 4
        case .downloadFailed: 5
        case .uploadFailed: 6
        case .noInternetConnection: 7
        case .timeout: 8
        case .networkUnavailable: 9
        case .unknown: 10
        case .cancelled: 11
        case .encodingError: 12
        case .circuitOpen: 13
        case .pinningFailed: 14
        case .bodyNotReplayable: 15
        case .responseTooLarge: 16
        case .tooManyRedirects: 17
        case .unsupported: 18
        }
    }
}

extension NetworkFailure: CustomNSError {
    /// The domain of ``NetworkError``, whose codes it has.
    public static var errorDomain: String { NetworkError.errorDomain }

    /// The code of the ``cause``: see ``NetworkError/errorCode``.
    public var errorCode: Int { cause.errorCode }

    /// The description, the redacted URL of the request, the ``underlyingError``, and the system's resume data under
    /// `NSURLSessionDownloadTaskResumeData`.
    public var errorUserInfo: [String: Any] {
        var info = TransportError.failingURL(request?.url?.absoluteString)
            .merging(NetworkError.info(errorDescription, beneath: underlyingError)) { own, _ in own }
        info["NSURLSessionDownloadTaskResumeData"] = systemResumeData
        return info
    }
}

extension TransportError.Code {
    fileprivate var number: Int {
        switch self {
        case .nameNotResolved: 1
        case .connectionRefused: 2
        case .hostUnreachable: 3
        case .connectionReset: 4
        case .connectionLost: 5
        case .connectTimeout: 6
        case .idleTimeout: 7
        case .totalTimeout: 8
        case .tlsHandshakeFailed: 9
        case .certificateUntrusted: 10
        case .certificateAuthoritiesUnreadable: 11
        case .clientCertificateRejected: 12
        case .proxyFailed: 13
        case .malformedStatusLine: 14
        case .malformedHeader: 15
        case .conflictingLengths: 16
        case .headersTooLarge: 17
        case .malformedChunk: 18
        case .truncatedBody: 19
        case .contentDecodingFailed: 20
        case .protocolError: 21
        case .flowControlError: 22
        case .compressionError: 23
        case .refusedStream: 24
        case .enhanceYourCalm: 25
        case .http11Required: 26
        case .streamReset: 27
        case .requestBodyFailed: 28
        case .addressNotAllowed: 29
        case .descriptorsExhausted: 30
        case .shutDown: 31
        case .other: 32
        }
    }
}
