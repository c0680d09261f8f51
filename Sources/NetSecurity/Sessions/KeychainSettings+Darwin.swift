#if canImport(Security)
    import NetCore
    import Security

    extension KeychainSessionStorage {
        /// Which keychain holds the items. A Mac has two (Apple's TN3137); the other systems have the data protection keychain only.
        public enum Keychain: Hashable, Sendable {
            /// The data protection keychain. On macOS a program that is not signed with an application identifier, such as a command-line
            /// tool or what `swift run` starts, cannot use it (-34018): there the file-based keychain is used in its place, unless a setting
            /// needs data protection.
            case automatic
            /// The data protection keychain, or ``SessionStorageError/unsupported(_:)``.
            case dataProtection
            /// The user's login keychain, which is a file: macOS only, ``SessionStorageError/unsupported(_:)`` elsewhere. It can be read
            /// while it is unlocked, usually from login to logout, and has no access groups, accessibility, access control or iCloud.
            case fileBased
        }

        /// When items can be read (`kSecAttrAccessible`).
        public enum Accessibility: Hashable, Sendable {
            /// After the device was unlocked once since it started, so that work in the background finds them.
            case afterFirstUnlock
            /// While the device is unlocked. Work in the background gets ``SessionStorageError/locked(_:)`` otherwise.
            case whenUnlocked
            /// While the device is unlocked, and only on a device with a passcode: the items vanish if the user removes that. On this device
            /// only.
            case whenPasscodeSet
        }
    }

    /// What an item's protection is made of.
    struct KeychainProtection: Sendable {
        var isSynchronizable = false
        var thisDeviceOnly = false
        var accessControl: SecAccessControlCreateFlags = []
        var accessibility = KeychainSessionStorage.Accessibility.afterFirstUnlock

        /// Whether the file-based keychain gives no less than this.
        var isDefault: Bool {
            !isSynchronizable && !thisDeviceOnly && accessControl.isEmpty && accessibility == .afterFirstUnlock
        }

        /// The attributes for `SecItemAdd`.
        func attributes() throws(SessionStorageError) -> [String: Any] {
            let isLocal = thisDeviceOnly || accessibility == .whenPasscodeSet
            guard !isSynchronizable || (!isLocal && accessControl.isEmpty) else {
                throw .unsupported(
                    "What iCloud synchronizes can be neither for this device only nor under access control.")
            }
            guard !accessControl.isEmpty else { return [kSecAttrAccessible as String: accessible] }
            guard let control = SecAccessControlCreateWithFlags(nil, accessible, accessControl, nil) else {
                throw .unsupported("This device cannot protect items as accessControl asks.")
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
