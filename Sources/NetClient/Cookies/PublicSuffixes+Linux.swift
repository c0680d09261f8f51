#if os(Linux)

    /// The system's libpsl, loaded at the first use. Programs run without it.
    struct SuffixLibrary: @unchecked Sendable {
        // Unchecked for the pointers: libpsl only reads the list, and nothing frees it.
        private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
        private typealias Builtin = @convention(c) () -> OpaquePointer?
        private typealias RegistrableDomain =
            @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> UnsafePointer<CChar>?

        private let list: OpaquePointer
        private let find: RegistrableDomain

        /// Nil if there is no libpsl, or one without a list.
        init?() {
            guard let library = DynamicLibrary(["libpsl.so.5"]),
                let find = library.symbol("psl_registrable_domain", as: RegistrableDomain.self)
            else { return nil }
            self.find = find
            // The list on disk if it is newer than the one that is compiled in.
            let list =
                library.symbol("psl_latest", as: Latest.self)?(nil)
                ?? library.symbol("psl_builtin", as: Builtin.self)?()
            guard let list else { return nil }
            self.list = list
        }

        /// - Parameter host: In lower case, without a dot at the end.
        func registrableDomain(of host: String) -> String? {
            // The result points into the argument.
            host.withCString { host in find(list, host).map { String(cString: $0) } }
        }
    }
#endif
