#if os(Linux)
    import CLibcurl
    import NetCore

    /// Makes our errors of streams and connections of HTTP/2 that ended before their time (RFC 9113, section 7).
    enum HTTP2Errors {
        static func error(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ state: CurlState
        ) -> TransportError {
            let end = transfer.pointee.http2_end
            let code = HTTP2ErrorCode(rawValue: transfer.pointee.http2_code)
            var error = TransportError(
                state.hasHead ? .truncatedBody : self.code(end, code, state), phase: state.phase,
                message: message(end, code, state), url: exchange.url,
                isUnprocessed: !state.hasHead && isUnprocessed(end, code),
                // A GOAWAY that wants HTTP/1.1 does not say that this request was not begun.
                isStaleConnection: end == NC_HTTP2_CLOSED && (state.isReused || code == .http11Required)
                    && !state.hasHead && !state.isInHead)
            error.http2ErrorCode = end == NC_HTTP2_CLOSED && code == .noError ? nil : code
            return error
        }

        /// The server says so itself (sections 6.8 and 8.7), or refuses to speak HTTP/2 at all.
        private static func isUnprocessed(_ end: nc_http2_end, _ code: HTTP2ErrorCode) -> Bool {
            switch end {
            case NC_HTTP2_UNPROCESSED: true
            case NC_HTTP2_RESET: code == .refusedStream || code == .http11Required
            default: false
            }
        }

        private static func code(
            _ end: nc_http2_end, _ code: HTTP2ErrorCode, _ state: CurlState
        ) -> TransportError.Code {
            switch code {
            case .http11Required: return .http11Required
            case .enhanceYourCalm where end != NC_HTTP2_VIOLATION: return .enhanceYourCalm
            default: break
            }
            switch end {
            case NC_HTTP2_UNPROCESSED: return .refusedStream
            case NC_HTTP2_RESET: return code == .refusedStream ? .refusedStream : named(code) ?? .streamReset
            // A head in thousands of pieces, of which none ends it.
            case NC_HTTP2_VIOLATION where code == .enhanceYourCalm && state.isInHead: return .headersTooLarge
            case NC_HTTP2_VIOLATION: return named(code) ?? .protocolError
            default: break
            }
            if let named = named(code) { return named }
            if state.isAboutClientCertificate { return .clientCertificateRejected }
            return state.osError == ECONNRESET || state.osError == EPIPE ? .connectionReset : .connectionLost
        }

        private static func named(_ code: HTTP2ErrorCode) -> TransportError.Code? {
            switch code {
            case .protocolError, .settingsTimeout, .streamClosed, .frameSizeError: .protocolError
            case .flowControlError: .flowControlError
            case .compressionError: .compressionError
            default: nil
            }
        }

        private static func message(_ end: nc_http2_end, _ code: HTTP2ErrorCode, _ state: CurlState) -> String {
            let what =
                switch end {
                case NC_HTTP2_RESET: "The server reset the stream (\(code))"
                case NC_HTTP2_UNPROCESSED:
                    "The server has closed the connection to new streams, and did not process this one"
                case NC_HTTP2_VIOLATION: "The server broke the rules of HTTP/2 (\(code))"
                default:
                    code == .noError
                        ? "The connection ended" : "The server ended the connection (\(code))"
                }
            let detail = state.libraryMessage
            return (detail.isEmpty ? what : "\(what): \(detail)") + (detail.hasSuffix(".") ? "" : ".")
        }
    }
#endif
