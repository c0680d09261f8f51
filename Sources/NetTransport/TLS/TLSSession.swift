#if os(Linux)
    import CLibcurl
    import NetCore

    /// A TLS connection as the client. After `.wantsRead` and `.wantsWrite` the same call has to be made again once the socket is ready.
    final class TLSSession: @unchecked Sendable {  // One thread at a time uses it, which its connection ensures.
        private let ssl: OpaquePointer
        private let link: UnsafeMutablePointer<nc_tls_link>
        private let context: TLSContext
        /// The session around this one.
        private let outer: TLSSession?
        private let host: String
        private let cacheKey: TLSSessionCache.Key?
        /// The session that the server is asked to resume.
        private var offered: TLSSessionCache.Entry?
        private var isEstablished = false
        private var isShutDown = false
        /// Whether the session has a certificate to show, and whether the server asked for one.
        private var hasCertificate = false
        private var isAsked = false
        /// The failure after which OpenSSL cannot use the session.
        private var failure: TLSFailure?
        /// Whether the last read got all bytes that had arrived.
        private var isDrained = false
        private var hasEnd = false

        init(
            context: TLSContext, descriptor: Int32, outer: TLSSession?, host: String, cacheKey: TLSSessionCache.Key?
        ) throws(TLSFailure) {
            nc_tls.ERR_clear_error()
            guard let ssl = nc_tls.SSL_new(context.pointer) else { throw .outOfMemory }
            (self.ssl, self.context, self.outer) = (ssl, context, outer)
            (self.host, self.cacheKey) = (host, cacheKey)
            link = .allocate(capacity: 1)
            link.initialize(
                to: nc_tls_link(fd: descriptor, error: 0, is_ended: false, is_drained: false, outer: outer?.ssl))
            // From here on, `deinit` frees.
            guard nc_tls_attach(ssl, link),
                nc_tls.SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
            else { throw .outOfMemory }
            nc_tls.SSL_set_connect_state(ssl)
        }

        deinit {
            // Otherwise OpenSSL would forbid to resume the session.
            if isEstablished, failure == nil { nc_tls.SSL_set_shutdown(ssl, NC_TLS_SENT_AND_RECEIVED_SHUTDOWN) }
            nc_tls.SSL_free(ssl)
            link.deallocate()
        }

        // MARK: The handshake

        /// Names the server, and what its certificate must be valid for (RFC 9525).
        func name(verifies: Bool) throws(TLSFailure) {
            // Certificates have addresses without a zone (RFC 4007, section 11).
            let address = host.contains(":") ? String(host.prefix { $0 != "%" }) : host
            let isAddress = IPAddress.isLiteral(address)
            let name = isAddress ? address : host.hasSuffix(".") ? String(host.dropLast()) : host
            if !isAddress {
                _ = name.withCString {
                    nc_tls.SSL_ctrl(ssl, NC_TLS_CTRL_SET_TLSEXT_HOSTNAME, 0, UnsafeMutableRawPointer(mutating: $0))
                }
            }
            nc_tls.SSL_set_verify(ssl, verifies ? NC_TLS_VERIFY_PEER : NC_TLS_VERIFY_NONE, nil)
            guard verifies else { return }
            let authorities = try context.authorities()
            let isStored = nc_tls.SSL_ctrl(
                ssl, NC_TLS_CTRL_SET_VERIFY_CERT_STORE, 1, UnsafeMutableRawPointer(authorities.store))
            guard isStored == 1, let parameters = nc_tls.SSL_get0_param(ssl) else { throw .outOfMemory }
            nc_tls.X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(NC_TLS_HOST_FLAGS))
            let isSet =
                isAddress
                ? nc_tls.X509_VERIFY_PARAM_set1_ip_asc(parameters, name)
                : nc_tls.X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count)
            // For OpenSSL, an empty name is any name, and an address ends at the first zero byte.
            guard isSet == 1, !name.isEmpty, !name.utf8.contains(0) else {
                throw TLSFailure(.certificateUntrusted, "No certificate is valid for the host '\(host)'.")
            }
        }

        /// Offers protocols by ALPN (RFC 7301, section 3.1).
        func offer(_ protocols: [String]) throws(TLSFailure) {
            guard !protocols.isEmpty else { return }
            let list = protocols.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8) }
            guard nc_tls.SSL_set_alpn_protos(ssl, list, UInt32(list.count)) == 0 else { throw .outOfMemory }
        }

        func show(_ identity: TLSIdentity) throws(TLSFailure) {
            try identity.use(on: ssl)
            nc_tls.SSL_set_post_handshake_auth(ssl, 1)
            hasCertificate = true
        }

        /// Offers to resume an earlier session, if there is one.
        func resume() {
            offered = cacheKey.flatMap(context.cache.take)
            if let offered { _ = nc_tls.SSL_set_session(ssl, offered.session) }
        }

        /// Returns whether the handshake is complete.
        func handshake() throws(TLSFailure) -> Bool {
            switch run(.handshake, { nc_tls.SSL_do_handshake(ssl) }) {
            case .bytes:
                isEstablished = true
                return true
            case .wantsRead, .wantsWrite: return false
            case .closed: throw makeFailure(.handshake, nil)
            case .failed(let failure):
                // It may be the session's fault.
                if let cacheKey, offered != nil { context.cache.forget(cacheKey) }
                throw failure
            }
        }

        // MARK: Bytes

        /// Reads what has arrived, as far as there is room. If there is room left, nothing more has arrived, unless `hasBufferedBytes`.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> IOStep {
            isDrained = false
            // It tells of the last call on the socket, and OpenSSL may have all of these bytes already.
            link.pointee.is_drained = false
            guard let base = buffer.baseAddress else { return .bytes(0) }
            var total = 0
            // Each call returns one record at most.
            while total < buffer.count {
                let step = run(.reading) { nc_tls.SSL_read(ssl, base + total, Int32(clamping: buffer.count - total)) }
                switch step {
                case .bytes(let count):
                    total += count
                    continue
                case .wantsRead, .wantsWrite: isDrained = true
                case .closed, .failed: break
                }
                hasEnd = !isDrained && total > 0
                return total > 0 ? .bytes(total) : step
            }
            return .bytes(total)
        }

        /// Writes as many of the bytes as the socket takes. The others have to come first in the next call: they may be encrypted already.
        func write(_ bytes: UnsafeRawBufferPointer) -> IOStep {
            guard let base = bytes.baseAddress else { return .bytes(0) }
            var total = 0
            while total < bytes.count {
                let step = run(.writing) { nc_tls.SSL_write(ssl, base + total, Int32(clamping: bytes.count - total)) }
                guard case .bytes(let count) = step else { return total > 0 ? .bytes(total) : step }
                total += count
            }
            return .bytes(total)
        }

        /// Frees the memory for records while nothing is sent or received. `RELEASE_BUFFERS` leaves that for writing (OpenSSL 3.0).
        func releaseBuffers() {
            // Behind the header of a record, the function frees what the body is read into (CVE-2024-4741).
            let isBetweenRecords = strcmp(nc_tls.SSL_rstate_string(ssl), "RH") == 0 && nc_tls.SSL_has_pending(ssl) == 0
            if isBetweenRecords { _ = nc_tls.SSL_free_buffers(ssl) }
            outer?.releaseBuffers()
        }

        /// Sends `close_notify` once, if the socket takes it at once.
        func shutdown() {
            if isEstablished, !isShutDown, failure == nil {
                isShutDown = true
                nc_tls.ERR_clear_error()
                _ = nc_tls.SSL_shutdown(ssl)
                nc_tls.ERR_clear_error()
            }
            outer?.shutdown()
        }

        /// Whether all that has arrived was read, so that the socket tells when there is more.
        var hasReadAll: Bool { link.pointee.is_drained && outer == nil && !hasEnd && nc_tls.SSL_has_pending(ssl) == 0 }

        /// Whether a read returns something although the socket is not readable. It is false after `.wantsRead`.
        var hasBufferedBytes: Bool {
            hasEnd || !isDrained && (nc_tls.SSL_has_pending(ssl) == 1 || outer?.hasBufferedBytes == true)
        }

        private func run(_ action: TLSFailure.Action, _ call: () -> Int32) -> IOStep {
            if let failure { return .failed(failure) }
            nc_tls.ERR_clear_error()
            link.pointee.error = 0
            let result = call()
            if result > 0 { return .bytes(Int(result)) }
            switch nc_tls.SSL_get_error(ssl, result) {
            case NC_TLS_ERROR_WANT_READ: return .wantsRead
            case NC_TLS_ERROR_WANT_WRITE: return .wantsWrite
            case NC_TLS_ERROR_ZERO_RETURN: return .closed
            default: break
            }
            var error = OpenSSLError.take()
            if error == nil, action == .writing { error = alertBehindFailedWrite() }
            let made = makeFailure(action, error)
            // What has arrived can still be read after a write failed.
            if action != .writing || error != nil { failure = made }
            return .failed(made)
        }

        /// Returns the alert with which the server explained that it ends the connection, or nil.
        private func alertBehindFailedWrite() -> OpenSSLError? {
            var byte: UInt8 = 0
            let writeError = link.pointee.error
            defer { link.pointee.error = writeError }
            guard nc_tls.SSL_peek(ssl, &byte, 1) <= 0, let error = OpenSSLError.take() else { return nil }
            return error.alert == nil ? nil : error
        }

        private func makeFailure(_ action: TLSFailure.Action, _ error: OpenSSLError?) -> TLSFailure {
            let osError = link.pointee.error == 0 ? outer?.link.pointee.error ?? 0 : link.pointee.error
            if let error, error.isUntrustedCertificate {
                return TLSFailure(verification: nc_tls.SSL_get_verify_result(ssl), host: host)
            }
            if let error, isAsked || hasCertificate, error.refusesCertificate(isNone: !hasCertificate, version) {
                return TLSFailure(.clientCertificateRejected, "\(action.rawValue): \(error.text)")
            }
            return TLSFailure(action, error, osError: osError)
        }

        // MARK: Facts

        private var version: TransportConfiguration.TLSVersion? {
            TransportConfiguration.TLSVersion(rawValue: Int(nc_tls.SSL_version(ssl) - NC_TLS_VERSION_1_0))
        }

        private var isResumed: Bool { offered != nil && nc_tls.SSL_session_reused(ssl) == 1 }

        /// The certificates of the server, in DER, its own first. Of a resumed session, those of its first handshake.
        private(set) lazy var certificates: [Data] = {
            if isResumed, let offered { return offered.certificates }
            return DER.items(of: nc_tls.SSL_get_peer_cert_chain(ssl)).map(DER.bytes)
        }()

        /// Adds what the handshake agreed on.
        func describe(_ connection: inout TransportResponse.Connection) {
            var (name, length): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
            nc_tls.SSL_get0_alpn_selected(ssl, &name, &length)
            let cipher = nc_tls.SSL_get_current_cipher(ssl).flatMap { nc_tls.SSL_CIPHER_standard_name($0) }
            connection.tlsVersion = version
            connection.cipherSuite = cipher.map { String(cString: $0) }
            connection.applicationProtocol = name.map {
                String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
            }
            if !certificates.isEmpty { connection.certificates = CertificateChain(certificates: certificates) }
        }

        // MARK: What OpenSSL calls

        static func of(_ ssl: OpaquePointer) -> TLSSession? {
            nc_tls.SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
        }

        func noteCertificateRequest() { isAsked = true }

        /// Keeps a session that can be resumed. Returns whether it took ownership.
        func keep(_ session: OpaquePointer) -> Bool {
            guard let cacheKey, nc_tls.SSL_SESSION_is_resumable(session) == 1 else { return false }
            let first = isResumed ? offered : nil
            context.cache.add(.init(session, certificates: certificates, resuming: first), for: cacheKey)
            return true
        }
    }

    /// The result of reading or writing.
    enum IOStep: Sendable {
        case bytes(Int)
        case wantsRead, wantsWrite
        /// The server ended its side with `close_notify`.
        case closed
        case failed(TLSFailure)
    }
#endif
