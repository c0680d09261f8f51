import NetCore

/// A certificate and its key for TLS connections, and the certificates that clients may show.
final class TLSContext: Sendable {
    private let openSSL: OpenSSL
    /// OpenSSL counts references to it and locks it.
    private nonisolated(unsafe) let context: OpenSSL.Object

    /// - Throws: ``NetTestingError/unavailable(_:)`` without OpenSSL, or if it does not accept the certificate or the key.
    init(
        _ certificate: MockCertificate, clients: MockCertificate.ClientPolicy, versions: MockHTTPVersions
    ) throws {
        openSSL = try OpenSSL.load()
        guard let context = openSSL.SSL_CTX_new(openSSL.TLS_server_method()) else {
            throw NetTestingError.unavailable("OpenSSL gives no context.")
        }
        self.context = context
        // SSL_MODE_ENABLE_PARTIAL_WRITE and SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER.
        _ = openSSL.SSL_CTX_ctrl(context, Self.setMode, 0x1 | 0x2, nil)
        ALPN.install(versions, on: context, openSSL)
        let chain = PEM.blocks(certificate.certificate)
        guard let leaf = chain.first, let key = PEM.blocks(certificate.privateKey).last,
            withCertificate(leaf, { openSSL.SSL_CTX_use_certificate(context, $0) == 1 }),
            with(
                key, openSSL.d2i_AutoPrivateKey, openSSL.EVP_PKEY_free,
                { openSSL.SSL_CTX_use_PrivateKey(context, $0) == 1 })
        else {
            throw NetTestingError.unavailable("OpenSSL does not accept the certificate and its key. Are they PEM?")
        }
        let add = { [openSSL] in openSSL.SSL_CTX_ctrl(context, Self.addChainCertificate, 1, $0) == 1 }
        for intermediate in chain.dropFirst() where !withCertificate(intermediate, add) {
            throw NetTestingError.unavailable("OpenSSL does not accept an intermediate certificate.")
        }
        switch clients {
        case .notRequested: break
        case .requested(let authority): try ask(for: authority, mode: 0x1)
        case .required(let authority): try ask(for: authority, mode: 0x1 | 0x2)
        }
    }

    deinit { openSSL.SSL_CTX_free(context) }

    /// Returns the server's end of TLS over a connected socket.
    func session(over socket: Socket) -> TLSSession? { TLSSession(openSSL, context, socket.descriptor) }

    private static let setMode: Int32 = 33
    private static let addChainCertificate: Int32 = 89

    /// Requests a certificate that these authorities issued.
    ///
    /// - Parameter mode: SSL_VERIFY_PEER, perhaps with SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
    private func ask(for authorities: Data, mode: Int32) throws {
        let blocks = PEM.blocks(authorities)
        guard !blocks.isEmpty, blocks.allSatisfy(trust) else {
            throw NetTestingError.unavailable("OpenSSL does not accept the authority of the clients. Is it PEM?")
        }
        // Without a name, OpenSSL refuses clients that resume a session (SSL_CTX_set_session_id_context).
        let name = Array("MockServer".utf8)
        _ = openSSL.SSL_CTX_set_session_id_context(context, name, UInt32(name.count))
        openSSL.SSL_CTX_set_verify(context, mode, nil)
    }

    private func trust(_ der: Data) -> Bool {
        withCertificate(der) {
            openSSL.X509_STORE_add_cert(openSSL.SSL_CTX_get_cert_store(context), $0) == 1
                && openSSL.SSL_CTX_add_client_CA(context, $0) == 1
        }
    }

    private func withCertificate(_ der: Data, _ body: (OpenSSL.Object) -> Bool) -> Bool {
        with(der, openSSL.d2i_X509, openSSL.X509_free, body)
    }

    /// Parses an object, passes it to the closure, and frees it. Returns false if the bytes are malformed.
    private func with(
        _ der: Data, _ parse: OpenSSL.Parse, _ free: OpenSSL.Free, _ body: (OpenSSL.Object) -> Bool
    ) -> Bool {
        der.withUnsafeBytes { bytes in
            var position = bytes.bindMemory(to: UInt8.self).baseAddress
            guard let object = parse(nil, &position, bytes.count) else { return false }
            defer { free(object) }
            return body(object)
        }
    }
}

/// TLS on one connection. It lives on the loop thread, which blocks signals, since OpenSSL's writes may raise `SIGPIPE`.
final class TLSSession {
    private let openSSL: OpenSSL
    private let session: OpenSSL.Object
    /// Whether there was a fatal error, after which the session can only be freed.
    private(set) var isBroken = false

