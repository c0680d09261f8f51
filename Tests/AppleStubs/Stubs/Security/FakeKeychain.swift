public import AppleCoreFoundation
import AppleLiberties
import Foundation

/// A keychain in memory, with the rules of the data protection keychain and, as on a Mac, those of the file-based one beside it. What tests
/// change concerns one service only, so that they can run beside each other.
public final class FakeKeychain: @unchecked Sendable {
    public static let shared = FakeKeychain()

    public enum Operation: Sendable, CaseIterable { case add, find, update, delete }

    /// What a service's items meet.
    public struct Condition: Sendable {
        /// Before the first unlock since the device started: nothing can be read or written.
        public var isLocked = false
        /// What the user does when an item under access control is read.
        public var userAnswer: OSStatus = errSecSuccess
        /// Answers the next operation of that kind with a failure, before it does anything.
        public var failures: [Operation: OSStatus] = [:]
        /// Runs before the next operation of that kind, like another process that is quicker, or a device that is locked meanwhile.
        public var before: [Operation: @Sendable () -> Void] = [:]
        /// After how many operations more the device is locked, in the middle of what an app does; nil for never.
        public var operationsUntilLock: Int?
        /// Whether operations fail when the seed says so.
        public var isUnreliable = false
        /// The access groups of the app's entitlements, beside its own.
        public var accessGroups: Set<String> = []
        /// Whether the program is signed with an application identifier: an app is, what `swift run` starts is not (TN3137).
        public var hasEntitlement = true
        /// Which operations notice that it is not. Only that adding does is documented; the others may find nothing instead.
        public var noticesMissingEntitlement: Set<Operation> = Set(Operation.allCases)
        /// Whether queries that do not ask for data protection go to a file, as on a Mac.
        public var hasFileBasedKeychain = true
    }

    private let lock = NSLock()
    private var items: [KeychainItem] = []
    private var conditions: [String: Condition] = [:]

    /// Changes what the items of a service meet.
    public func change(_ service: String, _ body: (inout Condition) -> Void) {
        lock.withLock { body(&conditions[service, default: Condition()]) }
    }

    /// The attributes of a service's items, without what they hold.
    public func attributes(of service: String) -> [[String: Any]] {
        lock.withLock { items }.filter { $0.service == service }.map { item in
            item.attributes.filter { $0.key != kSecValueData as String }
        }
    }

    /// How many items a service has in the file-based keychain.
    public func countInFile(of service: String) -> Int {
        lock.withLock { items }.count { $0.service == service && $0.isInFile }
    }

    /// Puts something else than data in an item, as another app of the group could.
    public func spoil(_ service: String) {
        lock.withLock {
            for index in items.indices where items[index].service == service {
                items[index].attributes[kSecValueData as String] = nil
            }
        }
    }

    // MARK: The four functions

    func add(_ attributes: [String: Any]) -> OSStatus {
        operate(.add, attributes) { item, _ in
            guard attributes[kSecClass as String] != nil, item.isPossible else { return errSecParam }
            guard !items.contains(where: { $0.isLike(item) }) else { return errSecDuplicateItem }
            items.append(item)
            return errSecSuccess
        }
    }

    func find(_ query: [String: Any]) -> (OSStatus, CFTypeRef?) {
        var found: CFTypeRef?
        let status = operate(.find, query) { wanted, condition in
            guard let item = items.first(where: { $0.matches(wanted) }) else { return errSecItemNotFound }
            if item[kSecAttrAccessControl] != nil {
                guard condition.userAnswer == errSecSuccess else { return condition.userAnswer }
            }
            if query[kSecReturnData as String] as? Bool == true {
                found = (item[kSecValueData] as? Data).map { $0 as CFData }
            }
            return errSecSuccess
        }
        return (status, found)
    }

    func update(_ query: [String: Any], _ change: [String: Any]) -> OSStatus {
        operate(.update, query) { wanted, _ in
            // The class of an item cannot change, and a query is no change.
            let foreign = [kSecClass, kSecReturnData, kSecMatchLimit, kSecUseDataProtectionKeychain]
            guard foreign.allSatisfy({ change[$0 as String] == nil }) else { return errSecParam }
            let indices = items.indices.filter { items[$0].matches(wanted) }
            guard !indices.isEmpty else { return errSecItemNotFound }
            for index in indices {
                var item = items[index]
                item.attributes.merge(change) { _, new in new }
                guard item.isPossible else { return errSecParam }
                items[index] = item
            }
            return errSecSuccess
        }
    }

    func delete(_ query: [String: Any]) -> OSStatus {
        operate(.delete, query) { wanted, _ in
            var indices = items.indices.filter { items[$0].matches(wanted) }
            let limit = query[kSecMatchLimit as String] as? String
            if wanted.isInFile {
                // The file-based keychain removes one item, unless it is told to remove all.
                if limit != kSecMatchLimitAll as String { indices = Array(indices.prefix(1)) }
            } else if limit != nil {
                return errSecParam
            }
            for index in indices.reversed() { items.remove(at: index) }
            return indices.isEmpty ? errSecItemNotFound : errSecSuccess
        }
    }

    /// A device can be locked between any two operations, and the daemon behind them can be out of reach.
    private func liberty(_ service: String) -> OSStatus? {
        lock.withLock {
            guard var condition = conditions[service] else { return nil }
            defer { conditions[service] = condition }
            if let left = condition.operationsUntilLock {
                if left <= 0 { condition.isLocked = true }
                condition.operationsUntilLock = left - 1
            }
            guard condition.isUnreliable else { return nil }
            return Liberties.pick("keychain", [nil, nil, nil, errSecInteractionNotAllowed, errSecNotAvailable])
        }
    }

    private func operate(
        _ operation: Operation, _ query: [String: Any], _ body: (KeychainItem, Condition) -> OSStatus
    ) -> OSStatus {
        guard let service = query[kSecAttrService as String] as? String else { return errSecParam }
        // What looks whether there is an entitlement has a service beside that of the items. It meets the same lock.
        let name = lock.withLock { conditions.keys.first { service == $0 || service.hasPrefix($0 + ".") } } ?? service
        let (before, failure) = lock.withLock {
            (
                conditions[service]?.before.removeValue(forKey: operation),
                conditions[service]?.failures.removeValue(forKey: operation)
            )
        }
        before?()
        if let failure { return failure }
        if let failure = liberty(name) { return failure }
        return lock.withLock {
            let condition = conditions[name] ?? Condition()
            let item = KeychainItem(query, condition)
            if !item.isInFile {
                if !condition.hasEntitlement {
                    let notices = condition.noticesMissingEntitlement.contains(operation)
                    return notices ? errSecMissingEntitlement : errSecItemNotFound
                }
                if let group = item[kSecAttrAccessGroup] as? String, !condition.accessGroups.contains(group) {
                    return errSecMissingEntitlement
                }
            }
            return condition.isLocked ? errSecInteractionNotAllowed : body(item, condition)
        }
    }
}

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
