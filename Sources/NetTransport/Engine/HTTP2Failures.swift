#if os(Linux)
    import NetCore

    extension HTTP2Failure {
        var transportCode: TransportError.HTTP2Code { TransportError.HTTP2Code(rawValue: code) }
    }

    /// Makes errors from HTTP/2 streams and connections that ended early (RFC 9113, section 7).
    enum HTTP2Failures {
        static func error(_ failure: HTTP2Failure, of exchange: HTTPExchange, _ stream: HTTP2Stream) -> any Error {
            switch failure.kind {
            case .requestBody: return ExchangeErrors.bodyFailure(of: exchange)
            case .headTooLarge: return ExchangeErrors.error(.headTooLarge, of: exchange)
            case .reset, .unprocessed, .closed, .violation: break
            }
            let code = failure.transportCode
            let isInHead = stream.isInHead && !stream.hasHead
            var error = TransportError(
                exchange.hasHead ? .truncatedBody : self.code(failure, code, isInHead: isInHead),
                phase: exchange.hasHead ? .receivingBody : isInHead ? .receivingHead : exchange.phase,
                message: message(failure, code), url: exchange.url,
                isUnprocessed: !exchange.hasHead && isUnprocessed(failure.kind, code),
                // A GOAWAY that requires HTTP/1.1 does not say that this request was not processed.
                isStaleConnection: failure.kind == .closed && (exchange.isReused || code == .http11Required)
                    && !exchange.hasHead && !isInHead)
            error.http2ErrorCode = failure.kind == .closed && code == .noError ? nil : code
            return error
        }

        /// Whether the server says so itself (sections 6.8 and 8.7), or refuses to speak HTTP/2.
        private static func isUnprocessed(_ kind: HTTP2Failure.Kind, _ code: TransportError.HTTP2Code) -> Bool {
            switch kind {
            case .unprocessed: true
            case .reset: code == .refusedStream || code == .http11Required
            default: false
            }
        }

        private static func code(
            _ failure: HTTP2Failure, _ code: TransportError.HTTP2Code, isInHead: Bool
        ) -> TransportError.Code {
            switch code {
            case .http11Required: return .http11Required
            case .enhanceYourCalm where failure.kind != .violation: return .enhanceYourCalm
            default: break
            }
            switch failure.kind {
            // TLS 1.3 refuses a client's certificate when the client already sends.
            case .unprocessed: return failure.isAboutClientCertificate ? .clientCertificateRejected : .refusedStream
            case .reset: return code == .refusedStream ? .refusedStream : named(code) ?? .streamReset
            // A head in thousands of frames without an end.
            case .violation where code == .enhanceYourCalm && isInHead: return .headersTooLarge
            case .violation: return named(code) ?? .protocolError
            default: break
            }
            if let named = named(code) { return named }
            if failure.isAboutClientCertificate { return .clientCertificateRejected }
            return failure.errno == ECONNRESET || failure.errno == EPIPE ? .connectionReset : .connectionLost
        }

        private static func named(_ code: TransportError.HTTP2Code) -> TransportError.Code? {
            switch code {
            case .protocolError, .settingsTimeout, .streamClosed, .frameSizeError: .protocolError
            case .flowControlError: .flowControlError
            case .compressionError: .compressionError
            default: nil
            }
        }

        private static func message(_ failure: HTTP2Failure, _ code: TransportError.HTTP2Code) -> String {
            let what =
                switch failure.kind {
                case .reset: "The server reset the stream (\(code))"
                case .unprocessed: "The server has closed the connection to new streams, and did not process this one"
                case .violation: "The server broke the rules of HTTP/2 (\(code))"
                default: code == .noError ? "The connection ended" : "The server ended the connection (\(code))"
                }
            let detail = failure.message
            return (detail.isEmpty ? what : "\(what): \(detail)") + (detail.hasSuffix(".") ? "" : ".")
        }
    }

    extension HTTP2Failure {
        /// Whether an alert of TLS rejects the client's certificate.
        fileprivate var isAboutClientCertificate: Bool {
            message.contains("alert")
                && [
                    "certificate required", "bad certificate", "unknown ca", "certificate unknown",
                    "certificate expired",
                ].contains { message.contains($0) }
        }
    }
#endif
