// Domains and codes by which crash reporters and analytics group errors. They never change.
extension TransportError: CustomNSError {
    /// `NetCore.TransportError`.
    public static var errorDomain: String { "NetCore.TransportError" }

    /// A number from 1 on for each ``code-swift.property``.
    public var errorCode: Int { (Code.allCases.firstIndex(of: code) ?? 0) + 1 }

    /// The description, the redacted URL, and the ``systemError``.
    public var errorUserInfo: [String: Any] {
        var info = Self.failingURL(url)
        // On Linux, an error with an `errorUserInfo` has no other `localizedDescription`.
        info[NSLocalizedDescriptionKey] = errorDescription
        if let systemError { info[NSUnderlyingErrorKey] = systemError as NSError }
        return info
    }

    /// The entries of a redacted URL.
    package static func failingURL(_ text: String?) -> [String: Any] {
        text.flatMap { URL(string: $0) }.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:]
    }
}

extension NetworkError: CustomNSError {
    /// `NetCore.NetworkError`.
    public static var errorDomain: String { "NetCore.NetworkError" }

    /// The HTTP status of ``requestFailed(statusCode:data:)``, 1000 plus the code of an embedded ``TransportError``, or the case's number from 1 on.
    public var errorCode: Int {
        if let error = embeddedError as? TransportError { return 1000 + error.errorCode }
        return statusCode ?? names.number
    }

    /// The description, and the embedded error, without its details if it is not of this SDK.
    public var errorUserInfo: [String: Any] { Self.info(errorDescription, beneath: embeddedError) }

    fileprivate static func info(_ description: String?, beneath error: (any Error)?) -> [String: Any] {
        var info = TransportError.failingURL((error as? TransportError)?.url)
        info[NSLocalizedDescriptionKey] = description
        info[NSUnderlyingErrorKey] = error.map { error in
            // The details of another error may be private.
            let bridged = error as NSError
            return error is TransportError ? bridged : NSError(domain: bridged.domain, code: bridged.code)
        }
        return info
    }
}

extension NetworkFailure: CustomNSError {
    /// The domain of ``NetworkError``, whose codes it has.
    public static var errorDomain: String { NetworkError.errorDomain }

    /// The code of the ``cause``: see ``NetworkError/errorCode``.
    public var errorCode: Int { cause.errorCode }

    /// The description, the request's redacted URL, the ``underlyingError``, and as `NSURLSessionDownloadTaskResumeData` the system's resume data.
    public var errorUserInfo: [String: Any] {
        var info = TransportError.failingURL(request?.url?.absoluteString)
            .merging(NetworkError.info(errorDescription, beneath: underlyingError)) { own, _ in own }
        info["NSURLSessionDownloadTaskResumeData"] = systemResumeData
        return info
    }
}
