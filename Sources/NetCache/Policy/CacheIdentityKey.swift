public import NetCore

/// The secret key with which a store that outlives the process, or is shared by several, keeps apart the users of its responses.
///
/// What such a store keeps of an identity is HMAC-SHA-256 (RFC 2104) under this key, so that whoever reads the store can neither read
/// the credentials nor try out guesses. All processes that share the store need the same key.
public struct CacheIdentityKey: Hashable, Sendable {
    let bytes: Data

    /// A key from its bytes.
    ///
    /// - Parameter bytes: 16 bytes or more, from a source of randomness.
    /// - Throws: ``NetworkError/unsupported(_:)`` for fewer.
    public init(_ bytes: Data) throws(NetworkError) {
        guard bytes.count >= 16 else {
            throw .unsupported("A CacheIdentityKey needs 16 random bytes or more; \(bytes.count) were given.")
        }
        self.bytes = bytes
    }

    private init(random count: Int) {
        var generator = SystemRandomNumberGenerator()
        bytes = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// A new random key of 32 bytes.
    public static func random() -> CacheIdentityKey { CacheIdentityKey(random: 32) }

    /// The key that a folder keeps in a file of its own, made when it is first asked for.
    ///
    /// - Throws: what reading or writing the file throws.
    static func stored(at path: String) throws -> CacheIdentityKey {
        if let key = try read(path) { return key }
        let new = CacheIdentityKey.random()
        do {
            try AtomicFile.write(new.bytes, to: path, existing: .keep)
            return new
        } catch  where error.code == EEXIST {
            // Of two processes that make one at the same time, the first wins.
        }
        guard let key = try read(path) else { throw SystemError("read", path, code: EIO) }
        return key
    }

    /// Nil if there is no whole key.
    private static func read(_ path: String) throws -> CacheIdentityKey? {
        let file: DiskFile
        do {
            file = try DiskFile(path, O_RDONLY)
        } catch  where error.code == ENOENT {
            return nil
        }
        let bytes = try file.read(64, at: 0)
        guard bytes.count >= 16 else {
            Directory.remove(path)
            return nil
        }
        return try CacheIdentityKey(bytes)
    }
}

extension CacheIdentityKey: CustomStringConvertible, CustomReflectable {
    /// Shows nothing of the key.
    public var description: String { "CacheIdentityKey" }

    /// Shows nothing of the key, so that `dump` does not either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
