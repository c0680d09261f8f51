#if canImport(CryptoKit)
    import CryptoKit
    import NetCore

    extension Cryptography {
        /// Does nothing: CryptoKit is part of the system.
        static func requireLibrary() throws(NetworkError) {}

        static func systemDigest(_ data: Data, _ function: HashFunction) throws(NetworkError) -> Data {
            switch function {
            case .md5: Data(Insecure.MD5.hash(data: data))
            case .sha256: Data(CryptoKit.SHA256.hash(data: data))
            case .sha512: Data(CryptoKit.SHA512.hash(data: data))
            case .sha512_256: throw unsupported("SHA-512/256", "CryptoKit does not have it")
            }
        }

        /// Seals with AES-256-GCM: nonce, ciphertext, tag. Nil if CryptoKit fails.
        static func seal(_ plain: Data, key: Data, context: Data) -> Data? {
            try? AES.GCM.seal(plain, using: SymmetricKey(data: key), authenticating: context).combined
        }

        /// Opens what was sealed with that key and context; nil for anything else.
        static func open(_ sealed: Data, key: Data, context: Data) -> Data? {
            guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
            return try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: context)
        }

        /// Signs with a key in DER (PKCS#8). An ECDSA signature is the two numbers in a row, as in HTTP and JOSE.
        ///
        /// - Throws: an error that describes the problem, if the key is of another kind.
        static func sign(_ data: Data, _ algorithm: SignatureAlgorithm, privateKey key: Data) throws -> Data {
            switch algorithm {
            case .ed25519:
                // CryptoKit does not read PKCS#8 for this curve. The key is the last 32 bytes (RFC 8410, section 7).
                guard key.count == 48, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: key.suffix(32))
                else { throw unfitKey(algorithm) }
                return try key.signature(for: data)
            case .ecdsaP256:
                guard let key = try? P256.Signing.PrivateKey(derRepresentation: key) else { throw unfitKey(algorithm) }
                return try key.signature(for: data).rawRepresentation
            }
        }
    }
#endif
