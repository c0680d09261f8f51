import NetCore

/// Seals the bytes of a session: a mark, and what AES-256-GCM makes of them, bound to the user's name.
struct SessionCipher: Sendable {
    private let key: Data

    /// Begins what is sealed. No JSON begins so, which tells one who forgot the key.
    static let mark = Data("\u{1}NSS1".utf8)

    init(key: Data) throws(SessionStorageError) {
        guard key.count == 32 else {
            throw .insecure(
                "A key has 32 random bytes, this one \(key.count). Derive one from a password with PBKDF2 or scrypt.")
        }
        do {
            try Cryptography.requireLibrary()
        } catch {
            throw .unsupported(error.description)
        }
        self.key = key
    }

    private func context(_ userID: String) -> Data { Self.mark + Data(userID.utf8) }

    fileprivate func sealed(_ plain: Data, for userID: String) -> Data? {
        Cryptography.seal(plain, key: key, context: context(userID)).map { Self.mark + $0 }
    }

    fileprivate func opened(_ stored: Data, for userID: String) -> Data? {
        guard stored.starts(with: Self.mark) else { return nil }
        return Cryptography.open(Data(stored.dropFirst(Self.mark.count)), key: key, context: context(userID))
    }
}

extension SessionCipher: CustomReflectable {
    /// Shows nothing of the key.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SessionCipher? {
    func seal(_ plain: Data, for userID: String) throws(SessionStorageError) -> Data {
        guard let self else { return plain }
        guard let sealed = self.sealed(plain, for: userID) else {
            throw .unavailable("The session could not be sealed: the system's library for it failed.")
        }
        return sealed
    }

    func open(_ stored: Data, for userID: String) throws(SessionStorageError) -> Data {
        guard let self else {
            guard !stored.starts(with: SessionCipher.mark) else {
                throw .unreadable("The stored session is sealed. Give the storage the key with which it was.")
            }
            return stored
        }
        guard let plain = self.opened(stored, for: userID) else {
            throw .unreadable("The stored session was not sealed with this key, or was changed since. Sign in again.")
        }
        return plain
    }
}
