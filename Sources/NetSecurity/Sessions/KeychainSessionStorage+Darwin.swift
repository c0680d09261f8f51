#if canImport(Security)
    public import NetCore
    public import Security

    /// Keeps sessions in the keychain: one item for each user.
    ///
    /// By default items are readable after the first unlock since the device started, so that background work finds them. A locked device throws
    /// ``SessionStorageError/locked(_:)``, a user who does not authenticate ``SessionStorageError/unavailable(_:)``; neither is reported as nil.
    ///
    /// On macOS the first use decides which ``Keychain`` is used, and reports it to `onFirstUse` or to the unified log (subsystem
    /// `networking`, category `sessions`). A program that gets its entitlement later does not find its earlier sessions.
    public struct KeychainSessionStorage: SessionStorage {
        private let service: String
        private let accessGroup: String?
        private let protection: KeychainProtection
        private let choice: KeychainChoice

        /// Creates a storage in the keychain.
        ///
        /// - Parameters:
        ///   - service: separates the items of several parts of an app (`kSecAttrService`).
        ///   - accessGroup: shares the items with other apps of the same team and with extensions; nil for the app's own group. Without
        ///     its entitlement: ``SessionStorageError/unsupported(_:)``.
        ///   - synchronizable: whether iCloud copies the items to the user's other devices. If it is combined with `thisDeviceOnly`,
        ///     `.whenPasscodeSet` or `accessControl`, storing throws ``SessionStorageError/unsupported(_:)``.
        ///   - thisDeviceOnly: whether backups exclude the items.
        ///   - accessControl: what the user has to do before an item is read, such as `.userPresence`; empty for nothing. Reading then
        ///     waits for the user, so keep copies (``SessionProvider/init(storage:keepsCopies:clock:onFailure:)``).
        ///   - accessibility: when items can be read. Applies to items that are stored from then on.
        ///   - keychain: which keychain of a Mac is used.
        ///   - onFirstUse: called once with the keychain in use, `.dataProtection` or `.fileBased`; nil to write it to the unified log.
        public init(
            service: String = "networking.sessions", accessGroup: String? = nil, synchronizable: Bool = false,
            thisDeviceOnly: Bool = false, accessControl: SecAccessControlCreateFlags = [],
            accessibility: Accessibility = .afterFirstUnlock, keychain: Keychain = .automatic,
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

        public func data(for userID: String) throws(SessionStorageError) -> Data? {
            var query = try query(for: userID)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            try check(status, "read")
            guard let data = found as? Data else {
                throw .unreadable("The keychain item contains no data. Sign in again.")
            }
            return data
        }

        // An update, not a removal and an addition, since the app may end between the two.
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
                // Another process added the item meanwhile.
                status = SecItemUpdate(query as CFDictionary, change as CFDictionary)
            }
            try check(status, "stored")
        }

        public func remove(for userID: String) throws(SessionStorageError) { try delete(try query(for: userID)) }

        /// Removes all items of this service.
        public func removeAll() throws(SessionStorageError) { try delete(try query(for: nil)) }

        private func delete(_ query: [String: Any]) throws(SessionStorageError) {
            var query = query
            // Without a limit the file-based keychain removes one item. The other one does not accept a limit.
            if try choice.keychain() == .fileBased { query[kSecMatchLimit as String] = kSecMatchLimitAll }
            let status = SecItemDelete(query as CFDictionary)
            if status != errSecItemNotFound { try check(status, "removed") }
        }

        private func query(for userID: String?) throws(SessionStorageError) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            ]
            query[kSecAttrAccount as String] = userID
            // On macOS data protection is not the default. The file-based keychain does not know these attributes.
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

        /// The keychain that holds the items. A Mac has two (Apple's TN3137); the other systems only have the data protection keychain.
        public enum Keychain: Hashable, Sendable {
            /// The data protection keychain if possible. On macOS a program without an application identifier in its signature, such as a
            /// command-line tool, cannot use it (-34018). It gets the file-based keychain, unless a setting needs data protection.
            case automatic
            /// The data protection keychain, or ``SessionStorageError/unsupported(_:)``.
            case dataProtection
            /// The user's login keychain, a file: only on macOS, ``SessionStorageError/unsupported(_:)`` elsewhere. It is readable while it
            /// is unlocked, usually from login to logout. It has no access groups, accessibility, access control or iCloud.
            case fileBased
        }

        /// When items can be read (`kSecAttrAccessible`).
        public enum Accessibility: Hashable, Sendable {
            /// After the first unlock since the device started, so that background work finds them.
            case afterFirstUnlock
            /// While the device is unlocked. Background work gets ``SessionStorageError/locked(_:)`` otherwise.
            case whenUnlocked
            /// While the device is unlocked, and only on a device with a passcode: removing the passcode removes the items. They stay on this device.
            case whenPasscodeSet
        }
    }

    /// The protection of an item.
    struct KeychainProtection: Sendable {
        var isSynchronizable = false
        var thisDeviceOnly = false
        var accessControl: SecAccessControlCreateFlags = []
        var accessibility = KeychainSessionStorage.Accessibility.afterFirstUnlock

        /// Whether the file-based keychain offers this protection too.
        var isDefault: Bool {
            !isSynchronizable && !thisDeviceOnly && accessControl.isEmpty && accessibility == .afterFirstUnlock
        }

        /// Returns the attributes for `SecItemAdd`.
        func attributes() throws(SessionStorageError) -> [String: Any] {
            let isLocal = thisDeviceOnly || accessibility == .whenPasscodeSet
            guard !isSynchronizable || (!isLocal && accessControl.isEmpty) else {
                throw .unsupported(
                    "Items that iCloud synchronizes can be neither for this device only nor under access control.")
            }
            guard !accessControl.isEmpty else { return [kSecAttrAccessible as String: accessible] }
            guard let control = SecAccessControlCreateWithFlags(nil, accessible, accessControl, nil) else {
                throw .unsupported("This device does not support this accessControl.")
            }
            return [kSecAttrAccessControl as String: control]
        }

        private var accessible: CFString {
            switch (accessibility, thisDeviceOnly) {
            case (.afterFirstUnlock, false): kSecAttrAccessibleAfterFirstUnlock
            case (.afterFirstUnlock, true): kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            case (.whenUnlocked, false): kSecAttrAccessibleWhenUnlocked
            case (.whenUnlocked, true): kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case (.whenPasscodeSet, _): kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
            }
        }
    }
#endif
