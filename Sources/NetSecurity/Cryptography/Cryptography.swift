import NetCore

/// The primitives behind sealed sessions, Digest and signatures.
///
/// SHA-256 and what is built on it (HMAC) is NetCore's own, so that OAuth, AWS signatures and most of Digest need no library.
/// Ciphers, private keys and the digests that are seldom wanted are the system's: CryptoKit on Apple, libcrypto on Linux, loaded when
/// it is first needed. Those are not written here, since they have to be constant in time, and kept up by people whose work that is.
enum Cryptography {
    /// A digest, as HTTP has use for it.
    enum HashFunction: Sendable {
        case md5, sha256, sha512, sha512_256
    }

    /// An asymmetric signature.
    enum SignatureAlgorithm: Sendable {
        case ed25519, ecdsaP256
    }

    /// The digest of `data`.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` where the system has it not.
    static func digest(_ data: Data, _ function: HashFunction) throws(NetworkError) -> Data {
        if function == .sha256 { return Data(SHA256.digest(data)) }
        return try systemDigest(data, function)
    }

    /// HMAC with SHA-256 (RFC 2104).
    static func hmac(_ data: Data, key: Data) -> Data {
        Data(SHA256.hmac(data, key: key))
    }

    /// Bytes that nobody can foresee.
    static func randomBytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    static func unsupported(_ what: String, _ reason: String) -> NetworkError {
        .unsupported("\(what) is not to be had on this system: \(reason).")
    }
}

extension Data {
    /// Base64 for URLs, without padding (RFC 4648, section 5).
    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// The bytes of such a text; nil if it is none.
    init?(base64URL text: some StringProtocol) {
        let text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = (4 - text.utf8.count % 4) % 4
        self.init(base64Encoded: text + String(repeating: "=", count: padding))
    }
}