    fileprivate init?(_ openSSL: OpenSSL, _ context: OpenSSL.Object, _ descriptor: Int32) {
        guard let session = openSSL.SSL_new(context) else { return nil }
        self.openSSL = openSSL
        self.session = session
        guard openSSL.SSL_set_fd(session, descriptor) == 1 else { return nil }
        openSSL.SSL_set_accept_state(session)
    }

    deinit { openSSL.SSL_free(session) }

    /// Whether there are bytes that `poll` does not report, since they were read from the socket.
    var hasPendingBytes: Bool { !isBroken && openSSL.SSL_pending(session) > 0 }

    /// The protocol that ALPN chose; nil before the handshake, and if the client offered none.
    var applicationProtocol: String? { isBroken ? nil : ALPN.chosen(on: session, openSSL) }

    /// The certificate that the client showed, in DER. Nil before the handshake.
    var clientCertificate: Data? {
        guard !isBroken, let certificate = openSSL.SSL_get1_peer_certificate(session) else { return nil }
        defer { openSSL.X509_free(certificate) }
        var der = Data(count: Int(max(0, openSSL.i2d_X509(certificate, nil))))
        let count = der.withUnsafeMutableBytes { bytes in
            var position = bytes.bindMemory(to: UInt8.self).baseAddress
            return position == nil ? 0 : openSSL.i2d_X509(certificate, &position)
        }
        return count > 0 ? der : nil
    }

