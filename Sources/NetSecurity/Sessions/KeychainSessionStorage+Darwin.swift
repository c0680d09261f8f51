#if canImport(Security)
    public import NetCore
    public import Security

    /// Keeps sessions in the keychain: one item for each user.
    ///
    /// Items can be read after the device was unlocked once since it started, so that work in the background finds them. A keychain
    /// that is locked, or a user who does not authenticate, gives ``SessionStorageError/unavailable(_:)`` and never nil.
    public struct KeychainSessionStorage: SessionStorage {
        private let service: String
        private let accessGroup: String?
        private let isSynchronizable: Bool
        private let thisDeviceOnly: Bool
        private let accessControl: SecAccessControlCreateFlags

        /// A storage in the keychain.
        ///
        /// - Parameters:
        ///   - service: keeps apart what several parts of an app store (`kSecAttrService`).
        ///   - accessGroup: lets other apps of the same team, and extensions, have the items; nil for the app's own group.
        ///   - synchronizable: whether iCloud brings the items to the user's other devices. Not together with `thisDeviceOnly` or
        ///     `accessControl`: storing then fails with ``SessionStorageError/unsupported(_:)``.
        ///   - thisDeviceOnly: whether backups leave the items out.
        ///   - accessControl: what the user has to do before an item is read, such as `.userPresence`; empty for nothing. Reading then
        ///     waits for the user: keep copies (``SessionProvider/init(storage:keepsCopies:clock:onFailure:)``).
        public init(
            service: String = "networking.sessions",
            accessGroup: String? = nil,
            synchronizable: Bool = false,
            thisDeviceOnly: Bool = false,
            accessControl: SecAccessControlCreateFlags = []
        ) {
            self.service = service
            self.accessGroup = accessGroup
            isSynchronizable = synchronizable
            self.thisDeviceOnly = thisDeviceOnly
            self.accessControl = accessControl
        }

        /// What is stored for a user.
        ///
        /// - Throws: ``SessionStorageError``.
        public func data(for userID: String) throws(SessionStorageError) -> Data? {
            var query = query(for: userID)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            try check(status, "read")
            guard let data = found as? Data else {
                throw .unreadable("The keychain's item holds no data. Sign in again.")
            }
            return data
        }

        /// Stores bytes in place of those before: an update, and not a removal first, since the app may end between the two.
        ///
        /// - Throws: ``SessionStorageError``.
        public func store(_ data: Data, for userID: String) throws(SessionStorageError) {
            let query = query(for: userID)
            let protection = try protection()
            let change = protection.merging([kSecValueData as String: data]) { _, new in new }
            var status = SecItemUpdate(query as CFDictionary, change as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(change) { _, new in new } as CFDictionary, nil)
            }
            if status == errSecDuplicateItem {
                // Another process was quicker.
                status = SecItemUpdate(query as CFDictionary, change as CFDictionary)
            }
            try check(status, "stored")
        }

        /// Removes the user's item.
        ///
        /// - Throws: ``SessionStorageError``.
        public func remove(for userID: String) throws(SessionStorageError) {
            try delete(query(for: userID))
        }

        /// Removes all items of this service.
        ///
        /// - Throws: ``SessionStorageError``.
        public func removeAll() throws(SessionStorageError) {
            try delete(query(for: nil))
        }

        private func delete(_ query: [String: Any]) throws(SessionStorageError) {
            let status = SecItemDelete(query as CFDictionary)
            if status != errSecItemNotFound { try check(status, "removed") }
        }

        private func query(for userID: String?) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrSynchronizable as String: isSynchronizable,
            ]
            // On macOS this is not the default, and the old keychain knows neither access groups nor accessibility.
            if #available(macOS 10.15, *) { query[kSecUseDataProtectionKeychain as String] = true }
            query[kSecAttrAccount as String] = userID
            query[kSecAttrAccessGroup as String] = accessGroup
            return query
        }

        private func protection() throws(SessionStorageError) -> [String: Any] {
            guard !isSynchronizable || (!thisDeviceOnly && accessControl.isEmpty) else {
                throw .unsupported(
                    "What iCloud synchronizes can be neither for this device only nor under access control.")
            }
            let accessible =
                thisDeviceOnly ? kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly : kSecAttrAccessibleAfterFirstUnlock
            guard !accessControl.isEmpty else { return [kSecAttrAccessible as String: accessible] }
            guard let control = SecAccessControlCreateWithFlags(nil, accessible, accessControl, nil) else {
                throw .unsupported("This device cannot protect items as accessControl asks.")
            }
            return [kSecAttrAccessControl as String: control]
        }

        private func check(_ status: OSStatus, _ what: String) throws(SessionStorageError) {
            guard status != errSecSuccess else { return }
            let reason = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "no text"
            let text = "A session cannot be \(what) in the keychain: \(reason) (\(status))."
            switch status {
            case errSecMissingEntitlement:
                throw .unsupported(text + " Add the keychain access group to the app's entitlements.")
            case errSecDecode: throw .unreadable(text)
            default: throw .unavailable(text)
            }
        }
    }
#endif
