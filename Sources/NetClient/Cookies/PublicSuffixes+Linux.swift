#if os(Linux)
    extension PublicSuffixes {
        private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
        private typealias Builtin = @convention(c) () -> OpaquePointer?
        private typealias RegistrableDomain =
            @convention(c) @Sendable (OpaquePointer?, UnsafePointer<CChar>?) -> UnsafePointer<CChar>?

        /// The list of the system's libpsl, which is loaded at run time. Nil if there is no libpsl, or one without a list.
        static func ofLibrary() -> PublicSuffixes? {
            // The list on disk if it is newer than the one that is compiled in.
            guard let library = DynamicLibrary(["libpsl.so.5"]),
                let find = library.symbol("psl_registrable_domain", as: RegistrableDomain.self),
                let list = library.symbol("psl_latest", as: Latest.self)?(nil)
                    ?? library.symbol("psl_builtin", as: Builtin.self)?()
            else { return nil }
            // Safe: libpsl only reads the list, and nothing frees it.
            nonisolated(unsafe) let suffixes = list
            return PublicSuffixes { host in
                // The result points into the argument.
                host.withCString { host in find(suffixes, host).map { String(cString: $0) } }
            }
        }
    }
#endif
