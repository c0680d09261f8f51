import NetCore
import Security
import Testing
import os

@testable import NetSecurity

/// Which keychain of a Mac, and what a locked one does in the middle (Apple's TN3137).
@Suite struct KeychainChoiceTests {
    private let service = UUID().uuidString
    private let keychain = FakeKeychain.shared
    private typealias Kind = KeychainSessionStorage.Keychain

    private func storage(_ told: Locked<[Kind]> = Locked([])) -> KeychainSessionStorage {
        KeychainSessionStorage(service: service) { kind in told.withLock { $0.append(kind) } }
    }

    /// What `swift run` starts: it finds that out whichever operations notice.
    @Test(arguments: [Set(FakeKeychain.Operation.allCases), [.add], [.add, .update]])
    func missingEntitlementUsesTheFileKeychain(_ noticing: Set<FakeKeychain.Operation>) throws {
        keychain.change(service) {
            $0.hasEntitlement = false
            $0.noticesMissingEntitlement = noticing
        }
        let told = Locked<[Kind]>([])
        let storage = storage(told)
        #expect(try storage.data(for: "leia") == nil)
        #expect(told.withLock { $0 } == [.fileBased])
        try storage.store(Data("one".utf8), for: "leia")
        try storage.store(Data("two".utf8), for: "leia")
        try storage.store(Data("three".utf8), for: "luke")
        #expect(keychain.countInFile(of: service) == 2)
        // The next run of the program.
        #expect(try self.storage().data(for: "leia") == Data("two".utf8))
        try self.storage().remove(for: "leia")
        #expect(try storage.data(for: "leia") == nil && storage.data(for: "luke") == Data("three".utf8))
        try storage.store(Data("four".utf8), for: "leia")
        // The file-based keychain removes one item only, unless it is told to remove all.
        try storage.removeAll()
        #expect(keychain.attributes(of: service).isEmpty)
        #expect(told.withLock { $0 } == [.fileBased])
    }

    @Test func entitlementUsesTheDataProtectionKeychain() throws {
        let told = Locked<[Kind]>([])
        let storage = storage(told)
        try storage.store(Data("x".utf8), for: "leia")
        #expect(try storage.data(for: "leia") == Data("x".utf8))
        #expect((told.withLock { $0 }, keychain.countInFile(of: service)) == ([.dataProtection], 0))
        // Nothing of the first look stays.
        #expect(keychain.attributes(of: service + ".probe").isEmpty)
    }

    @Test func chosenKeychainIsLogged() throws {
        keychain.change(service) { $0.hasEntitlement = false }
        let before = FakeUnifiedLog.entries(of: KeychainChoice.logSubsystem).count
        let storage = KeychainSessionStorage(service: service)
        try storage.store(Data("x".utf8), for: "leia")
        let shown = FakeUnifiedLog.entries(of: KeychainChoice.logSubsystem).dropFirst(before).map(\.shown)
        #expect(shown.contains { $0.contains("file-based keychain") && $0.contains("-34018") })
    }

    @Test func dataProtectionSettingsAreRefusedByTheFileKeychain() throws {
        keychain.change(service) {
            $0.hasEntitlement = false
            $0.accessGroups = ["TEAM.group"]
        }
        let storages = [
            KeychainSessionStorage(service: service, accessGroup: "TEAM.group"),
            KeychainSessionStorage(service: service, synchronizable: true),
            KeychainSessionStorage(service: service, thisDeviceOnly: true),
            KeychainSessionStorage(service: service, accessControl: .userPresence),
            KeychainSessionStorage(service: service, accessibility: .whenUnlocked),
            KeychainSessionStorage(service: service, keychain: .dataProtection),
        ]
        for storage in storages {
            #expect(storageError { try storage.store(Data("x".utf8), for: "leia") }?.code == "storage_unsupported")
            #expect(storageError { _ = try storage.data(for: "leia") }?.code == "storage_unsupported")
        }
        #expect(keychain.attributes(of: service).isEmpty)
    }

    @Test func fileKeychainCanBeChosen() throws {
        let storage = KeychainSessionStorage(service: service, keychain: .fileBased)
        try storage.store(Data("x".utf8), for: "leia")
        #expect(keychain.countInFile(of: service) == 1)
        #expect(try storage.data(for: "leia") == Data("x".utf8))
        // Not what an app with the entitlement would find.
        #expect(try self.storage().data(for: "leia") == nil)
        let other = KeychainSessionStorage(service: service, thisDeviceOnly: true, keychain: .fileBased)
        #expect(storageError { try other.store(Data(), for: "leia") }?.code == "storage_unsupported")
    }

    @Test func fileKeychainIsOnMacOSOnly() throws {
        keychain.change(service) {
            $0.hasEntitlement = false
            $0.hasFileBasedKeychain = false
        }
        let automatic = KeychainSessionStorage(service: service, hasFileBased: false)
        let refused = storageError { try automatic.store(Data(), for: "leia") }
        #expect(refused?.code == "storage_unsupported" && refused?.message.contains("entitlements") == true)
        let file = KeychainSessionStorage(service: service, keychain: .fileBased, hasFileBased: false)
        #expect(storageError { try file.store(Data(), for: "leia") }?.code == "storage_unsupported")
        #expect(keychain.attributes(of: service).isEmpty)
    }

