import NetCore

/// The part of OpenSSL that a server needs, loaded when it is first asked for: nothing is linked, nothing is needed to build.
///
/// The names are those of the library, so that its manual pages explain them.
struct OpenSSL: Sendable {
    typealias Object = UnsafeMutableRawPointer
    /// Chooses one of the protocols that the client offers: session, what is chosen and its length, what is offered and its length, context.
    typealias ALPNSelection =
        @convention(c) (
            Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?,
            UInt32, Object?
        ) -> Int32

    let TLS_server_method: @Sendable @convention(c) () -> Object?
    let SSL_CTX_new: @Sendable @convention(c) (Object?) -> Object?
    let SSL_CTX_free: @Sendable @convention(c) (Object?) -> Void
    let SSL_CTX_ctrl: @Sendable @convention(c) (Object?, Int32, Int, Object?) -> Int
    let SSL_CTX_set_alpn_select_cb: @Sendable @convention(c) (Object?, ALPNSelection?, Object?) -> Void
    let SSL_CTX_use_certificate_ASN1: @Sendable @convention(c) (Object?, Int32, UnsafePointer<UInt8>?) -> Int32
    let SSL_CTX_use_PrivateKey: @Sendable @convention(c) (Object?, Object?) -> Int32
    let d2i_X509: @Sendable @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> Object?
    let d2i_AutoPrivateKey:
        @Sendable @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> Object?
    let EVP_PKEY_free: @Sendable @convention(c) (Object?) -> Void
    let SSL_new: @Sendable @convention(c) (Object?) -> Object?
    let SSL_free: @Sendable @convention(c) (Object?) -> Void
    let SSL_set_fd: @Sendable @convention(c) (Object?, Int32) -> Int32
    let SSL_set_accept_state: @Sendable @convention(c) (Object?) -> Void
    let SSL_read: @Sendable @convention(c) (Object?, UnsafeMutableRawPointer?, Int32) -> Int32
    let SSL_write: @Sendable @convention(c) (Object?, UnsafeRawPointer?, Int32) -> Int32
    let SSL_get_error: @Sendable @convention(c) (Object?, Int32) -> Int32
    let SSL_get0_alpn_selected:
        @Sendable @convention(c) (
            Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt32>?
        ) -> Void
    let SSL_pending: @Sendable @convention(c) (Object?) -> Int32
    let SSL_shutdown: @Sendable @convention(c) (Object?) -> Int32
    let ERR_clear_error: @Sendable @convention(c) () -> Void

    /// The library.
    ///
    /// - Throws: ``NetTestingError/unavailable(_:)``, which names the libraries that were looked for.
    static func load() throws -> OpenSSL { try loaded.get() }

    private static let loaded = Result { try OpenSSL() }

    /// Linux's, then where Homebrew keeps its own.
    private static let libraries = [
        "libssl.so.3", "libssl.so.1.1", "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib",
        "/usr/local/opt/openssl@3/lib/libssl.3.dylib",
    ]

    private init() throws {
        guard let library = DynamicLibrary(Self.libraries) else {
            throw NetTestingError.unavailable(
                "MockServer speaks TLS by OpenSSL, and none of \(Self.libraries.joined(separator: ", ")) can be loaded."
            )
        }
        func find<Function>(_ name: String) throws -> Function {
            // Looks in what the library depends on, too: libcrypto.
            guard let symbol = library.symbol(name, as: Function.self) else {
                throw NetTestingError.unavailable("This OpenSSL has no \(name).")
            }
            return symbol
        }
        TLS_server_method = try find("TLS_server_method")
        SSL_CTX_new = try find("SSL_CTX_new")
        SSL_CTX_free = try find("SSL_CTX_free")
        SSL_CTX_ctrl = try find("SSL_CTX_ctrl")
        SSL_CTX_set_alpn_select_cb = try find("SSL_CTX_set_alpn_select_cb")
        SSL_CTX_use_certificate_ASN1 = try find("SSL_CTX_use_certificate_ASN1")
        SSL_CTX_use_PrivateKey = try find("SSL_CTX_use_PrivateKey")
        d2i_X509 = try find("d2i_X509")
        d2i_AutoPrivateKey = try find("d2i_AutoPrivateKey")
        EVP_PKEY_free = try find("EVP_PKEY_free")
        SSL_new = try find("SSL_new")
        SSL_free = try find("SSL_free")
        SSL_set_fd = try find("SSL_set_fd")
        SSL_set_accept_state = try find("SSL_set_accept_state")
        SSL_read = try find("SSL_read")
        SSL_write = try find("SSL_write")
        SSL_get_error = try find("SSL_get_error")
        SSL_get0_alpn_selected = try find("SSL_get0_alpn_selected")
        SSL_pending = try find("SSL_pending")
        SSL_shutdown = try find("SSL_shutdown")
        ERR_clear_error = try find("ERR_clear_error")
    }
}
