import NetCore

/// A certificate and its key for TLS connections, and the certificates that clients may show.
final class TLSContext: Sendable {
    private let openSSL: OpenSSL
    /// OpenSSL counts references to it and locks it.
    private nonisolated(unsafe) let context: OpenSSL.Object

    /// - Throws: ``NetTestingError/unavailable(_:)`` without OpenSSL, or if it does not accept the certificate or the key.
    init(_ certificate: MockCertificate, clients: MockCertificate.ClientPolicy, versions: MockHTTPVersions) throws {
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

    /// Returns a new session, the server's end of TLS, or nil if OpenSSL gives none.
    func makeSession() -> Channel.Session? { openSSL.SSL_new(context).map { (openSSL, $0) } }

    private static let setMode: Int32 = 33
    private static let addChainCertificate: Int32 = 89

    /// Requests a certificate that these authorities issued. The mode is SSL_VERIFY_PEER, perhaps with SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
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

/// The choice between `h2` and `http/1.1` in the TLS handshake (RFC 7301).
enum ALPN {
    /// The names, each behind its length.
    private static let names: StaticString = "\u{2}h2\u{8}http/1.1"

    /// Sets the choice: the first name that the client offers, or the end of the handshake. A server of HTTP/1.1 alone answers no offer.
    static func install(_ versions: MockHTTPVersions, on context: OpenSSL.Object, _ openSSL: OpenSSL) {
        guard versions != .http1Only else { return }
        let count = versions == .http2Only ? "\u{2}h2".utf8.count : names.utf8CodeUnitCount
        let select: OpenSSL.ALPNSelection = { _, chosen, length, offered, offeredCount, count in
            let (accepts, refuses, negotiated): (Int32, Int32, Int32) = (0, 2, 1)
            guard let openSSL = try? OpenSSL.load() else { return refuses }
            let result = openSSL.SSL_select_next_proto(
                chosen, length, ALPN.names.utf8Start, UInt32(UInt(bitPattern: count)), offered, offeredCount)
            return result == negotiated ? accepts : refuses
        }
        openSSL.SSL_CTX_set_alpn_select_cb(context, select, OpenSSL.Object(bitPattern: count))
    }

    static func chosen(on session: OpenSSL.Object, _ openSSL: OpenSSL) -> String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        openSSL.SSL_get0_alpn_selected(session, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }
}

/// The functions of OpenSSL that a server needs, under their own names. The library is loaded on first use and not needed to build.
struct OpenSSL: Sendable {
    typealias Object = UnsafeMutableRawPointer
    typealias Free = @Sendable @convention(c) (Object?) -> Void
    typealias Get = @Sendable @convention(c) (Object?) -> Object?
    typealias Ask = @Sendable @convention(c) (Object?) -> Int32
    typealias Use = @Sendable @convention(c) (Object?, Object?) -> Int32
    typealias Name = UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    /// Reads DER, and moves the position behind it.
    typealias Parse =
        @Sendable @convention(c) (Object?, Name, Int) -> Object?
    /// Chooses a protocol: session, the chosen name and its length, the offered names and their length, context.
    typealias ALPNSelection =
        @convention(c) (Object?, Name, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, UInt32, Object?) -> Int32

    let TLS_server_method: @Sendable @convention(c) () -> Object? = find("TLS_server_method")
    let SSL_CTX_new: Get = find("SSL_CTX_new")
    let SSL_CTX_free: Free = find("SSL_CTX_free")
    let SSL_CTX_ctrl: @Sendable @convention(c) (Object?, Int32, Int, Object?) -> Int = find("SSL_CTX_ctrl")
    let SSL_CTX_set_alpn_select_cb: @Sendable @convention(c) (Object?, ALPNSelection?, Object?) -> Void = find(
        "SSL_CTX_set_alpn_select_cb")
    let SSL_select_next_proto:
        @Sendable @convention(c) (
            Name, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, UInt32, UnsafePointer<UInt8>?, UInt32
        ) -> Int32 = find("SSL_select_next_proto")
    let SSL_CTX_use_certificate: Use = find("SSL_CTX_use_certificate")
    let SSL_CTX_use_PrivateKey: Use = find("SSL_CTX_use_PrivateKey")
    let d2i_X509: Parse = find("d2i_X509")
    let d2i_AutoPrivateKey: Parse = find("d2i_AutoPrivateKey")
    let X509_free: Free = find("X509_free")
    let i2d_X509: @Sendable @convention(c) (Object?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32 =
        find("i2d_X509")
    let SSL_CTX_get_cert_store: Get = find("SSL_CTX_get_cert_store")
    let X509_STORE_add_cert: Use = find("X509_STORE_add_cert")
    let SSL_CTX_add_client_CA: Use = find("SSL_CTX_add_client_CA")
    let SSL_CTX_set_verify: @Sendable @convention(c) (Object?, Int32, Object?) -> Void = find("SSL_CTX_set_verify")
    let SSL_CTX_set_session_id_context: @Sendable @convention(c) (Object?, UnsafePointer<UInt8>?, UInt32) -> Int32 =
        find("SSL_CTX_set_session_id_context")
    let EVP_PKEY_free: Free = find("EVP_PKEY_free")
    let SSL_new: Get = find("SSL_new")
    let SSL_free: Free = find("SSL_free")
    let SSL_set_fd: @Sendable @convention(c) (Object?, Int32) -> Int32 = find("SSL_set_fd")
    let SSL_set_accept_state: @Sendable @convention(c) (Object?) -> Void = find("SSL_set_accept_state")
    let SSL_read: @Sendable @convention(c) (Object?, UnsafeMutableRawPointer?, Int32) -> Int32 = find("SSL_read")
    let SSL_write: @Sendable @convention(c) (Object?, UnsafeRawPointer?, Int32) -> Int32 = find("SSL_write")
    let SSL_get_error: @Sendable @convention(c) (Object?, Int32) -> Int32 = find("SSL_get_error")
    let SSL_get0_alpn_selected: @Sendable @convention(c) (Object?, Name, UnsafeMutablePointer<UInt32>?) -> Void = find(
        "SSL_get0_alpn_selected")
    /// Named `SSL_get_peer_certificate` in OpenSSL 1.1.
    let SSL_get1_peer_certificate: Get = find("SSL_get1_peer_certificate", or: "SSL_get_peer_certificate")
    let SSL_pending: Ask = find("SSL_pending")
    let SSL_shutdown: Ask = find("SSL_shutdown")
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
