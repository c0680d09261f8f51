internal import Crypto
internal import NetCache
internal import NetCore

/// The keys that are derived from the secret of a ``RedisCacheStore`` by HKDF-SHA-256 (RFC 5869): for names, for values, and for the identities
/// of users.
struct CacheSecret: Sendable {
    static let minimumLength = 32

    private let names: SymmetricKey
    private let values: SymmetricKey
    let identities: CacheIdentityKey

    init(_ secret: Data) throws(NetworkError) {
        guard secret.count >= Self.minimumLength else {
            throw .unsupported(
                "The key of a RedisCacheStore needs \(Self.minimumLength) random bytes or more; \(secret.count) were given. Generate it "
                    + "once, for instance by `openssl rand -base64 32`, and give all servers of the fleet the same.")
        }
        func derived(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: secret), info: Data("networking-redis 1 \(purpose)".utf8),
                outputByteCount: 32)
        }
        names = derived("names")
        values = derived("values")
        identities = try CacheIdentityKey(derived("identities").withUnsafeBytes { Data($0) })
    }

    /// Returns the HMAC-SHA-256 of texts (RFC 2104) as Base64: 44 characters. A length precedes each text, so that different lists differ.
    func name(_ texts: String...) -> String {
        var hmac = HMAC<SHA256>(key: names)
        for text in texts { hmac.update(data: Data("\(text.utf8.count):\(text)".utf8)) }
        return Data(hmac.finalize()).base64EncodedString()
    }

    /// Returns the key that encrypts the values of a URL. AES-GCM with random nonces allows 2^32 messages for a key (NIST SP 800-38D, section
    /// 8.3), which is enough for one URL, but not for a fleet.
    func valueKey(of url: String) -> SymmetricKey {
        SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(url.utf8), using: values))
    }
}

/// The names of what Redis has for one cache key. The braces keep all of them in one slot of a Redis Cluster.
struct CachePlace: Sendable {
    let url: String
    let secret: CacheSecret
    /// The state of the URL: see ``CacheScripts``.
    let state: String
    /// The hash of the owner's heads.
    let heads: String

    init(_ key: HTTPCacheKey, prefix: String, secret: CacheSecret) {
        url = key.url
        self.secret = secret
        state = "\(prefix){\(secret.name("url", key.url))}"
        heads = "\(state):\(secret.name("owner", key.url, key.owner))"
    }

    /// The field of a head.
    func field(of id: String) -> String { secret.name("entry", heads, id) }

    func body(_ field: String) -> String { "\(heads):\(field)" }

    /// What a value is for. A value that is moved to another place does not open.
    enum Kind: String {
        case head, body
    }

    /// Encrypts a value by AES-256-GCM: a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.
    func seal(_ value: Data, _ kind: Kind, _ field: String) throws -> Data {
        let box = try AES.GCM.seal(value, using: secret.valueKey(of: url), authenticating: context(kind, field))
        // Nil only for a nonce of another length.
        guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return sealed
    }

    /// Decrypts a value. Nil if it is not what ``seal(_:_:_:)`` made for this place.
    func open(_ sealed: Data, _ kind: Kind, _ field: String) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: secret.valueKey(of: url), authenticating: context(kind, field))
    }

    private func context(_ kind: Kind, _ field: String) -> Data { Data("\(kind.rawValue) \(heads) \(field)".utf8) }
}
