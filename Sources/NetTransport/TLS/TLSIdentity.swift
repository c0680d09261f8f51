#if os(Linux)
    import CLibcurl
    import NetCore

    /// A client's certificate, its chain and its key.
    final class TLSIdentity: @unchecked Sendable {  // Nothing changes it, and OpenSSL counts references atomically.
        private let certificates: [OpaquePointer]
        private let key: OpaquePointer

        init(_ certificate: TransportConfiguration.ClientCertificate) throws(TLSFailure) {
            var (found, key): ([OpaquePointer], OpaquePointer?)
            var error: OpenSSLError?
            switch certificate {
            case .pem(let certificate, let keyPEM, let password):
                (found, error) = PEM.certificates(in: certificate)
                key = error == nil ? PEM.key(in: keyPEM, password: password ?? "") : nil
            case .pkcs12(let archive, let password): (found, key) = PKCS12.read(archive, password: password ?? "")
            }
            guard let key, !found.isEmpty else {
                error = error ?? .take()
                for certificate in found { nc_tls.X509_free(certificate) }
                nc_tls.EVP_PKEY_free(key)
                throw Self.unusable("cannot be read. Check its format, its key and its password", error)
            }
            (self.certificates, self.key) = (found, key)
        }

        deinit {
            for certificate in certificates { nc_tls.X509_free(certificate) }
            nc_tls.EVP_PKEY_free(key)
        }

        /// Has a session show the certificate. Throws if the key belongs to another one, or is too weak for OpenSSL's settings.
        func use(on ssl: OpaquePointer) throws(TLSFailure) {
            nc_tls.ERR_clear_error()
            guard let chain = nc_tls.OPENSSL_sk_new_null() else { throw .outOfMemory }
            defer { nc_tls.OPENSSL_sk_free(chain) }
            for certificate in certificates.dropFirst() {
                _ = nc_tls.OPENSSL_sk_push(chain, UnsafeRawPointer(certificate))
            }
            guard nc_tls.SSL_use_cert_and_key(ssl, certificates[0], key, chain, 1) == 1 else {
                throw Self.unusable("cannot be used with its key", .take())
            }
        }

        private static func unusable(_ what: String, _ error: OpenSSLError?) -> TLSFailure {
            TLSFailure(
                .clientCertificateRejected, "The client certificate \(what)\(error.map { " (\($0.text))" } ?? "").")
        }
    }

    /// Reads PEM (RFC 7468). Without a password, OpenSSL would ask for it on the terminal.
    enum PEM {
        /// Returns the certificates, which the caller frees, and an error if there is none or one is malformed.
        static func certificates(in pem: Data) -> ([OpaquePointer], OpenSSLError?) {
            let bio = bio(pem)
            defer { _ = nc_tls.BIO_free(bio) }
            var certificates: [OpaquePointer] = []
            while let bio, let certificate = nc_tls.PEM_read_bio_X509_AUX(bio, nil, nil, "") {
                certificates.append(certificate)
            }
            guard let error = OpenSSLError.take(), !error.isEndOfPEM || certificates.isEmpty else {
                return (certificates, nil)
            }
            for certificate in certificates { nc_tls.X509_free(certificate) }
            return ([], error)
        }

        static func key(in pem: Data, password: String) -> OpaquePointer? {
            let bio = bio(pem)
            defer { _ = nc_tls.BIO_free(bio) }
            return bio.flatMap { nc_tls.PEM_read_bio_PrivateKey($0, nil, nil, password) }
        }

        private static func bio(_ pem: Data) -> OpaquePointer? {
            nc_tls.ERR_clear_error()
            let bio = nc_tls.BIO_new(nc_tls.BIO_s_mem())
            if let bio { pem.withUnsafeBytes { _ = nc_tls.BIO_write(bio, $0.baseAddress, Int32(clamping: $0.count)) } }
            return bio
        }
    }

    /// Reads archives of a key and certificates (RFC 7292).
    enum PKCS12 {
        /// Returns the certificates, the key's first, and the key, which the caller frees. Without a key, the error is in OpenSSL's queue.
        static func read(_ data: Data, password: String) -> ([OpaquePointer], OpaquePointer?) {
            nc_tls.ERR_clear_error()
            let archive = data.withUnsafeBytes { bytes in
                var start = bytes.bindMemory(to: UInt8.self).baseAddress
                return nc_tls.d2i_PKCS12(nil, &start, bytes.count)
            }
            guard let archive else { return ([], nil) }
            defer { nc_tls.PKCS12_free(archive) }
            var (key, leaf, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
            if nc_tls.PKCS12_parse(archive, password, &key, &leaf, &others) != 1 {
                // OpenSSL 3 has moved the ciphers of old archives to a provider. It is not left loaded for the rest of the process.
                guard let legacy = nc_tls.OSSL_PROVIDER_try_load?(nil, "legacy", 1) else { return ([], nil) }
                defer { _ = nc_tls.OSSL_PROVIDER_unload?(legacy) }
                nc_tls.ERR_clear_error()
                guard nc_tls.PKCS12_parse(archive, password, &key, &leaf, &others) == 1 else { return ([], nil) }
            }
            defer { nc_tls.OPENSSL_sk_free(others) }
            return ((leaf.map { [$0] } ?? []) + DER.items(of: others), key)
        }
    }

    enum DER {
        /// The pointers in one of OpenSSL's lists.
        static func items(of stack: OpaquePointer?) -> [OpaquePointer] {
            guard let stack else { return [] }
            return (0..<max(0, nc_tls.OPENSSL_sk_num(stack))).compactMap { index in
                nc_tls.OPENSSL_sk_value(stack, index).map { OpaquePointer($0) }
            }
        }

        static func bytes(of certificate: OpaquePointer) -> Data {
            var data = Data(count: max(0, Int(nc_tls.i2d_X509(certificate, nil))))
            data.withUnsafeMutableBytes { bytes in
                var start = bytes.bindMemory(to: UInt8.self).baseAddress
                if start != nil { _ = nc_tls.i2d_X509(certificate, &start) }
            }
            return data
        }

        /// Returns a certificate, which the caller frees.
        static func certificate(_ data: Data) -> OpaquePointer? {
            data.withUnsafeBytes { bytes in
                var start = bytes.bindMemory(to: UInt8.self).baseAddress
                return start == nil ? nil : nc_tls.d2i_X509(nil, &start, bytes.count)
            }
        }
    }
#endif
