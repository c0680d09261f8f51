#if os(Linux)
    import CLibcurl
    import NetCore

    /// Makes errors from libcurl's results.
    enum CurlErrors {
        static func error(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, result: Int32
        ) -> any Error {
            let state = CurlFailureState(exchange, transfer, result: result)
            if transfer.pointee.address_refused != 0, transfer.pointee.opened_count == 0 {
                return AddressGuard.refusal(
                    host: HostName.normalized(exchange.url?.host ?? ""), url: exchange.url, phase: .connecting)
            }
            // libcurl gives up without a socket on addresses of the other family, or the loop refuses the socket.
            if exchange.core.configuration.addressFamily != .any, transfer.pointee.opened_count == 0,
                transfer.pointee.open_errno == 0,
                transfer.pointee.family_refused != 0 || Int(result) == NC_E_COULDNT_CONNECT
            {
                return TransportError(
                    .nameNotResolved, phase: .resolving,
                    message:
                        "\(HostName.normalized(exchange.url?.host ?? "The host")) has no address of the family that the "
                        + "transport's addressFamily allows.", url: exchange.url)
            }
            if let failure = ownFailure(of: exchange, transfer, state) { return failure }
            if transfer.pointee.is_stream != 0 { return HTTP2Errors.error(of: exchange, transfer, state) }
            return libraryFailure(of: exchange, result, state)
        }

        static func timeout(_ code: TransportError.Code, of exchange: CurlExchange) -> TransportError {
            let isLookingUp = exchange.timeouts.lookUpDue > 0
            let phase =
                exchange.transfer.map { CurlFailureState(exchange, $0, result: 0).phase }
                ?? (isLookingUp ? .resolving : .preparing)
            let message =
                switch code {
                case .connectTimeout: "The resolver did not answer within the time to connect."
                case .idleTimeout: "No byte was sent or received for \(seconds(exchange.timeouts.idleLimit)) s."
                case .totalTimeout where phase == .preparing: "The call's time ran out while it waited in the queue."
                default: "The exchange took longer than its total timeout."
                }
            return TransportError(code, phase: phase, message: message, url: exchange.url)
        }

        /// The error that the request's body threw.
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

        /// The error of a callback that ended the transfer; nil if none did.
        private static func ownFailure(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ state: CurlFailureState
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
                    .headersTooLarge, state.hasHead ? .receivingBody : .receivingHead,
                    state.hasHead
                        ? "Header section and trailers are over \(limits.headerBytes) bytes."
                        : "The header section is over \(limits.headerBytes) bytes.")
            case NC_FAILURE_CONFLICTING_LENGTHS:
                return error(.conflictingLengths, .receivingHead, "The response declares several lengths that differ.")
            case NC_FAILURE_INVALID_LENGTH:
                return error(.malformedHeader, .receivingHead, "Content-Length is not a number.")
            case NC_FAILURE_COLLECT_LIMIT: return NetworkError.responseTooLarge(limit: exchange.collectLimit)
            case NC_FAILURE_TRANSFER_CODING:
                return error(
                    .malformedHeader, .receivingHead, "The response has a transfer coding that was not requested.")
            case NC_FAILURE_BODY_SHORT:
                return error(.requestBodyFailed, .sending, "The file became shorter while it was sent.")
            case NC_FAILURE_BODY_READ:
                let reason = String(cString: strerror(transfer.pointee.failure_errno))
                return error(.requestBodyFailed, .sending, "The file cannot be read: \(reason)")
            case NC_FAILURE_BODY_STREAM: return bodyFailure(of: exchange)
            case NC_FAILURE_RESENDING:
                return TransportError(
                    .connectionLost, phase: .waiting,
                    message: "The connection was used before, and was closed before any byte of a response.",
                    url: exchange.url, isUnprocessed: false, isStaleConnection: true)
            case NC_FAILURE_NO_HTTP2:
                return error(
                    .protocolError, .securing, "The server does not speak HTTP/2, which httpVersions requires.")
            case NC_FAILURE_TRUST:
                return NetworkFailure(
                    cause: .pinningFailed(host: CurlTrust.host(of: exchange.url)), underlyingError: exchange.trustError)
            default: return error(.other, state.phase, "Out of memory for the response.")
            }
        }

        private static func libraryFailure(of exchange: CurlExchange, _ result: Int32, _ state: CurlFailureState)
            -> any Error
        {
            switch Int(result) {
            case NC_E_URL_MALFORMAT: return NetworkError.invalidURL
            case NC_E_UNSUPPORTED_PROTOCOL where !state.isConnected:
                // The library may have been built without TLS.
                return NetworkError.unsupported(state.message)
            case NC_E_NOT_BUILT_IN where !state.isConnected: return NetworkError.unsupported(state.message)
            default:
                let code = CurlErrorCode.of(Int(result), state)
                var message = state.message
                if let proxy = state.proxy, !state.isConnected {
                    message =
                        code == .proxyFailed
                        ? "The proxy \(proxy.name) failed: \(message)" : "\(message) (through the proxy \(proxy.name))"
                }
                var error = TransportError(
                    code, phase: code == .proxyFailed && state.phase == .securing ? .connecting : state.phase,
                    message: message, url: exchange.url, isUnprocessed: state.isUnprocessed,
                    isStaleConnection: state.isStaleConnection)
                // A proxy may have another scheme than the URL.
                if state.proxy == nil {
                    error.schemeMismatch = SchemeMismatch(message: state.message, isTLS: exchange.request.isHTTPS)
                }
                return error
            }
        }
    }

    /// Maps a result of libcurl, in the state in which it occurred, to a ``TransportError/Code``.
    enum CurlErrorCode {
        static func of(_ result: Int, _ state: CurlFailureState) -> TransportError.Code {
            if state.lacksDescriptors { return .descriptorsExhausted }
            if state.isSecuringProxy, securing(result, state) != .other { return .proxyFailed }
            switch result {
            case NC_E_OK: return .connectionLost  // The connection ended within the head, which libcurl accepts.
            case NC_E_UNSUPPORTED_PROTOCOL: return .malformedStatusLine
            case NC_E_WEIRD_SERVER_REPLY: return state.isInHead ? .malformedHeader : .malformedStatusLine
            case NC_E_COULDNT_RESOLVE_PROXY: return .proxyFailed
            case NC_E_PROXY: return answered(byProxy: state.proxyError)
            // Behind a proxy that resolves names, only its own name is resolved.
            case NC_E_COULDNT_RESOLVE_HOST:
                return state.proxy?.resolvesNames == true ? .proxyFailed : .nameNotResolved
            case NC_E_COULDNT_CONNECT, NC_E_QUIC_CONNECT_ERROR: return connecting(state)
            case NC_E_INTERFACE_FAILED: return .hostUnreachable
            case NC_E_HTTP3: return state.hasHead ? .truncatedBody : .protocolError
            case NC_E_OPERATION_TIMEDOUT: return .connectTimeout
            case NC_E_PARTIAL_FILE: return .truncatedBody
            case NC_E_BAD_CONTENT_ENCODING: return .contentDecodingFailed
            case NC_E_OUT_OF_MEMORY, NC_E_TOO_LARGE:
                return state.isConnected && !state.hasHead ? .headersTooLarge : .other
            case NC_E_FILESIZE_EXCEEDED: return .malformedHeader
            case NC_E_READ_ERROR, NC_E_UPLOAD_FAILED: return .requestBodyFailed
            case NC_E_GOT_NOTHING, NC_E_SEND_FAIL_REWIND: return .connectionLost
            case NC_E_SEND_ERROR, NC_E_RECV_ERROR: return moving(state)
            default: return securing(result, state)
            }
        }

        /// A SOCKS proxy says whether the server is to blame.
        private static func answered(byProxy error: Int) -> TransportError.Code {
            switch error {
            case Int(NC_PROXY_CONNECTION_REFUSED): .connectionRefused
            case Int(NC_PROXY_HOST_UNREACHABLE), Int(NC_PROXY_NETWORK_UNREACHABLE): .hostUnreachable
            case Int(NC_PROXY_RESOLVE_HOST): .nameNotResolved
            default: .proxyFailed
            }
        }

        private static func securing(_ result: Int, _ state: CurlFailureState) -> TransportError.Code {
            switch result {
            case NC_E_SSL_CONNECT_ERROR:
                if state.isAboutClientCertificate { return .clientCertificateRejected }
                return state.osError == ECONNRESET ? .connectionReset : .tlsHandshakeFailed
            case NC_E_SSL_ENGINE_NOTFOUND, NC_E_SSL_CIPHER, NC_E_SSL_SHUTDOWN_FAILED: return .tlsHandshakeFailed
            case NC_E_SSL_CERTPROBLEM, NC_E_SSL_CLIENTCERT: return .clientCertificateRejected
            case NC_E_PEER_FAILED_VERIFICATION, NC_E_SSL_CRL_BADFILE, NC_E_SSL_ISSUER_ERROR,
                NC_E_SSL_PINNEDPUBKEYNOTMATCH, NC_E_SSL_INVALIDCERTSTATUS:
                return .certificateUntrusted
            case NC_E_SSL_CACERT_BADFILE: return .certificateAuthoritiesUnreadable
            default: return .other
            }
        }

        private static func connecting(_ state: CurlFailureState) -> TransportError.Code {
            if state.proxy != nil { return .proxyFailed }
            switch state.openError == 0 ? state.osError : state.openError {
            case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EACCES, EPERM: return .hostUnreachable
            case ETIMEDOUT: return .connectTimeout
            case ECONNRESET: return .connectionReset
            // The socket could not even be opened, so no server refused it.
            default: return state.openError == 0 ? .connectionRefused : .other
            }
        }

        /// Errors of sending and receiving, which libcurl also uses for malformed input. Only the text tells them apart. If libcurl rewords
        /// it, the code becomes less exact.
        private static func moving(_ state: CurlFailureState) -> TransportError.Code {
            if state.proxy != nil, !state.isConnected { return .proxyFailed }
            if state.isAboutClientCertificate { return .clientCertificateRejected }
            if state.osError == ECONNRESET || state.osError == EPIPE { return .connectionReset }
            if state.isChunked, state.message.contains("chunk") { return .malformedChunk }
            if state.isConnected, !state.hasHead, state.message.contains("Too large response headers") {
                return .headersTooLarge
            }
            return state.hasHead ? .truncatedBody : .connectionLost
        }
    }

    /// The state of a transfer when it fails.
    struct CurlFailureState {
        let phase: TransportError.Phase
        let message: String
        let osError: Int32
        /// The `errno` of `socket()` if no socket could be opened, or 0.
        let openError: Int32
        let isConnected: Bool
        let hasHead: Bool
        let isInHead: Bool
        let isChunked: Bool
        let proxy: ProxyPlan.Server?
        /// What libcurl knows of the failure of a SOCKS proxy (`CURLproxycode`); 0 for nothing.
        let proxyError: Int
        /// Whether the TLS connection to the proxy is not established.
        let isSecuringProxy: Bool
        /// Whether connecting failed because the process has no descriptor left, for the socket or for a file of the resolver or TLS.
        let lacksDescriptors: Bool
        let isReused: Bool
        /// The message of the library, or an empty string.
        let libraryMessage: String
        /// Whether the system has taken bytes of the request.
        private let isBegun: Bool
        private let result: Int32

        init(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, result: Int32) {
            let easy = transfer.pointee.easy
            self.result = result
            let isStream = transfer.pointee.is_stream != 0
            osError = isStream ? transfer.pointee.failure_errno : Int32(nc_info_long(easy, NC_INFO_OS_ERRNO))
            isConnected = transfer.pointee.request_began != 0 || nc_info_offset(easy, NC_INFO_PRETRANSFER_TIME_T) > 0
            hasHead = transfer.pointee.head_done != 0
            isInHead = transfer.pointee.in_head != 0
            isChunked = transfer.pointee.is_chunked != 0
            isReused =
                isStream
                ? transfer.pointee.base.connections == 0
                : isConnected && nc_info_long(easy, NC_INFO_NUM_CONNECTS) == 0
            isBegun = isStream ? transfer.pointee.is_sent != 0 : nc_info_long(easy, NC_INFO_REQUEST_SIZE) > 0
            let lastOpenError = transfer.pointee.open_errno
            openError = transfer.pointee.opened_count == 0 ? lastOpenError : 0
            lacksDescriptors =
                !isConnected && result != 0
                && (lastOpenError == EMFILE || lastOpenError == ENFILE
                    || Self.opensFiles(Int(result)) && Descriptors.areExhausted)
            proxy = exchange.proxy
            proxyError = proxy == nil ? 0 : nc_info_long(easy, NC_INFO_PROXY_ERROR)
            // Only a proxy in whose tunnel a handshake can fail has answered CONNECT.
            isSecuringProxy =
                proxy?.isTLS == true && !isConnected
                && (!exchange.request.isHTTPS || nc_info_long(easy, NC_INFO_HTTP_CONNECTCODE) == 0)
            libraryMessage = withUnsafeBytes(of: &transfer.pointee.error) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            message =
                openError != 0 && Int(result) == NC_E_COULDNT_CONNECT
                ? "The socket cannot be opened: \(String(cString: strerror(openError)))."
                : Self.message(libraryMessage, result: result)
            phase = Self.phase(exchange, transfer, isConnected: isConnected, result: result)
        }

        /// Whether it is a result, from before there is a connection, that hides the `errno` of an `open`.
        private static func opensFiles(_ result: Int) -> Bool {
            [
                NC_E_COULDNT_RESOLVE_HOST, NC_E_COULDNT_RESOLVE_PROXY, NC_E_COULDNT_CONNECT, NC_E_OUT_OF_MEMORY,
                NC_E_SSL_CONNECT_ERROR, NC_E_SSL_CACERT_BADFILE, NC_E_SSL_CERTPROBLEM, NC_E_SSL_CRL_BADFILE,
            ].contains(result)
        }

        /// Nil lets the phase decide.
        var isUnprocessed: Bool? { isConnected ? isLostWithoutAnswer && !isBegun : nil }

        var isStaleConnection: Bool {
            isConnected && isLostWithoutAnswer && (isReused || Int(result) == NC_E_SEND_FAIL_REWIND)
        }

        private var isLostWithoutAnswer: Bool {
            !hasHead && !isInHead
                && [NC_E_GOT_NOTHING, NC_E_SEND_ERROR, NC_E_RECV_ERROR, NC_E_SEND_FAIL_REWIND].contains(Int(result))
        }

        /// Whether a TLS alert rejects the client certificate. libcurl has no result of its own for it.
        var isAboutClientCertificate: Bool {
            message.contains("alert")
                && [
                    "certificate required", "bad certificate", "unknown ca", "certificate unknown",
                    "certificate expired",
                ].contains { message.contains($0) }
        }

        private static func message(_ own: String, result: Int32) -> String {
            if result == 0 { return "The connection was closed before the head was complete." }
            let text = own.isEmpty ? String(cString: nc_error_text(result)) : own
            return "\(text) [curl \(result)]"
        }

        private static func phase(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, isConnected: Bool, result: Int32
        ) -> TransportError.Phase {
            let easy = transfer.pointee.easy
            if transfer.pointee.head_done != 0 { return .receivingBody }
            if transfer.pointee.in_head != 0 || transfer.pointee.head_total > 0 { return .receivingHead }
            if isConnected {
                // The server sent bytes that are not a status line.
                if Int(result) == NC_E_UNSUPPORTED_PROTOCOL || Int(result) == NC_E_WEIRD_SERVER_REPLY {
                    return .receivingHead
                }
                let length = exchange.request.uploadLength
                let isSent = length == 0 || length > 0 && nc_transfer_uploaded(transfer) >= length
                return isSent && Int(result) != NC_E_SEND_ERROR ? .waiting : .sending
            }
            switch Int(result) {
            case NC_E_COULDNT_RESOLVE_HOST, NC_E_COULDNT_RESOLVE_PROXY: return .resolving
            case NC_E_SSL_CONNECT_ERROR, NC_E_SSL_CERTPROBLEM, NC_E_SSL_CIPHER, NC_E_PEER_FAILED_VERIFICATION,
                NC_E_SSL_CACERT_BADFILE, NC_E_SSL_ISSUER_ERROR, NC_E_SSL_CLIENTCERT:
                return .securing
            case NC_E_COULDNT_CONNECT, NC_E_PROXY, NC_E_INTERFACE_FAILED: return .connecting
            default: break
            }
            if nc_info_offset(easy, NC_INFO_CONNECT_TIME_T) > 0, exchange.request.isHTTPS { return .securing }
            if transfer.pointee.opened_count > 0 || nc_info_offset(easy, NC_INFO_NAMELOOKUP_TIME_T) > 0 {
                return .connecting
            }
            return .resolving
        }
    }
#endif
