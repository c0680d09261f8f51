#if canImport(Security)
    public import NetCore
    public import Security

    /// Keeps sessions in the keychain: one item for each user.
    ///
    /// By default items can be read after the device was unlocked once since it started, so that work in the background finds them. A device
    /// that is locked gives ``SessionStorageError/locked(_:)``, a user who does not authenticate ``SessionStorageError/unavailable(_:)``, and
    /// neither ever gives nil.
    ///
    /// On macOS the first use decides which keychain it is (``Keychain``), and says so: to `onFirstUse`, or in the unified log (subsystem
    /// `networking`, category `sessions`). A program that gets its entitlement later does not find the sessions of before.
    public struct KeychainSessionStorage: SessionStorage {
        private let service: String
        private let accessGroup: String?
        private let protection: KeychainProtection
        private let choice: KeychainChoice

        /// A storage in the keychain.
        ///
        /// - Parameters:
        ///   - service: keeps apart what several parts of an app store (`kSecAttrService`).
        ///   - accessGroup: lets other apps of the same team, and extensions, have the items; nil for the app's own group. Without the
        ///     entitlement for it: ``SessionStorageError/unsupported(_:)``.
        ///   - synchronizable: whether iCloud brings the items to the user's other devices. Not together with `thisDeviceOnly`,
        ///     `.whenPasscodeSet` or `accessControl`: storing then fails with ``SessionStorageError/unsupported(_:)``.
        ///   - thisDeviceOnly: whether backups leave the items out.
        ///   - accessControl: what the user has to do before an item is read, such as `.userPresence`; empty for nothing. Reading then
        ///     waits for the user: keep copies (``SessionProvider/init(storage:keepsCopies:clock:onFailure:)``).
        ///   - accessibility: when items can be read. It applies to items that are stored from then on.
        ///   - keychain: which keychain of a Mac.
        ///   - onFirstUse: told once which keychain is used, `.dataProtection` or `.fileBased`; nil to write it to the unified log.
        public init(
            service: String = "networking.sessions",
            accessGroup: String? = nil,
            synchronizable: Bool = false,
            thisDeviceOnly: Bool = false,
            accessControl: SecAccessControlCreateFlags = [],
            accessibility: Accessibility = .afterFirstUnlock,
            keychain: Keychain = .automatic,
            onFirstUse: (@Sendable (Keychain) -> Void)? = nil
        ) {
            self.init(
                service: service, accessGroup: accessGroup,
                protection: KeychainProtection(
                    isSynchronizable: synchronizable, thisDeviceOnly: thisDeviceOnly, accessControl: accessControl,
                    accessibility: accessibility),
                keychain: keychain, hasFileBased: KeychainChoice.systemHasFileBased, onFirstUse: onFirstUse)
        }

        /// - Parameter hasFileBased: whether the system is a Mac.
        init(
            service: String, accessGroup: String? = nil, protection: KeychainProtection = KeychainProtection(),
            keychain: Keychain = .automatic, hasFileBased: Bool, onFirstUse: (@Sendable (Keychain) -> Void)? = nil
        ) {
            self.service = service
            self.accessGroup = accessGroup
            self.protection = protection
            let need =
                accessGroup != nil
                ? "access groups" : protection.isDefault ? nil : "such accessibility, access control or iCloud"
            choice = KeychainChoice(
                keychain, service: service, need: need, hasFileBased: hasFileBased, onFirstUse: onFirstUse)
        }

        /// What is stored for a user.
        ///
        /// - Throws: ``SessionStorageError``.
        public func data(for userID: String) throws(SessionStorageError) -> Data? {
            var query = try query(for: userID)
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
            var change = try protection.attributes()
            if try choice.keychain() == .fileBased { change = [:] }
            change[kSecValueData as String] = data
            let query = try query(for: userID)
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
            try delete(try query(for: userID))
        }

        /// Removes all items of this service.
        ///
        /// - Throws: ``SessionStorageError``.
        public func removeAll() throws(SessionStorageError) {
            try delete(try query(for: nil))
        }

        private func delete(_ query: [String: Any]) throws(SessionStorageError) {
            var query = query
            // The file-based keychain removes one item otherwise; the other one takes no limit.
            if try choice.keychain() == .fileBased { query[kSecMatchLimit as String] = kSecMatchLimitAll }
            let status = SecItemDelete(query as CFDictionary)
            if status != errSecItemNotFound { try check(status, "removed") }
        }

        private func query(for userID: String?) throws(SessionStorageError) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
            ]
            query[kSecAttrAccount as String] = userID
            // On macOS data protection is not the default. What follows is not known to the file-based keychain.
            guard try choice.keychain() == .dataProtection else { return query }
            query[kSecUseDataProtectionKeychain as String] = true
            query[kSecAttrSynchronizable as String] = protection.isSynchronizable
            query[kSecAttrAccessGroup as String] = accessGroup
            return query
        }

        private func check(_ status: OSStatus, _ what: String) throws(SessionStorageError) {
            guard status != errSecSuccess else { return }
            throw SessionStorageError(keychain: status, what)
        }
    }
#endif
