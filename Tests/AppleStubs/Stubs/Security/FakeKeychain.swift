public import AppleCoreFoundation
import AppleLiberties
import Foundation

/// A keychain in memory, with the rules of the data protection keychain. What tests change concerns one service only, so that they can run
/// beside each other.
public final class FakeKeychain: @unchecked Sendable {
    public static let shared = FakeKeychain()

    public enum Operation: Sendable { case add, find, update, delete }

    /// What a service's items meet.
    public struct Condition: Sendable {
        /// Before the first unlock since the device started: nothing can be read or written.
        public var isLocked = false
        /// What the user does when an item under access control is read.
        public var userAnswer: OSStatus = errSecSuccess
        /// Answers the next operation of that kind with a failure, before it does anything.
        public var failures: [Operation: OSStatus] = [:]
        /// Runs before the next operation of that kind, like another process that is quicker.
        public var before: [Operation: @Sendable () -> Void] = [:]
        /// After how many operations more the device is locked, in the middle of what an app does; nil for never.
        public var operationsUntilLock: Int?
        /// Whether operations fail when the seed says so.
        public var isUnreliable = false
        /// The access groups of the app's entitlements, beside its own.
        public var accessGroups: Set<String> = []
    }

    private let lock = NSLock()
    private var items: [[String: Any]] = []
    private var conditions: [String: Condition] = [:]

    /// Changes what the items of a service meet.
    public func change(_ service: String, _ body: (inout Condition) -> Void) {
        lock.withLock { body(&conditions[service, default: Condition()]) }
    }

    /// The attributes of a service's items, without what they hold.
    public func attributes(of service: String) -> [[String: Any]] {
        lock.withLock { items }.filter { $0[kSecAttrService] as? String == service }.map { item in
            item.filter { $0.key != kSecValueData }
        }
    }

    /// Puts something else than data in an item, as another app of the group could.
    public func spoil(_ service: String) {
        lock.withLock {
            for index in items.indices where items[index][kSecAttrService] as? String == service {
                items[index][kSecValueData] = nil
            }
        }
    }

    // MARK: The four functions

    func add(_ attributes: [String: Any]) -> OSStatus {
        operate(.add, attributes) {
            guard attributes[kSecClass] != nil, Self.agree(attributes) else { return errSecParam }
            let key = Self.key(attributes)
            guard !items.contains(where: { NSDictionary(dictionary: Self.key($0)).isEqual(to: key) }) else {
                return errSecDuplicateItem
            }
            items.append(attributes)
            return errSecSuccess
        }
    }

    func find(_ query: [String: Any]) -> (OSStatus, CFTypeRef?) {
        var found: CFTypeRef?
        let status = operate(.find, query) {
            guard let item = items.first(where: { Self.matches($0, query) }) else { return errSecItemNotFound }
            if item[kSecAttrAccessControl] != nil {
                let answer = condition(of: query).userAnswer
                guard answer == errSecSuccess else { return answer }
            }
            if query[kSecReturnData] as? Bool == true { found = (item[kSecValueData] as? Data).map { $0 as AnyObject } }
            return errSecSuccess
        }
        return (status, found)
    }

    func update(_ query: [String: Any], _ change: [String: Any]) -> OSStatus {
        operate(.update, query) {
            // The class of an item cannot change, and a query is no change.
            guard change[kSecClass] == nil, change[kSecReturnData] == nil, change[kSecMatchLimit] == nil else {
                return errSecParam
            }
            let indices = items.indices.filter { Self.matches(items[$0], query) }
            guard !indices.isEmpty else { return errSecItemNotFound }
            for index in indices {
                let item = items[index].merging(change) { _, new in new }
                guard Self.agree(item) else { return errSecParam }
                items[index] = item
            }
            return errSecSuccess
        }
    }

    func delete(_ query: [String: Any]) -> OSStatus {
        operate(.delete, query) {
            let count = items.count
            items.removeAll { Self.matches($0, query) }
            return items.count == count ? errSecItemNotFound : errSecSuccess
        }
    }

    // MARK: Rules

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

    private func condition(of query: [String: Any]) -> Condition {
        conditions[query[kSecAttrService] as? String ?? ""] ?? Condition()
    }

    private func operate(_ operation: Operation, _ query: [String: Any], _ body: () -> OSStatus) -> OSStatus {
        guard let service = query[kSecAttrService] as? String else { return errSecParam }
        let (before, failure) = lock.withLock {
            (
                conditions[service]?.before.removeValue(forKey: operation),
                conditions[service]?.failures.removeValue(forKey: operation)
            )
        }
        before?()
        if let failure { return failure }
        if let failure = liberty(service) { return failure }
        return lock.withLock {
            let condition = condition(of: query)
            if let group = query[kSecAttrAccessGroup] as? String, !condition.accessGroups.contains(group) {
                return errSecMissingEntitlement
            }
            return condition.isLocked ? errSecInteractionNotAllowed : body()
        }
    }

    /// What may not be together, as the documentation of `kSecAttrSynchronizable` and `kSecAttrAccessControl` says.
    private static func agree(_ item: [String: Any]) -> Bool {
        let isSynchronizable = item[kSecAttrSynchronizable] as? Bool ?? false
        let isForThisDevice = item[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let hasControl = item[kSecAttrAccessControl] != nil
        return !(isSynchronizable && (isForThisDevice || hasControl))
            && !(hasControl && item[kSecAttrAccessible] != nil)
    }

    /// What makes an item another one than its like.
    private static func key(_ item: [String: Any]) -> [String: Any] {
        let names = [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup, kSecAttrSynchronizable]
        return item.filter { names.contains($0.key) }
    }

    private static func matches(_ item: [String: Any], _ query: [String: Any]) -> Bool {
        let isSynchronizable = item[kSecAttrSynchronizable] as? Bool ?? false
        guard isSynchronizable == query[kSecAttrSynchronizable] as? Bool ?? false else { return false }
        return [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup].allSatisfy { name in
            guard let wanted = query[name] as? String else { return true }
            return item[name] as? String == wanted
        }
    }
}
