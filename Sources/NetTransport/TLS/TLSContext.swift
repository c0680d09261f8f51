#if os(Linux)
    import CLibcurl
    import NetCore

    /// The TLS of a transport: OpenSSL's `SSL_CTX`, and the sessions that can be resumed. Any thread may use it.
    final class TLSContext: @unchecked Sendable {  // OpenSSL locks what sessions share, and `pointer` never changes.
        /// OpenSSL's `SSL_CTX`.
        let pointer: OpaquePointer
        let cache = TLSSessionCache()
        private let authoritiesSetting: TransportConfiguration.CertificateAuthorities
        private let clientCertificate: TransportConfiguration.ClientCertificate?
        /// Whether a new connection may resume the session of an earlier one (RFC 8446, section 2.2).
        private let resumesSessions: Bool
        private let knownAuthorities = Locked<TLSAuthorities?>(nil)
        private let knownIdentity = Locked<TLSIdentity?>(nil)

        /// Four records of the largest size, with their overhead (RFC 8446, section 5.2).
        private static let readBufferSize = 4 * (16 * 1024 + 256 + 5)

        /// Why TLS is unavailable, or nil if it is available.
        static let problem = nc_tls_load().map { "TLS needs OpenSSL: \(String(cString: $0))." }

        /// Creates the context. The first session that needs the authorities or the client certificate reads them, and fails if it cannot.
        ///
        /// - Parameter forProxy: whether it is for an `https` proxy, which has authorities of its own and sees no client certificate.
        /// - Throws: ``NetworkError/unsupported(_:)`` for settings that cannot be used, or ``TLSFailure``.
        init(_ configuration: TransportConfiguration, forProxy: Bool) throws {
            var authorities = configuration.certificateAuthorities
            if forProxy, case .https(_, _, _, _, _, let own) = configuration.proxy { authorities = own }
            if case .onlyFile(let url) = authorities, !url.isFileURL {
                throw NetworkError.unsupported("certificateAuthorities needs a file URL for .onlyFile.")
            }
            if let problem = Self.problem { throw NetworkError.unsupported(problem) }
            nc_tls.ERR_clear_error()
            guard let pointer = nc_tls.SSL_CTX_new(nc_tls.TLS_client_method()) else {
                throw TLSFailure(.other, "TLS cannot be set up: \(OpenSSLError.take()?.text ?? "out of memory").")
            }
            self.pointer = pointer
            authoritiesSetting = authorities
            clientCertificate = forProxy ? nil : configuration.clientCertificate
            resumesSessions = !forProxy
            let oldest = NC_TLS_VERSION_1_0 + Int32(configuration.minimumTLSVersion.rawValue)
            _ = nc_tls.SSL_CTX_ctrl(pointer, NC_TLS_CTRL_SET_MIN_PROTO_VERSION, Int(oldest), nil)
            _ = nc_tls.SSL_CTX_ctrl(pointer, NC_TLS_CTRL_MODE, Int(NC_TLS_MODES), nil)
            // Several records with one system call, where OpenSSL would make two for each. Its buffer is released after reading.
            _ = nc_tls.SSL_CTX_ctrl(pointer, NC_TLS_CTRL_SET_READ_AHEAD, 1, nil)
            nc_tls.SSL_CTX_set_default_read_buffer_len(pointer, Self.readBufferSize)
            _ = nc_tls.SSL_CTX_set_options(pointer, UInt64(NC_TLS_OP_TLSEXT_PADDING))
            _ = nc_tls.SSL_CTX_ctrl(pointer, NC_TLS_CTRL_SET_SESS_CACHE_MODE, Int(NC_TLS_SESS_CACHE), nil)
            nc_tls.SSL_CTX_sess_set_new_cb(pointer) { ssl, session in
                TLSSession.of(ssl)?.keep(session) == true ? 1 : 0
            }
            nc_tls.SSL_CTX_set_cert_cb(
                pointer,
                { ssl, _ in
                    TLSSession.of(ssl)?.noteCertificateRequest()
                    return 1
                }, nil)
        }

        deinit { nc_tls.SSL_CTX_free(pointer) }

        func authorities() throws(TLSFailure) -> TLSAuthorities {
            try Self.known(in: knownAuthorities) { () throws(TLSFailure) in try .of(authoritiesSetting) }
        }

        /// Returns nil if the settings have no certificate.
        private func identity() throws(TLSFailure) -> TLSIdentity? {
            guard let clientCertificate else { return nil }
            return try Self.known(in: knownIdentity) { () throws(TLSFailure) in try TLSIdentity(clientCertificate) }
        }

        /// Reads the client certificate, and throws if it cannot be shown to a server.
        func checkIdentity() throws(TLSFailure) {
            let session = try TLSSession(context: self, descriptor: -1, outer: nil, host: "", cacheKey: nil)
            if let identity = try identity() { try session.show(identity) }
        }

        /// Returns what was made before, or makes it. What cannot be made is tried again the next time.
        private static func known<Value: Sendable>(
            in place: borrowing Locked<Value?>, make: () throws(TLSFailure) -> Value
        ) throws(TLSFailure) -> Value {
            try place.withLock { known throws(TLSFailure) in
                if let known { return known }
                let made = try make()
                known = made
                return made
            }
        }

        /// Creates a session over a connected, non-blocking socket, which stays the caller's, or inside another session.
        ///
        /// - Parameters:
        ///   - outer: the established session with an `https` proxy, which the caller no longer reads or writes. Replaces `descriptor`.
        ///   - host: a name, or an address without brackets. The server's certificate must be valid for it.
        ///   - protocols: for ALPN, the preferred first.
        ///   - showsCertificate: whether the server may see the client's certificate.
        ///   - verifies: false accepts any certificate, and resumes no session.
        ///   - resumptionKey: sessions with the same key, host and `showsCertificate` resume each other. Nil for none.
        func makeSession(
            descriptor: Int32 = -1, inside outer: TLSSession? = nil, host: String, protocols: [String],
            showsCertificate: Bool, verifies: Bool = true, resumptionKey: String?
        ) throws(TLSFailure) -> TLSSession {
            let key = verifies && resumesSessions ? resumptionKey : nil
            let session = try TLSSession(
                context: self, descriptor: descriptor, outer: outer, host: host,
                cacheKey: key.map { .init(name: $0, host: host, showsCertificate: showsCertificate) })
            try session.name(verifies: verifies)
            try session.offer(protocols)
            if showsCertificate, let identity = try identity() { try session.show(identity) }
            session.resume()
            return session
        }
    }
#endif
