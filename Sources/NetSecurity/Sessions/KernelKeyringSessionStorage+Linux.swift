#if os(Linux)
    import CSecurity
    public import NetCore

    /// Keeps sessions in the kernel's keyring (keyrings(7)): in memory, never swapped out, shared by the processes of a login session
    /// or of a user.
    ///
    /// Containers often forbid it: ``SessionStorageError/unsupported(_:)``. A session may have up to 32,767 bytes.
    public struct KernelKeyringSessionStorage: SessionStorage {
        /// The keyring that holds the sessions.
        public enum Keyring: Sendable {
            /// The login session's, which ends with its last process.
            case session
            /// The user's, which ends with the user's last process. Without `pam_keyinit` the login session does not reach it, and
            /// reading fails with ``SessionStorageError/unavailable(_:)``.
            case user

            var number: Int32 { self == .session ? Int32(NS_SESSION_KEYRING) : Int32(NS_USER_KEYRING) }
        }

        private let keyring: Keyring
        private let prefix: String

        /// Creates a storage in a keyring.
        ///
        /// - Parameters:
        ///   - keyring: decides how long sessions are kept, and which processes share them.
        ///   - service: separates the sessions of several programs.
        public init(keyring: Keyring = .session, service: String) {
            self.keyring = keyring
            prefix = "networking:\(SHA256.hex(Data(service.utf8)).prefix(16)):"
        }

        public func data(for userID: String) throws(SessionStorageError) -> Data? {
            let found = ns_key_find(keyring.number, description(of: userID))
            guard let key = try number(found, "found") else { return nil }
            guard let size = try number(ns_key_read(key, nil, 0), "read") else { return nil }
            var payload = [UInt8](repeating: 0, count: Int(size))
            guard let count = try number(ns_key_read(key, &payload, payload.count), "read") else { return nil }
            guard Int(count) <= payload.count else { throw .unavailable("The session was replaced while it was read.") }
            return Data(payload.prefix(Int(count)))
        }

        public func store(_ data: Data, for userID: String) throws(SessionStorageError) {
            let bytes = [UInt8](data)
            _ = try number(ns_key_add(keyring.number, description(of: userID), bytes, bytes.count), "stored")
        }

        public func remove(for userID: String) throws(SessionStorageError) {
            let found = ns_key_find(keyring.number, description(of: userID))
            guard let key = try number(found, "found") else { return }
            _ = try number(ns_key_unlink(key, keyring.number), "removed")
        }

        /// Removes all sessions of this service from the keyring.
        public func removeAll() throws(SessionStorageError) {
            guard let size = try number(ns_key_read(keyring.number, nil, 0), "listed") else { return }
            // Keys that other processes add meanwhile are ignored.
            var keys = [Int32](repeating: 0, count: Int(size) / MemoryLayout<Int32>.size)
            _ = try number(ns_key_read(keyring.number, &keys, keys.count * MemoryLayout<Int32>.size), "listed")
            for key in keys where key > 0 && isOurs(key) {
                _ = try number(ns_key_unlink(key, keyring.number), "removed")
            }
        }

        private func isOurs(_ key: Int32) -> Bool {
            var text = [CChar](repeating: 0, count: 512)
            let size = ns_key_describe(key, &text, text.count)
            guard size > 0, size <= text.count else { return false }
            // "user;0;0;3f010000;networking:…"
            let fields = String(decoding: text.prefix(Int(size) - 1).map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(separator: ";", maxSplits: 4)
            return fields.count == 5 && fields[0] == "user" && fields[4].hasPrefix(prefix)
        }

        private func description(of userID: String) -> String { prefix + SHA256.hex(Data(userID.utf8)) }

        /// Returns the result of a call; nil if the key does not exist.
        private func number(_ result: Int64, _ what: String) throws(SessionStorageError) -> Int32? {
            guard result < 0 else { return Int32(clamping: result) }
            let code = Int32(clamping: -result)
            let text = "A session cannot be \(what) in the kernel's keyring: \(String(cString: strerror(code)))."
            switch code {
            case ENOKEY, EKEYEXPIRED, EKEYREVOKED: return nil
            case ENOSYS, EPERM: throw .unsupported(text + " Containers often forbid it: use FileSessionStorage.")
            default: throw .unavailable(text)
            }
        }
    }
#endif
