#if os(Linux)
    import CLibcurl
    import NetCore

    /// Which ``TransportError/Code`` a result of libcurl is, in the state in which it came.
    enum CurlErrorCode {
        static func of(_ result: Int, _ state: CurlState) -> TransportError.Code {
            if state.lacksDescriptors { return .descriptorsExhausted }
            switch result {
            case NC_E_OK: return .connectionLost  // The connection ended within the head, which libcurl lets pass.
            case NC_E_UNSUPPORTED_PROTOCOL: return .malformedStatusLine
            case NC_E_WEIRD_SERVER_REPLY: return state.isInHead ? .malformedHeader : .malformedStatusLine
            case NC_E_COULDNT_RESOLVE_PROXY, NC_E_PROXY: return .proxyFailed
            // Behind a proxy nothing else is looked up.
            case NC_E_COULDNT_RESOLVE_HOST: return state.isProxied ? .proxyFailed : .nameNotResolved
            case NC_E_COULDNT_CONNECT: return connecting(state)
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

        private static func securing(_ result: Int, _ state: CurlState) -> TransportError.Code {
            switch result {
            case NC_E_SSL_CONNECT_ERROR:
                if state.isAboutClientCertificate { return .clientCertificateRejected }
                return state.osError == ECONNRESET ? .connectionReset : .tlsHandshakeFailed
            case NC_E_SSL_ENGINE_NOTFOUND, NC_E_SSL_CIPHER, NC_E_SSL_SHUTDOWN_FAILED: return .tlsHandshakeFailed
            case NC_E_SSL_CERTPROBLEM, NC_E_SSL_CLIENTCERT: return .clientCertificateRejected
            case NC_E_PEER_FAILED_VERIFICATION, NC_E_SSL_CACERT_BADFILE, NC_E_SSL_CRL_BADFILE, NC_E_SSL_ISSUER_ERROR,
                NC_E_SSL_PINNEDPUBKEYNOTMATCH, NC_E_SSL_INVALIDCERTSTATUS:
                return .certificateUntrusted
            default: return .other
            }
        }

        private static func connecting(_ state: CurlState) -> TransportError.Code {
            if state.isProxied { return .proxyFailed }
            switch state.osError {
            case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EACCES, EPERM: return .hostUnreachable
            case ETIMEDOUT: return .connectTimeout
            case ECONNRESET: return .connectionReset
            default: return .connectionRefused
            }
        }

        /// Errors of sending and receiving, which libcurl also uses for what it could not read. There the text is all there
        /// is to tell them apart; where it is reworded, the code becomes a less exact one.
        private static func moving(_ state: CurlState) -> TransportError.Code {
            if state.isProxied, !state.isConnected { return .proxyFailed }
            if state.isAboutClientCertificate { return .clientCertificateRejected }
            if state.osError == ECONNRESET || state.osError == EPIPE { return .connectionReset }
            if state.isChunked, state.message.contains("chunk") { return .malformedChunk }
            if state.isConnected, !state.hasHead, state.message.contains("Too large response headers") {
                return .headersTooLarge
            }
            return state.hasHead ? .truncatedBody : .connectionLost
        }
    }
#endif
