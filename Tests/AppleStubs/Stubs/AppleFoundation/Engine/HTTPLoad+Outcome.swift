internal import CAppleNetwork

/// How an exchange went, in Apple's words.
extension HTTPLoad {
    func error(_ code: URLError.Code) -> URLError { LoadErrors.make(code, task) }

    func failure(_ result: an_result) -> any Error {
        LoadErrors.failure(
            result, task, hasHead: response != nil, proxy: ProxySettings(session.settings, for: request.url))
    }

    func metrics(_ result: an_result, since start: Date) -> URLSessionTaskTransactionMetrics {
        let metrics = URLSessionTaskTransactionMetrics(request)
        metrics.response = response
        func date(_ microseconds: Int64) -> Date? {
            microseconds > 0 ? start.addingTimeInterval(Double(microseconds) / 1_000_000) : nil
        }
        metrics.isReusedConnection = result.is_reused && result.http_version != 0
        if !metrics.isReusedConnection {
            metrics.domainLookupEndDate = date(result.name_lookup)
            if result.secure_connect > 0 {
                metrics.secureConnectionStartDate = date(result.connect)
                metrics.secureConnectionEndDate = date(result.secure_connect)
            }
            metrics.connectEndDate = date(max(result.connect, result.secure_connect))
        }
        metrics.requestStartDate = date(result.before_transfer)
        metrics.responseStartDate = date(result.first_byte)
        metrics.responseEndDate = date(result.total)
        metrics.networkProtocolName = [10: "http/1.0", 11: "http/1.1", 2: "h2"][result.http_version]
        metrics.countOfRequestBodyBytesSent = reported
        metrics.countOfResponseBodyBytesReceived = result.received
        func text(_ address: UnsafePointer<CChar>?) -> String? {
            address.flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
        }
        (metrics.remoteAddress, metrics.localAddress) = (text(result.remote_address), text(result.local_address))
        if metrics.remoteAddress != nil { metrics.remotePort = result.remote_port }
        if metrics.localAddress != nil { metrics.localPort = result.local_port }
        return metrics
    }
}

enum LoadErrors {
    /// With Apple's text and what stands in the `userInfo` of such an error.
    static func make(_ code: URLError.Code, _ task: URLSessionTask, posix: Int32? = nil, domain: Int = 1) -> URLError {
        var info = task.errorInfo
        if let text = texts[code] { info[NSLocalizedDescriptionKey] = text }
        var beneath: [String: Any] = [:]
        if let posix, posix != 0 {
            // The names are Apple's, and not documented; the values of `errno` are Linux's here.
            beneath = ["_kCFStreamErrorDomainKey": domain, "_kCFStreamErrorCodeKey": Int(posix)]
            info.merge(beneath) { $1 }
        }
        info[NSUnderlyingErrorKey] = NSError(domain: "kCFErrorDomainCFNetwork", code: code.rawValue, userInfo: beneath)
        return URLError(code, userInfo: info)
    }

    private static let texts: [URLError.Code: String] = [
        .cancelled: "cancelled", .timedOut: "The request timed out.", .unsupportedURL: "unsupported URL",
        .badURL: "bad URL", .cannotFindHost: "A server with the specified hostname could not be found.",
        .cannotConnectToHost: "Could not connect to the server.",
        .networkConnectionLost: "The network connection was lost.", .httpTooManyRedirects: "too many HTTP redirects",
        .badServerResponse: "There was a bad response from the server.", .cannotDecodeRawData: "cannot decode raw data",
        .cannotParseResponse: "cannot parse response",
        .secureConnectionFailed: "An SSL error has occurred and a secure connection to the server cannot be made.",
        .clientCertificateRequired: "The server requires a client certificate.",
        .clientCertificateRejected: "The server did not accept the certificate.",
        .requestBodyStreamExhausted: "request body stream exhausted",
        .dataLengthExceedsMaximum: "resource exceeds maximum size",
    ]

    /// By libcurl's code, and where that says too little, by its words.
    static func failure(
        _ result: an_result, _ task: URLSessionTask, hasHead: Bool, proxy: ProxySettings?
    ) -> any Error {
        let text = result.text.map { String(cString: $0) } ?? ""
        if result.connect_status >= 300 || result.code == 97 { return throughProxy(task) }
        switch result.code {
        case 3, 4: return make(.badURL, task)
        case 5: return throughProxy(task)
        case 6: return make(.cannotFindHost, task, posix: 8, domain: 12)
        case 7:
            if let proxy, proxy.serves(task.currentRequest?.url) { return throughProxy(task) }
            return make(.cannotConnectToHost, task, posix: result.os_error)
        case 28: return make(.timedOut, task, posix: ETIMEDOUT)
        case 26, 42: return make(.requestBodyStreamExhausted, task)
        case 61: return make(.cannotDecodeRawData, task)
        case 35, 58, 59, 60, 66, 77: return secure(text, task)
        case 1, 8, 27: return make(.cannotParseResponse, task)
        case 23: return make(.cannotDecodeRawData, task)
        case 56 where text.contains("chunk"): return make(.cannotParseResponse, task)
        case 56 where text.contains("Too large response headers"): return make(.dataLengthExceedsMaximum, task)
        case 55, 56: return text.contains("alert") ? secure(text, task) : lost(result, task)
        case 16, 92, 18, 52: return lost(result, task)
        default: return make(hasHead ? .networkConnectionLost : .unknown, task)
        }
    }

    private static func lost(_ result: an_result, _ task: URLSessionTask) -> URLError {
        // An end of the stream is no error of POSIX: Apple's loader has a number of its own for it.
        result.os_error == 0
            ? make(.networkConnectionLost, task, posix: -4, domain: 4)
            : make(.networkConnectionLost, task, posix: result.os_error)
    }

    private static func secure(_ text: String, _ task: URLSessionTask) -> URLError {
        if text.contains("certificate required") { return make(.clientCertificateRequired, task) }
        if text.contains("bad certificate") || text.contains("unknown ca") || text.contains("certificate unknown") {
            return make(.clientCertificateRejected, task)
        }
        return make(.secureConnectionFailed, task)
    }

    /// https://developer.apple.com/documentation/cfnetwork/cfnetworkerrors/cferrorhttpsproxyconnectionfailure
    /// (`kCFErrorHTTPSProxyConnectionFailure`, and 306 `kCFErrorHTTPProxyConnectionFailure`)
    private static func throughProxy(_ task: URLSessionTask) -> NSError {
        let isSecure = ["https", "wss"].contains(task.currentRequest?.url?.scheme?.lowercased())
        return NSError(
            domain: "kCFErrorDomainCFNetwork", code: isSecure ? 310 : 306,
            userInfo: task.errorInfo.merging([
                NSLocalizedDescriptionKey: isSecure
                    ? "There was a problem communicating with the secure web proxy server (HTTPS)."
                    : "There was a problem communicating with the web proxy server (HTTP)."
            ]) { $1 })
    }
}
