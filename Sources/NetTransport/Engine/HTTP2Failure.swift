#if os(Linux)
    import NetCore

    /// Why a stream ended without a whole response (RFC 9113, section 7).
    struct HTTP2Failure {
        enum Kind {
            /// The server reset the stream; the connection ended; the server broke the rules, on this stream or on the connection.
            case reset, closed, violation
            /// The server said that it did not process the request, or the request was never sent.
            case unprocessed
            /// The heads and trailers are longer than the limit.
            case headTooLarge
            /// Reading the request's body failed, or it ended before its length.
            case requestBody
        }

        static let headTooLarge = HTTP2Failure(kind: .headTooLarge, code: .cancel)

        let kind: Kind
        /// The code of RST_STREAM or GOAWAY; NO_ERROR if there is none.
        var code = TransportError.HTTP2Code.noError
        /// The `errno` of the connection; 0 if it has none.
        var errno: Int32 = 0
        /// The reason that libnghttp2 or the connection gives, or an empty string.
        var message = ""

        /// - Parameter isInHead: whether the connection ended within the head of the final response.
        func error(of exchange: HTTPExchange, isInHead: Bool) -> any Error {
            switch kind {
            case .requestBody: return ExchangeErrors.bodyFailure(of: exchange)
            case .headTooLarge: return ExchangeErrors.error(.headTooLarge, of: exchange)
            case .reset, .unprocessed, .closed, .violation: break
            }
            var error = TransportError(
                exchange.hasHead ? .truncatedBody : transportCode(isInHead: isInHead),
                phase: exchange.hasHead ? .receivingBody : isInHead ? .receivingHead : exchange.phase,
                message: text, url: exchange.url, isUnprocessed: !exchange.hasHead && isUnprocessed,
                // A GOAWAY that requires HTTP/1.1 does not say that this request was not processed.
                isStaleConnection: kind == .closed && (exchange.isReused || code == .http11Required)
                    && !exchange.hasHead && !isInHead)
            error.http2ErrorCode = kind == .closed && code == .noError ? nil : code
            return error
        }

        /// Whether the server says so itself (sections 6.8 and 8.7), or refuses to speak HTTP/2.
        private var isUnprocessed: Bool {
            kind == .unprocessed || kind == .reset && (code == .refusedStream || code == .http11Required)
        }

        private func transportCode(isInHead: Bool) -> TransportError.Code {
            switch (kind, code) {
            case (_, .http11Required): .http11Required
            // A head in thousands of frames without an end.
            case (.violation, .enhanceYourCalm) where isInHead: .headersTooLarge
            case (.violation, _): namedCode ?? .protocolError
            case (_, .enhanceYourCalm): .enhanceYourCalm
            // TLS 1.3 refuses a client's certificate when the client already sends.
            case (.unprocessed, _): isAboutClientCertificate ? .clientCertificateRejected : .refusedStream
            case (.reset, .refusedStream): .refusedStream
            case (.reset, _): namedCode ?? .streamReset
            default:
                namedCode
                    ?? (isAboutClientCertificate
                        ? .clientCertificateRejected
                        : errno == ECONNRESET || errno == EPIPE ? .connectionReset : .connectionLost)
            }
        }

        private var namedCode: TransportError.Code? {
            switch code {
            case .protocolError, .settingsTimeout, .streamClosed, .frameSizeError: .protocolError
            case .flowControlError: .flowControlError
            case .compressionError: .compressionError
            default: nil
            }
        }

        private var text: String {
            let what =
                switch kind {
                case .reset: "The server reset the stream (\(code))"
                case .unprocessed: "The server has closed the connection to new streams, and did not process this one"
                case .violation: "The server broke the rules of HTTP/2 (\(code))"
                default: code == .noError ? "The connection ended" : "The server ended the connection (\(code))"
                }
            return (message.isEmpty ? what : "\(what): \(message)") + (message.hasSuffix(".") ? "" : ".")
        }

        /// Whether an alert of TLS rejects the client's certificate.
        private var isAboutClientCertificate: Bool {
            message.contains("alert")
                && [
                    "certificate required", "bad certificate", "unknown ca", "certificate unknown",
                    "certificate expired",
                ].contains { message.contains($0) }
        }
    }
#endif
