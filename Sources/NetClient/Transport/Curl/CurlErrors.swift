#if os(Linux)
    import CLibcurl
    import NetCore

    /// Makes our errors of libcurl's results.
    enum CurlErrors {
        static func error(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, result: Int32
        ) -> any Error {
            let state = CurlState(exchange, transfer, result: result)
            if transfer.pointee.address_refused != 0, transfer.pointee.opened_count == 0 {
                return AddressGuard.refusal(
                    host: HostName.normalized(exchange.url?.host ?? ""), url: exchange.url, phase: .connecting)
            }
            if let failure = ownFailure(of: exchange, transfer, state) { return failure }
            if transfer.pointee.is_stream != 0 { return HTTP2Errors.error(of: exchange, transfer, state) }
            return libraryFailure(of: exchange, result, state)
        }

        static func timeout(_ code: TransportError.Code, of exchange: CurlExchange) -> TransportError {
            let phase = exchange.transfer.map { CurlState(exchange, $0, result: 0).phase } ?? .preparing
            let message =
                switch code {
                case .idleTimeout: "No byte came or went for \(seconds(exchange.idleLimit)) s."
                case .totalTimeout where phase == .preparing: "The call's time ran out while it waited for its turn."
                default: "The exchange took longer than it may."
                }
            return TransportError(code, phase: phase, message: message, url: exchange.url)
        }

        /// What the request's own body has thrown.
        static func bodyFailure(of exchange: CurlExchange) -> any Error {
            let error = exchange.feed?.failure ?? exchange.pieces?.failure
            switch error {
            case let error as NetworkError: return error
            case let error as NetworkFailure: return error
            case let error as TransportError: return error
            default:
                return TransportError(
                    .requestBodyFailed, phase: .sending,
                    message: error.map { "The request's body failed: \($0)" } ?? "The request's body failed.",
                    url: exchange.url, isUnprocessed: false)
            }
        }

        private static func seconds(_ nanoseconds: Int64) -> String {
            String(format: "%g", Double(nanoseconds) / 1e9)
        }

        /// What our own callbacks have refused.
        private static func ownFailure(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ state: CurlState
        ) -> (any Error)? {
            func error(_ code: TransportError.Code, _ phase: TransportError.Phase, _ message: String) -> TransportError
            {
                TransportError(code, phase: phase, message: message, url: exchange.url)
            }
            let limits = exchange.core.configuration.limits
            switch transfer.pointee.failure {
            case NC_FAILURE_NONE: return nil
            case NC_FAILURE_HEAD_TOO_LARGE:
                return error(
                    .headersTooLarge, .receivingHead, "The header section is over \(limits.headerBytes) bytes.")
            case NC_FAILURE_CONFLICTING_LENGTHS:
                return error(.conflictingLengths, .receivingHead, "The reply declares several lengths that differ.")
            case NC_FAILURE_INVALID_LENGTH:
                return error(.malformedHeader, .receivingHead, "Content-Length is no number.")
            case NC_FAILURE_COLLECT_LIMIT: return NetworkError.responseTooLarge(limit: exchange.collectLimit)
            case NC_FAILURE_TRANSFER_CODING:
                return error(
                    .malformedHeader, .receivingHead, "The reply has a transfer coding that was not asked for.")
            case NC_FAILURE_BODY_SHORT:
                return error(.requestBodyFailed, .sending, "The file became shorter while it was sent.")
            case NC_FAILURE_BODY_READ:
                let reason = String(cString: strerror(transfer.pointee.failure_errno))
                return error(.requestBodyFailed, .sending, "The file cannot be read: \(reason)")
            case NC_FAILURE_BODY_STREAM: return bodyFailure(of: exchange)
            case NC_FAILURE_RESENDING:
                return TransportError(
                    .connectionLost, phase: .waiting,
                    message: "The connection was used before, and was closed before any byte of an answer.",
                    url: exchange.url, isUnprocessed: false, isStaleConnection: true)
            case NC_FAILURE_TRUST:
                return NetworkFailure(
                    cause: .pinningFailed(host: CurlTrust.host(of: exchange.url)), underlyingError: exchange.trustError)
            default: return error(.other, state.phase, "There is no memory left for the response.")
            }
        }

        private static func libraryFailure(of exchange: CurlExchange, _ result: Int32, _ state: CurlState) -> any Error
        {
            switch Int(result) {
            case NC_E_URL_MALFORMAT: return NetworkError.invalidURL
            case NC_E_UNSUPPORTED_PROTOCOL where !state.isConnected:
                // TLS, for one, may have been left out of the library.
                return NetworkError.unsupported(state.message)
            default:
                var error = TransportError(
                    CurlErrorCode.of(Int(result), state), phase: state.phase, message: state.message, url: exchange.url,
                    isUnprocessed: state.isUnprocessed, isStaleConnection: state.isStaleConnection)
                // A proxy may be spoken to by another scheme than the URL's.
                if !state.isProxied {
                    error.schemeMismatch = SchemeMismatch(words: state.message, isTLS: exchange.request.isHTTPS)
                }
                return error
            }
        }
    }
#endif
