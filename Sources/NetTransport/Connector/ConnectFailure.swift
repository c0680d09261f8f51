#if os(Linux)
    import CLibcurl
    import NetCore

    /// Why libcurl could not open a connection.
    struct ConnectFailure {
        private let target: ConnectTarget
        private let opening: nc_opening
        private let result: Int
        /// The `errno` of the last system call, and of `socket()` if no socket could be opened.
        private let systemError, openError: Int32

        init(_ target: ConnectTarget, _ opening: UnsafeMutablePointer<nc_opening>, result: Int) {
            self.target = target
            self.opening = opening.pointee
            self.result = result
            systemError = Int32(nc_info_long(opening.pointee.easy, NC_INFO_OS_ERRNO))
            openError = opening.pointee.opened_count == 0 ? opening.pointee.open_errno : 0
        }

        static func notResolved(_ message: String, _ url: URL?) -> TransportError {
            TransportError(.nameNotResolved, phase: .resolving, message: message.onOneLine, url: url)
        }

        var error: any Error {
            let hasOpened = opening.opened_count > 0
            let host = HostName.normalized(target.host)
            if opening.address_refused != 0, !hasOpened {
                return AddressGuard.refusal(host: host, url: target.url, phase: .connecting)
            }
            // libcurl gives up without a socket on addresses of the other family, or `on_open` refuses the socket.
            if opening.family != 0, !hasOpened, openError == 0,
                opening.family_refused != 0 || result == NC_E_COULDNT_CONNECT
            {
                return Self.notResolved(
                    "\(host.isEmpty ? "The host" : host) has no address of the family that the transport's addressFamily allows.",
                    target.url)
            }
            if opening.look_up_refused != 0 {
                return Self.notResolved("libcurl does not use the resolver's addresses.", target.url)
            }
            switch result {
            case NC_E_URL_MALFORMAT: return NetworkError.invalidURL
            case NC_E_UNSUPPORTED_PROTOCOL, NC_E_NOT_BUILT_IN: return NetworkError.unsupported(message)
            default: break
            }
            let code = code
            var message = message
            if let proxy = target.proxy {
                message =
                    code == .proxyFailed
                    ? "The proxy \(proxy.name) failed: \(message)" : "\(message) (through the proxy \(proxy.name))"
            }
            return TransportError(code, phase: phase, message: message, url: target.url)
        }

        private var message: String {
            if openError != 0, result == NC_E_COULDNT_CONNECT {
                return "The socket cannot be opened: \(String(cString: strerror(openError)))."
            }
            let own = withUnsafeBytes(of: opening.error) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let cause = systemError == 0 ? "" : ": \(String(cString: strerror(systemError)))"
            return "\(own.isEmpty ? String(cString: nc_error_text(Int32(result))) : own)\(cause) [curl \(result)]"
        }

        private var phase: TransportError.Phase {
            switch result {
            case NC_E_COULDNT_RESOLVE_HOST, NC_E_COULDNT_RESOLVE_PROXY: .resolving
            case NC_E_COULDNT_CONNECT, NC_E_PROXY, NC_E_INTERFACE_FAILED: .connecting
            default:
                opening.opened_count > 0 || nc_info_offset(opening.easy, NC_INFO_NAMELOOKUP_TIME_T) > 0
                    ? .connecting : .resolving
            }
        }

        private var code: TransportError.Code {
            if lacksDescriptors { return .descriptorsExhausted }
            let hasProxy = target.proxy != nil
            // The answer to CONNECT tells it. The result is another one since 8.17.
            if hasProxy, nc_info_long(opening.easy, NC_INFO_HTTP_CONNECTCODE) >= 300 { return .proxyFailed }
            switch result {
            case NC_E_COULDNT_RESOLVE_PROXY: return .proxyFailed
            // Behind a proxy that resolves names, only its own name is resolved.
            case NC_E_COULDNT_RESOLVE_HOST: return target.proxy?.resolvesNames == true ? .proxyFailed : .nameNotResolved
            case NC_E_COULDNT_CONNECT: return hasProxy ? .proxyFailed : connecting
            case NC_E_PROXY: return answerOfProxy
            case NC_E_INTERFACE_FAILED: return .hostUnreachable
            case NC_E_OPERATION_TIMEDOUT: return .connectTimeout
            case NC_E_SEND_ERROR, NC_E_RECV_ERROR, NC_E_GOT_NOTHING:
                if hasProxy { return .proxyFailed }
                return systemError == ECONNRESET || systemError == EPIPE ? .connectionReset : .connectionLost
            default: return .other
            }
        }

        private var connecting: TransportError.Code {
            switch openError == 0 ? systemError : openError {
            case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EACCES, EPERM: .hostUnreachable
            case ETIMEDOUT: .connectTimeout
            case ECONNRESET: .connectionReset
            // 0: libcurl does not know every cause. ENOENT: the Unix-domain socket does not exist.
            case 0, ECONNREFUSED, ENOENT: .connectionRefused
            // Also a socket that could not even be opened: no server refused it.
            default: .other
            }
        }

        /// A SOCKS proxy says whether the server is to blame.
        private var answerOfProxy: TransportError.Code {
            switch nc_info_long(opening.easy, NC_INFO_PROXY_ERROR) {
            case Int(NC_PROXY_CONNECTION_REFUSED): .connectionRefused
            case Int(NC_PROXY_HOST_UNREACHABLE), Int(NC_PROXY_NETWORK_UNREACHABLE): .hostUnreachable
            case Int(NC_PROXY_RESOLVE_HOST): .nameNotResolved
            default: .proxyFailed
            }
        }

        /// Whether the process has no descriptor left, for the socket or for a file of the resolver, whose result hides the `errno`.
        private var lacksDescriptors: Bool {
            if opening.open_errno == EMFILE || opening.open_errno == ENFILE { return true }
            let opensFiles = [
                NC_E_COULDNT_RESOLVE_HOST, NC_E_COULDNT_RESOLVE_PROXY, NC_E_COULDNT_CONNECT, NC_E_OUT_OF_MEMORY,
            ]
            return opensFiles.contains(result) && Descriptors.areExhausted
        }
    }
#endif
