#if os(Linux)
    import CLibcurl
    import NetCore

    /// The certificate authorities of a context, as OpenSSL's `X509_STORE`. Contexts of the process share them: 140 authorities take over
    /// 15 ms to parse, and over a megabyte.
    final class TLSAuthorities: @unchecked Sendable {  // OpenSSL locks a store, and `store` never changes.
        let store: OpaquePointer

        private struct Source: Hashable {
            var pem: Data?
            /// Paths with colons between them. OpenSSL reads their files when it needs them, by the hashes in their names.
            var folders = ""
        }

        private static let cache = Locked<[Source: TLSAuthorities]>([:])
        private static let cacheLimit = 4

        /// Returns the authorities of the setting, from the process's cache if the contents are the same as before.
        static func of(_ setting: TransportConfiguration.CertificateAuthorities) throws(TLSFailure) -> TLSAuthorities {
            let (source, name) = try source(of: setting)
            // Contexts that come at the same time share the work, too: the lock is held during it.
            return try cache.withLock { cache throws(TLSFailure) in
                if let known = cache[source] { return known }
                let made = try TLSAuthorities(source, name: name)
                if cache.count >= cacheLimit { cache = [:] }
                cache[source] = made
                return made
            }
        }

        private init(_ source: Source, name: String) throws(TLSFailure) {
            guard let store = nc_tls.X509_STORE_new() else { throw .outOfMemory }
            self.store = store
            // An intermediate certificate among the authorities is trusted as a root, as with libcurl.
            _ = nc_tls.X509_STORE_set_flags(store, UInt(NC_TLS_STORE_PARTIAL_CHAIN))
            if !source.folders.isEmpty { _ = nc_tls.X509_STORE_load_locations(store, nil, source.folders) }
            guard let pem = source.pem else { return }
            let (certificates, error) = PEM.certificates(in: pem)
            defer { for certificate in certificates { nc_tls.X509_free(certificate) } }
            if let error {
                throw TLSFailure(
                    .certificateAuthoritiesUnreadable, "\(name) has no valid certificates in PEM (\(error.text)).")
            }
            for certificate in certificates where nc_tls.X509_STORE_add_cert(store, certificate) != 1 {
                throw .outOfMemory
            }
        }

        deinit { nc_tls.X509_STORE_free(store) }

        /// Returns what to read, and its name in messages.
        private static func source(
            of setting: TransportConfiguration.CertificateAuthorities
        ) throws(TLSFailure) -> (Source, String) {
            switch setting {
            case .only(let pem): return (Source(pem: pem), "The setting certificateAuthorities")
            case .onlyFile(let url): return try source(file: url.path, folders: "")
            case .system:
                // The variables replace the system's authorities.
                let environment = ProcessInfo.processInfo.environment
                let (file, folders) = (environment["SSL_CERT_FILE"] ?? "", environment["SSL_CERT_DIR"] ?? "")
                if !file.isEmpty || !folders.isEmpty { return try source(file: file, folders: folders) }
                let places = Self.places + [String(cString: nc_tls.X509_get_default_cert_file())]
                return try source(file: places.first { access($0, R_OK) == 0 } ?? places[0], folders: "")
            }
        }

        /// The files of Debian and Alpine; Fedora; openSUSE; older versions of Fedora and Alpine.
        private static let places = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
        ]

        private static func source(file: String, folders: String) throws(TLSFailure) -> (Source, String) {
            if !folders.isEmpty,
                !folders.split(separator: ":").contains(where: { access(String($0), R_OK | X_OK) == 0 })
            {
                throw unreadable("The folder of certificate authorities \(folders)", errno)
            }
            let name = "The file of certificate authorities \(file)"
            if file.isEmpty { return (Source(folders: folders), name) }
            do {
                return (Source(pem: try Data(contentsOf: URL(fileURLWithPath: file)), folders: folders), name)
            } catch {
                throw unreadable(name, ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue ?? EIO)
            }
        }

        private static func unreadable(_ what: String, _ error: Int32) -> TLSFailure {
            TLSFailure(
                .certificateAuthoritiesUnreadable, "\(what) cannot be read: \(String(cString: strerror(error))).",
                osError: error)
        }
    }
#endif
