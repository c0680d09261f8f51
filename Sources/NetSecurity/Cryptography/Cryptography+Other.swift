#if !os(Linux) && !canImport(CryptoKit)
    import NetCore

    /// Where there is neither CryptoKit nor a libcrypto that programs may load (Android): all is refused.
    extension Cryptography {
        /// - Throws: ``NetworkError/unsupported(_:)``, always.
        static func requireLibrary() throws(NetworkError) {
            throw unsupported("Encryption and signing", "there is neither CryptoKit nor libcrypto")
        }

        static func systemDigest(_ data: Data, _ function: HashFunction) throws(NetworkError) -> Data {
            throw unsupported("This digest", "there is neither CryptoKit nor libcrypto; SHA-256 needs none")
        }

        static func seal(_ plain: Data, key: Data, context: Data) -> Data? { nil }

        static func open(_ sealed: Data, key: Data, context: Data) -> Data? { nil }

        static func sign(_ data: Data, _ algorithm: SignatureAlgorithm, privateKey key: Data) throws -> Data {
            try requireLibrary()
            throw unfitKey(algorithm)
        }
    }
#endif
