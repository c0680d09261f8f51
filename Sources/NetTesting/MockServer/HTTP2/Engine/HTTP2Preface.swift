import NetCore

/// How a client begins HTTP/2 (RFC 9113, section 3.4).
enum HTTP2Preface {
    enum Finding: Equatable {
        case http1
        case http2
        /// Too few bytes are there.
        case undecided
    }

    static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// What a client speaks.
    ///
    /// - Parameters:
    ///   - received: the first bytes.
    ///   - chosen: what ALPN chose.
    ///   - versions: what the server speaks.
    static func look(
        at received: UnsafeRawBufferPointer, chosen: String?, _ versions: MockHTTPVersions
    ) -> Finding {
        switch (versions, chosen) {
        case (.http1Only, _), (.automatic, "http/1.1"): return .http1
        case (.http2Only, _), (.automatic, "h2"): return .http2
        case (.automatic, _):
            guard received.elementsEqual(bytes.prefix(received.count)) || received.starts(with: bytes) else {
                return .http1
            }
            return received.count < bytes.count ? .undecided : .http2
        }
    }
}

/// Why a frame of the client is refused.
enum HTTP2Failure: Error {
    case connection(HTTP2ErrorCode, String)
    case stream(UInt32, HTTP2ErrorCode, String)

    static func violation(_ reason: String) -> HTTP2Failure { .connection(.protocolError, reason) }
}
