#if os(Linux)
    import CLibcurl
    import NetCore

    /// How far a transfer has come, read off when it fails.
    struct CurlState {
        let phase: TransportError.Phase
        let message: String
        let osError: Int32
        let isConnected: Bool
        let hasHead: Bool
        let isInHead: Bool
        let isChunked: Bool
        let isProxied: Bool
        /// Whether there was no connection for want of a descriptor: for the socket, or for what the resolver and TLS open.
        let lacksDescriptors: Bool
        let isReused: Bool
        /// What the library has said, if anything.
        let libraryMessage: String
        /// Whether the system has taken some of the request.
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
            let openError = transfer.pointee.open_errno
            lacksDescriptors =
                !isConnected && result != 0
                && (openError == EMFILE || openError == ENFILE
                    || Self.opensFiles(Int(result)) && Descriptors.areExhausted)
            isProxied = CurlProxy.isUsed(for: exchange.url, exchange.core.configuration.proxy)
            libraryMessage = withUnsafeBytes(of: &transfer.pointee.error) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            message = Self.message(libraryMessage, result: result)
            phase = Self.phase(exchange, transfer, isConnected: isConnected, result: result)
        }

        /// Failures before there is a connection that hide the `errno` of what could not be opened.
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

        /// An alert of TLS that says so; there is no code of its own for it.
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
                // Bytes came that are not a status line.
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
            case NC_E_COULDNT_CONNECT: return .connecting
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