    /// What is not known is not decided: the next use looks again.
    @Test func lockedKeychainAtFirstUseChoosesNone() throws {
        keychain.change(service) { $0.isLocked = true }
        let told = Locked<[Kind]>([])
        let storage = storage(told)
        let locked = storageError { _ = try storage.data(for: "leia") }
        #expect(locked?.code == "storage_locked" && locked?.isTemporary == true)
        #expect(told.withLock { $0 }.isEmpty)
        keychain.change(service) { $0.isLocked = false }
        try storage.store(Data("x".utf8), for: "leia")
        #expect(told.withLock { $0 } == [.dataProtection])
    }

    @Test(arguments: [true, false])
    func lockBetweenOperationsLosesNoSession(_ hasEntitlement: Bool) throws {
        keychain.change(service) { $0.hasEntitlement = hasEntitlement }
        let storage = storage()
        try storage.store(Data("before".utf8), for: "leia")
        keychain.change(service) { [service] condition in
            // Between the update, which finds nothing, and the addition.
            condition.before[.add] = { FakeKeychain.shared.change(service) { $0.isLocked = true } }
        }
        #expect(storageError { try storage.store(Data("new".utf8), for: "luke") }?.code == "storage_locked")
        #expect(storageError { _ = try storage.data(for: "leia") }?.code == "storage_locked")
        keychain.change(service) { $0.isLocked = false }
        #expect(try (storage.data(for: "leia"), storage.data(for: "luke")) == (Data("before".utf8), nil))
        try storage.store(Data("new".utf8), for: "luke")
        #expect(try storage.data(for: "luke") == Data("new".utf8))
    }

    @Test func sessionProviderWorksWithoutTheEntitlement() throws {
        keychain.change(service) { $0.hasEntitlement = false }
        try SessionProvider(storage: storage()).store(Session(userID: "leia", accessToken: "access"))
        #expect(try SessionProvider(storage: storage()).storedSession(for: "leia")?.accessToken == "access")
    }

    @Test func accessibilityIsStored() throws {
        let expected: [(KeychainSessionStorage.Accessibility, Bool, CFString)] = [
            (.afterFirstUnlock, false, kSecAttrAccessibleAfterFirstUnlock),
            (.afterFirstUnlock, true, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
            (.whenUnlocked, false, kSecAttrAccessibleWhenUnlocked),
            (.whenUnlocked, true, kSecAttrAccessibleWhenUnlockedThisDeviceOnly),
            (.whenPasscodeSet, false, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly),
        ]
        for (accessibility, thisDeviceOnly, attribute) in expected {
            let storage = KeychainSessionStorage(
                service: service, thisDeviceOnly: thisDeviceOnly, accessibility: accessibility)
            try storage.store(Data("x".utf8), for: "leia")
            let item = try #require(keychain.attributes(of: service).first)
            #expect(item[kSecAttrAccessible as String] as? String == attribute as String)
        }
    }
}

/// A keychain that fails in the middle of things.
@Suite struct KeychainLibertiesTests {
    private let service = UUID().uuidString
    private let keychain = FakeKeychain.shared

    @Test(arguments: 0..<4)
    func lockDuringAnOperationLosesNoSession(_ operations: Int) throws {
        let storage = KeychainSessionStorage(service: service)
        try storage.store(Data("old".utf8), for: "leia")
        keychain.change(service) { $0.operationsUntilLock = operations }
        var isStored = false
        do {
            try storage.store(Data("new".utf8), for: "leia")
            isStored = true
            _ = try storage.data(for: "leia")
            try storage.remove(for: "luke")
        } catch {
            #expect(error.code == "storage_locked")
        }
        keychain.change(service) { ($0.operationsUntilLock, $0.isLocked) = (nil, false) }
        #expect(try storage.data(for: "leia") == Data((isStored ? "new" : "old").utf8))
        #expect(keychain.attributes(of: service).count == 1)
    }

    @Test func failedKeychainCallsAreTypedErrorsAndLoseNoSession() throws {
        keychain.change(service) { $0.isUnreliable = true }
        let storage = KeychainSessionStorage(service: service)
        var stored: Data?
        for round in 0..<30 {
            do {
                let data = Data("\(round)".utf8)
                if round % 7 == 6 {
                    try storage.remove(for: "leia")
                    stored = nil
                } else {
                    try storage.store(data, for: "leia")
                    stored = data
                }
                #expect(try storage.data(for: "leia") == stored)
            } catch {
                #expect(["storage_locked", "storage_unavailable"].contains(error.code))
            }
        }
        keychain.change(service) { $0.isUnreliable = false }
        #expect(try storage.data(for: "leia") == stored)
    }
}
