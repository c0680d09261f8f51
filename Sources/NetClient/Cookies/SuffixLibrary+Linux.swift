#if os(Linux)
    import NetCore

    /// The system's libpsl, loaded when it is first needed: programs run without it.
    struct SuffixLibrary: @unchecked Sendable {
        // Unchecked for the pointers: libpsl only reads what they point to, and nothing ever frees it.
        private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
        private typealias Builtin = @convention(c) () -> OpaquePointer?
        private typealias RegistrableDomain =
            @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> UnsafePointer<CChar>?

        private let list: OpaquePointer
        private let find: RegistrableDomain

        /// Nil if there is no libpsl, or one without a list.
        init?() {
            guard let library = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL),
                let find = dlsym(library, "psl_registrable_domain")
            else { return nil }
            self.find = unsafeBitCast(find, to: RegistrableDomain.self)
            // The list on the disk if it is newer than the one that is compiled in.
            if let latest = dlsym(library, "psl_latest"), let list = unsafeBitCast(latest, to: Latest.self)(nil) {
                self.list = list
            } else if let builtin = dlsym(library, "psl_builtin"), let list = unsafeBitCast(builtin, to: Builtin.self)()
            {
                self.list = list
            } else {
                return nil
            }
        }

        /// - Parameter host: In lower case, without a dot at the end.
        func registrableDomain(of host: String) -> String? {
            // The result points into the argument.
            host.withCString { host in find(list, host).map { String(cString: $0) } }
        }
    }
#endif