    /// Reads decrypted bytes. The first calls do the handshake.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Outcome {
        perform { openSSL.SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Socket.Outcome {
        perform { openSSL.SSL_write(session, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    /// Sends close_notify, which tells the end of a body from a cut connection (RFC 8446, section 6.1).
    func closeWriting() {
        guard !isBroken else { return }
        openSSL.ERR_clear_error()
        _ = openSSL.SSL_shutdown(session)
        openSSL.ERR_clear_error()
    }

    private func perform(_ call: () -> Int32) -> Socket.Outcome {
        guard !isBroken else { return .failed(0) }
        // The queue of errors belongs to the thread, and an error of another connection would be taken for this one's.
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

/// The choice between `h2` and `http/1.1` in the TLS handshake (RFC 7301).
enum ALPN {
    /// Sets the choice for the versions. A server of HTTP/1.1 alone does not answer an offer.
    static func install(_ versions: MockHTTPVersions, on context: OpenSSL.Object, _ openSSL: OpenSSL) {
        switch versions {
        case .http1Only: break
        case .automatic:
            openSSL.SSL_CTX_set_alpn_select_cb(
                context, { ALPN.select(["h2", "http/1.1"], $1, $2, from: $3, count: $4, context: $5) }, nil)
        case .http2Only:
            openSSL.SSL_CTX_set_alpn_select_cb(
                context, { ALPN.select(["h2"], $1, $2, from: $3, count: $4, context: $5) }, nil)
        }
    }

    static func chosen(on session: OpenSSL.Object, _ openSSL: OpenSSL) -> String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        openSSL.SSL_get0_alpn_selected(session, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Chooses the first of these names that the client offers, or ends the handshake if it offers none.
    private static func select(
        _ names: [String], _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ length: UnsafeMutablePointer<UInt8>?, from offered: UnsafePointer<UInt8>?, count: UInt32,
        context: OpenSSL.Object?
    ) -> Int32 {
        let (accepts, refuses): (Int32, Int32) = (0, 2)
        guard let offered, let chosen, let length else { return refuses }
        let bytes = UnsafeBufferPointer(start: offered, count: Int(count))
        for name in names {
            var position = 0
            while position < bytes.count {
                let size = Int(bytes[position])
                guard size < bytes.count - position else { return refuses }
                if bytes[(position + 1)...].prefix(size).elementsEqual(name.utf8) {
                    // OpenSSL copies the name from the client's list.
                    chosen.pointee = offered + position + 1
                    length.pointee = bytes[position]
                    return accepts
                }
                position += 1 + size
            }
        }
        return refuses
    }
}

/// The functions of OpenSSL that a server needs, under their own names. The library is loaded on first use and not needed to build.
struct OpenSSL: Sendable {
    typealias Object = UnsafeMutableRawPointer
    typealias Free = @Sendable @convention(c) (Object?) -> Void
    /// Reads DER, and moves the position behind it.
    typealias Parse =
        @Sendable @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> Object?
    /// Chooses a protocol: session, the chosen name and its length, the offered names and their length, context.
    typealias ALPNSelection =
        @convention(c) (
            Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?,
            UInt32, Object?
        ) -> Int32

    let TLS_server_method: @Sendable @convention(c) () -> Object? = find("TLS_server_method")
    let SSL_CTX_new: @Sendable @convention(c) (Object?) -> Object? = find("SSL_CTX_new")
    let SSL_CTX_free: Free = find("SSL_CTX_free")
    let SSL_CTX_ctrl: @Sendable @convention(c) (Object?, Int32, Int, Object?) -> Int = find("SSL_CTX_ctrl")
    let SSL_CTX_set_alpn_select_cb: @Sendable @convention(c) (Object?, ALPNSelection?, Object?) -> Void = find(
        "SSL_CTX_set_alpn_select_cb")
    let SSL_CTX_use_certificate: @Sendable @convention(c) (Object?, Object?) -> Int32 = find("SSL_CTX_use_certificate")
    let SSL_CTX_use_PrivateKey: @Sendable @convention(c) (Object?, Object?) -> Int32 = find("SSL_CTX_use_PrivateKey")
    let d2i_X509: Parse = find("d2i_X509")
    let d2i_AutoPrivateKey:
        @Sendable @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> Object? = find(
            "d2i_AutoPrivateKey")
    let X509_free: Free = find("X509_free")
    let i2d_X509: @Sendable @convention(c) (Object?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32 =
        find("i2d_X509")
    let SSL_CTX_get_cert_store: @Sendable @convention(c) (Object?) -> Object? = find("SSL_CTX_get_cert_store")
    let X509_STORE_add_cert: @Sendable @convention(c) (Object?, Object?) -> Int32 = find("X509_STORE_add_cert")
    let SSL_CTX_add_client_CA: @Sendable @convention(c) (Object?, Object?) -> Int32 = find("SSL_CTX_add_client_CA")
    let SSL_CTX_set_verify: @Sendable @convention(c) (Object?, Int32, Object?) -> Void = find("SSL_CTX_set_verify")
    let SSL_CTX_set_session_id_context: @Sendable @convention(c) (Object?, UnsafePointer<UInt8>?, UInt32) -> Int32 =
        find("SSL_CTX_set_session_id_context")
    let EVP_PKEY_free: Free = find("EVP_PKEY_free")
    let SSL_new: @Sendable @convention(c) (Object?) -> Object? = find("SSL_new")
    let SSL_free: Free = find("SSL_free")
    let SSL_set_fd: @Sendable @convention(c) (Object?, Int32) -> Int32 = find("SSL_set_fd")
    let SSL_set_accept_state: @Sendable @convention(c) (Object?) -> Void = find("SSL_set_accept_state")
    let SSL_read: @Sendable @convention(c) (Object?, UnsafeMutableRawPointer?, Int32) -> Int32 = find("SSL_read")
    let SSL_write: @Sendable @convention(c) (Object?, UnsafeRawPointer?, Int32) -> Int32 = find("SSL_write")
    let SSL_get_error: @Sendable @convention(c) (Object?, Int32) -> Int32 = find("SSL_get_error")
    let SSL_get0_alpn_selected:
        @Sendable @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt32>?)
            -> Void = find("SSL_get0_alpn_selected")
    /// Named `SSL_get_peer_certificate` in OpenSSL 1.1.
    let SSL_get1_peer_certificate: @Sendable @convention(c) (Object?) -> Object? = find(
        "SSL_get1_peer_certificate", or: "SSL_get_peer_certificate")
    let SSL_pending: @Sendable @convention(c) (Object?) -> Int32 = find("SSL_pending")
    let SSL_shutdown: @Sendable @convention(c) (Object?) -> Int32 = find("SSL_shutdown")
    let ERR_clear_error: @Sendable @convention(c) () -> Void = find("ERR_clear_error")

    /// - Throws: ``NetTestingError/unavailable(_:)``, which names the libraries that were tried, or a missing function.
    static func load() throws -> OpenSSL { try loaded.get() }

    private static let loaded = Result {
        guard library != nil else {
            throw NetTestingError.unavailable(
                "MockServer speaks TLS by OpenSSL, and none of \(libraries.joined(separator: ", ")) can be loaded.")
        }
        let functions = OpenSSL()
        if let name = missing.withLock({ $0 }) { throw NetTestingError.unavailable("This OpenSSL has no \(name).") }
        return functions
    }

    /// The names on Linux, then the paths of Homebrew.
    private static let libraries = [
        "libssl.so.3", "libssl.so.1.1", "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib",
        "/usr/local/opt/openssl@3/lib/libssl.3.dylib",
    ]

    private static let library = DynamicLibrary(libraries)
    /// The name of a function that was not found.
    private static let missing = Locked<String?>(nil)

    private init() {}

    /// Returns a function of the library, or of libcrypto, on which it depends.
    private static func find<Function>(_ name: String, or older: String? = nil) -> Function {
        let found = [name, older].lazy.compactMap { $0 }.compactMap { library?.symbol($0, as: Function.self) }.first
        if let found { return found }
        missing.withLock { $0 = name }
        // Never called, since ``load()`` throws.
        let placeholder: @convention(c) () -> Void = {}
        return unsafeBitCast(placeholder, to: Function.self)
    }
}
