#if os(Linux)
    import CLibcurl
    import NetCore

    extension TLSContext {
        /// The certificates of a server beyond which nothing is proven.
        private static let certificateLimit = 16

        /// Returns the first certificate, and each of the others that makes the first one valid if it is the only authority.
        ///
        /// A server can send any certificates after its own. An attacker whose authority the device trusts could add the certificates of
        /// the real server, and so match pins of those. Without OpenSSL nothing can be proven, and only the first certificate is left.
        static func proving(_ certificates: [Data]) -> [Data] {
            guard let first = certificates.first, certificates.count > 1 else { return certificates }
            guard problem == nil, certificates.count <= certificateLimit, let others = nc_tls.OPENSSL_sk_new_null()
            else { return [first] }
            defer { nc_tls.OPENSSL_sk_free(others) }
            let parsed = certificates.map(DER.certificate)
            defer {
                for certificate in parsed { nc_tls.X509_free(certificate) }
                nc_tls.ERR_clear_error()
            }
            guard let leaf = parsed[0], !parsed.contains(nil) else { return [first] }
            for certificate in parsed.compactMap({ $0 }) {
                guard nc_tls.OPENSSL_sk_push(others, UnsafeRawPointer(certificate)) > 0 else { return [first] }
            }
            let proving = zip(certificates, parsed).dropFirst().filter { certificate, anchor in
                anchor.map { certificate != first && verifies(leaf, anchor: $0, others: others) } ?? false
            }
            return [first] + proving.map(\.0)
        }

        private static func verifies(_ leaf: OpaquePointer, anchor: OpaquePointer, others: OpaquePointer) -> Bool {
            let (store, proof) = (nc_tls.X509_STORE_new(), nc_tls.X509_STORE_CTX_new())
            defer {
                nc_tls.X509_STORE_CTX_free(proof)
                nc_tls.X509_STORE_free(store)
            }
            guard let store, let proof else { return false }
            return nc_tls.X509_STORE_add_cert(store, anchor) == 1
                // Otherwise only a root can be an anchor.
                && nc_tls.X509_STORE_set_flags(store, UInt(NC_TLS_STORE_PARTIAL_CHAIN)) == 1
                && nc_tls.X509_STORE_CTX_init(proof, store, leaf, others) == 1
                && nc_tls.X509_STORE_CTX_set_default(proof, "ssl_server") == 1 && nc_tls.X509_verify_cert(proof) == 1
        }
    }
#endif
