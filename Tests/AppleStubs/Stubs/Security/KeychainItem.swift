import AppleCoreFoundation
import Foundation

/// An item of the keychain, or what a query wants of one.
struct KeychainItem {
    var attributes: [String: Any]
    /// Whether it is in the file-based keychain, which knows neither access groups nor accessibility, and does not synchronize.
    let isInFile: Bool

    init(_ attributes: [String: Any], _ condition: FakeKeychain.Condition) {
        self.attributes = attributes
        let isProtected = attributes[kSecUseDataProtectionKeychain as String] as? Bool ?? false
        let isSynchronizable = attributes[kSecAttrSynchronizable as String] as? Bool ?? false
        isInFile = condition.hasFileBasedKeychain && !isProtected && !isSynchronizable
        guard isInFile else { return }
        for name in [kSecAttrAccessGroup, kSecAttrAccessible, kSecAttrAccessControl] {
            self.attributes[name as String] = nil
        }
    }

    var service: String? { self[kSecAttrService] as? String }
    var isSynchronizable: Bool { self[kSecAttrSynchronizable] as? Bool ?? false }
    subscript(name: CFString) -> Any? { attributes[name as String] }

    /// What may not be together, as the documentation of `kSecAttrSynchronizable` and `kSecAttrAccessControl` says.
    var isPossible: Bool {
        let accessible = self[kSecAttrAccessible] as? String
        let isForThisDevice = [
            kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
            kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
        ].contains { $0 as String == accessible }
        let hasControl = self[kSecAttrAccessControl] != nil
        return !(isSynchronizable && (isForThisDevice || hasControl)) && !(hasControl && accessible != nil)
    }

    private static let names = [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup].map { $0 as String }

    /// Whether there may not be both.
    func isLike(_ other: KeychainItem) -> Bool {
        isInFile == other.isInFile && isSynchronizable == other.isSynchronizable
            && Self.names.allSatisfy { attributes[$0] as? String == other.attributes[$0] as? String }
    }

    func matches(_ query: KeychainItem) -> Bool {
        isInFile == query.isInFile && isSynchronizable == query.isSynchronizable
            && Self.names.allSatisfy { name in
                guard let wanted = query.attributes[name] as? String else { return true }
                return attributes[name] as? String == wanted
            }
    }
}
