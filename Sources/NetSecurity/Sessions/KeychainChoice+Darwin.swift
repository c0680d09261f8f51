#if canImport(Security)
    import NetCore
    import Security
    import os

    /// Decides which keychain a storage uses, at its first use.
    struct KeychainChoice: Sendable {
        private let wanted: KeychainSessionStorage.Keychain
        private let hasFileBased: Bool
        /// The features that the file-based keychain lacks; nil if it suffices.
        private let need: String?
        private let service: String
        private let onFirstUse: @Sendable (KeychainSessionStorage.Keychain) -> Void
        private let made = Locked<KeychainSessionStorage.Keychain?>(nil)

        /// Whether this system has a file-based keychain.
        static var systemHasFileBased: Bool {
            #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
                false
            #else
                true
            #endif
        }

        init(
            _ wanted: KeychainSessionStorage.Keychain, service: String, need: String?, hasFileBased: Bool,
            onFirstUse: (@Sendable (KeychainSessionStorage.Keychain) -> Void)?
        ) {
            self.wanted = wanted
            self.service = service
            self.need = need
            self.hasFileBased = hasFileBased
            self.onFirstUse = onFirstUse ?? Self.log
        }

        /// Returns the keychain to use: `.dataProtection` or `.fileBased`.
        func keychain() throws(SessionStorageError) -> KeychainSessionStorage.Keychain {
            if let chosen = made.withLock({ $0 }) { return chosen }
            let found = try decided()
            let isFirst = made.withLock { made in
                defer { made = found }
                return made == nil
            }
            if isFirst { onFirstUse(found) }
            return found
        }

        private func decided() throws(SessionStorageError) -> KeychainSessionStorage.Keychain {
            switch wanted {
            case .dataProtection: return .dataProtection
            case .automatic:
                guard hasFileBased, try !hasEntitlement() else { return .dataProtection }
                if let need {
                    throw .unsupported(
                        """
                        This program is not signed with an application identifier (-34018), so it can only use the file-based keychain, \
                        which has no \(need). Sign it with the entitlement, or remove that setting.
                        """)
                }
                return .fileBased
            case .fileBased:
                guard hasFileBased else { throw .unsupported("This system has no file-based keychain.") }
                if let need { throw .unsupported("The file-based keychain has no \(need).") }
                return .fileBased
            }
        }

        /// Adds a probe item and removes it. It is documented that adding fails without the entitlement, but not that reading does.
        private func hasEntitlement() throws(SessionStorageError) -> Bool {
            let probe: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service + ".probe",
                kSecAttrAccount as String: "probe", kSecUseDataProtectionKeychain as String: true,
            ]
            let value: [String: Any] = [
                kSecValueData as String: Data(), kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
            ]
            let status = SecItemAdd(probe.merging(value) { _, new in new } as CFDictionary, nil)
            switch status {
            case errSecSuccess, errSecDuplicateItem:
                SecItemDelete(probe as CFDictionary)
                return true
            case errSecMissingEntitlement: return false
            default: throw SessionStorageError(keychain: status, "used")
            }
        }

        /// Writes the keychain to the unified log.
        private static func log(_ keychain: KeychainSessionStorage.Keychain) {
            let name =
                keychain == .fileBased
                ? "the file-based keychain, since this program has no application identifier (-34018)"
                : "the data protection keychain"
            os.Logger(subsystem: logSubsystem, category: "sessions").log(
                level: keychain == .fileBased ? .default : .info, "Sessions are kept in \(name, privacy: .public).")
        }

        static let logSubsystem = "networking"
    }

    extension SessionStorageError {
        /// Creates the error for a status of the keychain.
        ///
        /// - Parameter what: the failed action, as a participle.
        init(keychain status: OSStatus, _ what: String) {
            let reason = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "no text"
            let text = "A session cannot be \(what) in the keychain: \(reason) (\(status))."
            switch status {
            case errSecMissingEntitlement:
                self = .unsupported(text + " Add the keychain access group to the app's entitlements.")
            case errSecInteractionNotAllowed:
                self = .locked(text + " Try again when the device, or on macOS the login keychain, is unlocked.")
            case errSecDecode: self = .unreadable(text)
            default: self = .unavailable(text)
            }
        }
    }
#endif
