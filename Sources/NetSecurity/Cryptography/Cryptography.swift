import NetCore

/// The primitives behind sealed sessions, Digest and signatures.
///
/// SHA-256 and HMAC are this package's own, so that OAuth, AWS signatures and most of Digest need no library. Ciphers, private keys and
/// the rare digests are the system's: CryptoKit on Apple platforms, libcrypto on Linux, loaded at its first use. They have to run in
/// constant time and be maintained by specialists, so they are not implemented here.
enum Cryptography {
    /// The digests that HTTP uses, by OpenSSL's names.
    enum HashFunction: String {
        case md5 = "MD5"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
        case sha512_256 = "SHA512-256"
    }

    enum SignatureAlgorithm: Sendable {
        case ed25519, ecdsaP256
    }

    /// - Throws: ``NetworkError/unsupported(_:)`` if the system does not have the function.
    static func digest(_ data: Data, _ function: HashFunction) throws(NetworkError) -> Data {
        if function == .sha256 { return Data(SHA256.digest(data)) }
        return try systemDigest(data, function)
    }

    static func randomBytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    static func unsupported(_ what: String, _ reason: String) -> NetworkError {
        .unsupported("\(what) is unavailable on this system: \(reason).")
    }

    static func unfitKey(_ algorithm: SignatureAlgorithm) -> RequestBuildingError {
        RequestBuildingError("The private key is not an \(algorithm) key in DER (PKCS#8).")
    }
}

/// The two forms of an ECDSA signature over P-256.
enum ECDSASignature {
    /// Converts `SEQUENCE { INTEGER, INTEGER }` (RFC 3279, section 2.2.3) to the two numbers, 32 bytes each; nil for anything else.
    static func pair(fromDER der: Data) -> Data? {
        var outer = DERReader([UInt8](der))
        guard let sequence = try? outer.next(.sequence, "signature"), outer.isAtEnd else { return nil }
        var numbers = outer.inside(sequence)
        var pair = Data()
        for _ in 0..<2 {
            guard let number = try? numbers.next(.integer, "number"), !number.content.isEmpty else { return nil }
            let digits = numbers.bytes[number.content].drop { $0 == 0 }
            guard digits.count <= 32 else { return nil }
            pair += Data(count: 32 - digits.count) + digits
        }
        return numbers.isAtEnd ? pair : nil
    }
}

#if !os(Linux) && !canImport(CryptoKit)
    // Android has neither CryptoKit nor a libcrypto that programs may load, so everything is refused.
    extension Cryptography {
        static func requireLibrary() throws(NetworkError) {
            throw unsupported("Encryption and signing", "it has neither CryptoKit nor libcrypto")
        }

        static func systemDigest(_ data: Data, _ function: HashFunction) throws(NetworkError) -> Data {
            throw unsupported("This digest", "it has neither CryptoKit nor libcrypto; SHA-256 needs none")
        }

        static func seal(_ plain: Data, key: Data, context: Data) -> Data? { nil }

        static func open(_ sealed: Data, key: Data, context: Data) -> Data? { nil }

        static func sign(_ data: Data, _ algorithm: SignatureAlgorithm, privateKey key: Data) throws -> Data {
            try requireLibrary()
            throw unfitKey(algorithm)
        }
    }
#endif
