import NetCore

/// A certificate and its key, ready for connections.
final class TLSContext: Sendable {
    private let openSSL: OpenSSL
    /// OpenSSL counts references, and locks what connections share.
    private nonisolated(unsafe) let context: OpenSSL.Object

    /// - Throws: ``NetTestingError/unavailable(_:)`` without OpenSSL, or if it does not take the certificate or the key.
    init(_ certificate: MockCertificate, versions: MockHTTPVersions) throws {
        openSSL = try OpenSSL.load()
        guard let context = openSSL.SSL_CTX_new(openSSL.TLS_server_method()) else {
            throw NetTestingError.unavailable("OpenSSL gives no context.")
        }
        self.context = context
        // A write may be repeated with a copy of its bytes, and may take a part of them.
        _ = openSSL.SSL_CTX_ctrl(context, Self.setMode, 0x1 | 0x2, nil)
        ALPN.install(versions, on: context, openSSL)
        let chain = PEM.blocks(certificate.certificate)
        guard let leaf = chain.first, use(leaf), let key = PEM.blocks(certificate.privateKey).last, useKey(key) else {
            throw NetTestingError.unavailable("OpenSSL does not take the certificate and its key: are they PEM?")
        }
        for intermediate in chain.dropFirst() where !add(intermediate) {
            throw NetTestingError.unavailable("OpenSSL does not take an intermediate certificate.")
        }
    }

    deinit { openSSL.SSL_CTX_free(context) }

    /// TLS over a connected socket, from the server's end.
    func session(over socket: Socket) -> TLSSession? { TLSSession(openSSL, context, socket.descriptor) }

    private static let setMode: Int32 = 33
    private static let addChainCertificate: Int32 = 14

    private func use(_ leaf: Data) -> Bool {
        leaf.withUnsafeBytes { bytes in
            openSSL.SSL_CTX_use_certificate_ASN1(
                context, Int32(clamping: bytes.count), bytes.bindMemory(to: UInt8.self).baseAddress) == 1
        }
    }

    private func useKey(_ der: Data) -> Bool {
        guard let key = parse(der, openSSL.d2i_AutoPrivateKey) else { return false }
        defer { openSSL.EVP_PKEY_free(key) }
        return openSSL.SSL_CTX_use_PrivateKey(context, key) == 1
    }

    /// The context owns the certificate from here on.
    private func add(_ der: Data) -> Bool {
        guard let certificate = parse(der, openSSL.d2i_X509) else { return false }
        return openSSL.SSL_CTX_ctrl(context, Self.addChainCertificate, 0, certificate) == 1
    }

    private func parse(
        _ der: Data,
        _ function: (OpenSSL.Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> OpenSSL.Object?
    ) -> OpenSSL.Object? {
        der.withUnsafeBytes { bytes in
            var position = bytes.bindMemory(to: UInt8.self).baseAddress
            return function(nil, &position, bytes.count)
        }
    }
}

/// TLS on one connection. It lives on the loop thread, whose signals are blocked: OpenSSL's writes may raise `SIGPIPE`.
final class TLSSession {
    private let openSSL: OpenSSL
    private let session: OpenSSL.Object
    /// After a fatal error, nothing may be asked of the session but to free it.
    private var isBroken = false

    fileprivate init?(_ openSSL: OpenSSL, _ context: OpenSSL.Object, _ descriptor: Int32) {
        guard let session = openSSL.SSL_new(context) else { return nil }
        self.openSSL = openSSL
        self.session = session
        guard openSSL.SSL_set_fd(session, descriptor) == 1 else { return nil }
        openSSL.SSL_set_accept_state(session)
    }

    deinit { openSSL.SSL_free(session) }

    /// Whether there are bytes that `poll` cannot see, since they were taken from the socket already.
    var hasPendingBytes: Bool { !isBroken && openSSL.SSL_pending(session) > 0 }

    /// What ALPN chose; nil before the handshake, and if the client offered nothing.
    var applicationProtocol: String? { isBroken ? nil : ALPN.chosen(on: session, openSSL) }

    /// Decrypted bytes. The first calls shake hands.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Outcome {
        perform { openSSL.SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Socket.Outcome {
        perform { openSSL.SSL_write(session, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    /// Says that nothing more will be sent, which tells the end of a body from a connection that was cut (RFC 8446, section 6.1).
    func closeWriting() {
        guard !isBroken else { return }
        openSSL.ERR_clear_error()
        _ = openSSL.SSL_shutdown(session)
        openSSL.ERR_clear_error()
    }

    private func perform(_ call: () -> Int32) -> Socket.Outcome {
        guard !isBroken else { return .failed(0) }
        // The queue of errors is the thread's: what another connection left there would be taken for ours.
        openSSL.ERR_clear_error()
        let count = call()
        if count > 0 { return .bytes(Int(count)) }
        switch openSSL.SSL_get_error(session, count) {
        case 2, 3: return .wouldBlock
        case 6: return .ended
        default:
            isBroken = true
            return .failed(0)
        }
    }
}
