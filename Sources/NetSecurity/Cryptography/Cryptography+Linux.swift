#if os(Linux)
    import CSecurity
    import NetCore

    extension Cryptography {
        /// - Throws: ``NetworkError/unsupported(_:)`` with the loader's message if libcrypto cannot be loaded.
        static func requireLibrary() throws(NetworkError) {
            guard let problem = ns_crypto_load() else { return }
            throw unsupported("The system's libcrypto", String(cString: problem))
        }

        static func systemDigest(_ data: Data, _ function: HashFunction) throws(NetworkError) -> Data {
            try requireLibrary()
            var digest = [UInt8](repeating: 0, count: Int(NS_DIGEST_SIZE))
            let size = data.withUnsafeBytes { ns_digest(function.rawValue, $0.baseAddress, $0.count, &digest) }
            guard size > 0 else { throw unsupported(function.rawValue, "libcrypto refuses it") }
            return Data(digest.prefix(size))
        }

        /// Seals with AES-256-GCM: nonce, ciphertext, tag. Nil if libcrypto fails or cannot be loaded.
        static func seal(_ plain: Data, key: Data, context: Data) -> Data? {
            guard ns_crypto_load() == nil, key.count == 32 else { return nil }
            let nonce = [UInt8](randomBytes(Int(NS_NONCE_SIZE)))
            var sealed = [UInt8](repeating: 0, count: plain.count + Int(NS_TAG_SIZE))
            let isFine = ns_seal(
                [UInt8](key), nonce, [UInt8](context), context.count, [UInt8](plain), plain.count, &sealed)
            return isFine ? Data(nonce + sealed) : nil
        }

        /// Opens what was sealed with that key and context; nil for anything else.
        static func open(_ sealed: Data, key: Data, context: Data) -> Data? {
            let nonceSize = Int(NS_NONCE_SIZE)
            let count = sealed.count - nonceSize - Int(NS_TAG_SIZE)
            guard count >= 0, key.count == 32, ns_crypto_load() == nil else { return nil }
            let (nonce, rest) = ([UInt8](sealed.prefix(nonceSize)), [UInt8](sealed.dropFirst(nonceSize)))
            var plain = [UInt8](repeating: 0, count: count + 1)
            let isFine = ns_open([UInt8](key), nonce, [UInt8](context), context.count, rest, rest.count, &plain)
            return isFine ? Data(plain.prefix(count)) : nil
        }

        /// Signs with a key in DER (PKCS#8). An ECDSA signature is the two numbers in a row, as in HTTP and JOSE.
        ///
        /// - Throws: ``NetworkError/unsupported(_:)`` without libcrypto, an error that describes the problem, if the key is of another kind.
        static func sign(_ data: Data, _ algorithm: SignatureAlgorithm, privateKey key: Data) throws -> Data {
            try requireLibrary()
            var signature = [UInt8](repeating: 0, count: 160)
            let bytes = [UInt8](key)
            let size = data.withUnsafeBytes { data in
                ns_sign(
                    algorithm == .ed25519 ? nil : "SHA256", bytes, bytes.count, data.baseAddress, data.count,
                    &signature, signature.count)
            }
            let made = Data(signature.prefix(size))
            switch algorithm {
            case .ed25519 where made.count == 64: return made
            case .ecdsaP256: if let pair = ECDSASignature.pair(fromDER: made) { return pair }
            default: break
            }
            throw unfitKey(algorithm)
        }
    }
#endif
