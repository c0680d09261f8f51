#if os(Linux)
    import CLibcurl
    import NetCore

    /// Why a TLS connection failed.
    struct TLSFailure: Error {
        let code: TransportError.Code
        /// A description for developers, in the words of libcurl where it has any.
        let message: String
        /// The `errno` of the socket or the file, or 0.
        var osError: Int32 = 0

        var isAboutClientCertificate: Bool { code == .clientCertificateRejected }

        init(_ code: TransportError.Code, _ message: String, osError: Int32 = 0) {
            (self.code, self.message, self.osError) = (code, message, osError)
        }

        static var outOfMemory: TLSFailure { TLSFailure(.other, "Out of memory for TLS.") }
    }

    /// An error in OpenSSL's queue, of which each thread has one.
    struct OpenSSLError {
        private let number: UInt

        /// Takes the oldest error from the queue, and clears the queue. Nil if there is none.
        static func take() -> OpenSSLError? {
            defer { nc_tls.ERR_clear_error() }
            let number = nc_tls.ERR_get_error()
            return number == 0 ? nil : OpenSSLError(number: number)
        }

        /// Such as `error:0A00010B:SSL routines::wrong version number`.
        var text: String {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
                guard let base = buffer.baseAddress else { return "" }
                nc_tls.ERR_error_string_n(number, base, buffer.count)
                return String(cString: base)
            }
        }

        /// The reason, if it is an error of this part of OpenSSL. In OpenSSL 1.1.1, the number of a function is between part and reason.
        private func reason(of library: Int32) -> Int32? {
            guard Int32(truncatingIfNeeded: number >> (Self.isVersion3 ? 23 : 24)) & 0xFF == library else { return nil }
            return Int32(truncatingIfNeeded: number & (Self.isVersion3 ? 0x7F_FFFF : 0xFFF))
        }

        private static let isVersion3 = nc_tls.OpenSSL_version_num() >= 0x3000_0000

        /// Whether the peer closed the connection. OpenSSL 1.1.1 has no error for it.
        var isEnd: Bool { reason(of: NC_TLS_LIB_SSL) == NC_TLS_R_UNEXPECTED_EOF }
        var isUntrustedCertificate: Bool { reason(of: NC_TLS_LIB_SSL) == NC_TLS_R_CERTIFICATE_VERIFY_FAILED }
        /// Whether PEM has no further block.
        var isEndOfPEM: Bool { reason(of: NC_TLS_LIB_PEM) == NC_TLS_R_NO_START_LINE }

        /// The number of the alert that the server sent (RFC 8446, section 6), or nil for another error.
        var alert: Int32? {
            reason(of: NC_TLS_LIB_SSL).flatMap { $0 >= NC_TLS_R_ALERT_OFFSET ? $0 - NC_TLS_R_ALERT_OFFSET : nil }
        }

        /// Whether a server that asked for a certificate refuses it, or refuses to do without.
        func refusesCertificate(isNone: Bool, _ version: TransportConfiguration.TLSVersion?) -> Bool {
            switch alert {
            // bad_certificate, unsupported_, _revoked, _expired, _unknown; unknown_ca, access_denied; certificate_required.
            case 42, 43, 44, 45, 46, 48, 49, 116: true
            // handshake_failure: what a server of TLS 1.2 answers to an empty certificate (RFC 5246, section 7.4.6).
            case 40: isNone && version != .v1_3
            default: false
            }
        }
    }

    extension TLSFailure {
        enum Action: String {
            case handshake = "SSL_connect"
            case reading = "SSL_read"
            case writing = "SSL_write"
        }

        /// - Parameters:
        ///   - error: OpenSSL's, or nil if it has none.
        ///   - osError: the `errno` of the socket, or 0. Without either, the server closed the connection.
        init(_ action: Action, _ error: OpenSSLError?, osError: Int32) {
            let isHandshake = action == .handshake
            if let error, !error.isEnd {
                let text = isHandshake ? "TLS connect error: \(error.text)" : "\(action.rawValue): \(error.text)"
                self.init(isHandshake ? .tlsHandshakeFailed : .connectionLost, text, osError: osError)
            } else if osError != 0 {
                let isReset = osError == ECONNRESET || osError == EPIPE
                let text = "\(action.rawValue): \(String(cString: strerror(osError)))"
                self.init(isReset ? .connectionReset : .connectionLost, text, osError: osError)
            } else if isHandshake {
                self.init(.tlsHandshakeFailed, "The server closed the connection during the TLS handshake.")
            } else {
                self.init(.connectionLost, "The server closed the connection without close_notify of TLS.")
            }
        }

        /// - Parameter verification: OpenSSL's result of verifying the certificate of `host`.
        init(verification: Int, host: String) {
            let isOther = [NC_TLS_V_HOSTNAME_MISMATCH, NC_TLS_V_IP_ADDRESS_MISMATCH].contains { verification == $0 }
            self.init(
                .certificateUntrusted,
                isOther
                    ? "SSL: no alternative certificate subject name matches target host name '\(host)'"
                    : "SSL certificate problem: \(String(cString: nc_tls.X509_verify_cert_error_string(verification)))")
        }
    }
#endif
