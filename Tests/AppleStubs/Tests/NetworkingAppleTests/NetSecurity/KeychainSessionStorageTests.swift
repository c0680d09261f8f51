import NetCore
import Security
import Testing

@testable import NetSecurity

/// The error of a use of the keychain, or nil.
func storageError(of body: () throws -> Void) -> SessionStorageError? {
    if case .failure(let error) = Result(catching: body) { error as? SessionStorageError } else { nil }
}

@Suite struct KeychainSessionStorageTests {
    /// A service that no other test has.
    private let service = UUID().uuidString
    private let keychain = FakeKeychain.shared

    private func storage(_ accessGroup: String? = nil) -> KeychainSessionStorage {
        KeychainSessionStorage(service: service, accessGroup: accessGroup)
    }

    @Test func savesReadsReplacesAndDeletes() throws {
        let storage = storage()
        #expect(try storage.data(for: "leia") == nil)
        try storage.store(Data("one".utf8), for: "leia")
        try storage.store(Data("two".utf8), for: "leia")
        try storage.store(Data("three".utf8), for: "luke")
        #expect(try storage.data(for: "leia") == Data("two".utf8))
        #expect(keychain.attributes(of: service).count == 2)
        try storage.remove(for: "leia")
        try storage.remove(for: "leia")
        #expect(try (storage.data(for: "leia"), storage.data(for: "luke")) == (nil, Data("three".utf8)))
        try storage.removeAll()
        #expect(keychain.attributes(of: service).isEmpty)
    }

    @Test func servicesHaveSeparateItems() throws {
        let other = KeychainSessionStorage(service: service + ".other")
        try storage().store(Data("mine".utf8), for: "leia")
        #expect(try other.data(for: "leia") == nil)
        try other.removeAll()
        #expect(try storage().data(for: "leia") == Data("mine".utf8))
    }

    @Test func itemIsReadableAfterFirstUnlock() throws {
        try storage().store(Data("x".utf8), for: "leia")
        let item = try #require(keychain.attributes(of: service).first)
        #expect(item[kSecAttrAccessible as String] as? String == kSecAttrAccessibleAfterFirstUnlock as String)
        #expect(item[kSecAttrSynchronizable as String] as? Bool == false)
        #expect(item[kSecUseDataProtectionKeychain as String] as? Bool == true)
    }

    @Test func synchronizableItemIsInICloud() throws {
        let storage = KeychainSessionStorage(service: service, synchronizable: true)
        try storage.store(Data("x".utf8), for: "leia")
        #expect(keychain.attributes(of: service).first?[kSecAttrSynchronizable as String] as? Bool == true)
        #expect(try storage.data(for: "leia") == Data("x".utf8))
        // Another item than the one of this device.
        #expect(try self.storage().data(for: "leia") == nil)
    }

    @Test func impossibleSettingsAreRefused() {
        for storage in [
            KeychainSessionStorage(service: service, synchronizable: true, thisDeviceOnly: true),
            KeychainSessionStorage(service: service, synchronizable: true, accessControl: .userPresence),
            KeychainSessionStorage(service: service, synchronizable: true, accessibility: .whenPasscodeSet),
            KeychainSessionStorage(service: service, accessControl: [.and, .or, .biometryAny, .devicePasscode]),
        ] {
            #expect(storageError { try storage.store(Data("x".utf8), for: "leia") }?.code == "storage_unsupported")
        }
        #expect(keychain.attributes(of: service).isEmpty)
    }

    @Test func lockedKeychainIsAnError() throws {
        try storage().store(Data("x".utf8), for: "leia")
        keychain.change(service) { $0.isLocked = true }
        #expect(storageError { _ = try storage().data(for: "leia") }?.code == "storage_locked")
        #expect(storageError { try storage().store(Data("y".utf8), for: "leia") }?.code == "storage_locked")
        #expect(storageError { try storage().remove(for: "leia") }?.code == "storage_locked")
        keychain.change(service) { $0.isLocked = false }
        #expect(try storage().data(for: "leia") == Data("x".utf8))
    }

    @Test func saveAfterAnotherProcessAddedTheItem() throws {
        keychain.change(service) { [service] condition in
            condition.before[.add] = {
                try? KeychainSessionStorage(service: service).store(Data("theirs".utf8), for: "leia")
            }
        }
        try storage().store(Data("ours".utf8), for: "leia")
        #expect(try storage().data(for: "leia") == Data("ours".utf8))
        #expect(keychain.attributes(of: service).count == 1)
    }

    @Test func accessGroupWithoutEntitlementIsAnError() throws {
        let storage = storage("TEAM.com.example.shared")
        let error = #expect(throws: SessionStorageError.self) { try storage.store(Data("x".utf8), for: "leia") }
        #expect((error?.code, error.map { "\($0)".contains("entitlements") }) == ("storage_unsupported", true))
        keychain.change(service) { $0.accessGroups = ["TEAM.com.example.shared"] }
        try storage.store(Data("x".utf8), for: "leia")
        #expect(try storage.data(for: "leia") == Data("x".utf8))
    }

    @Test func declinedAuthenticationIsAnError() throws {
        let storage = KeychainSessionStorage(service: service, accessControl: .userPresence)
        try storage.store(Data("x".utf8), for: "leia")
        let item = try #require(keychain.attributes(of: service).first)
        #expect((item[kSecAttrAccessControl as String] as? SecAccessControl)?.flags == .userPresence)
        #expect(item[kSecAttrAccessible as String] == nil)
        #expect(try storage.data(for: "leia") == Data("x".utf8))
        keychain.change(service) { $0.userAnswer = errSecUserCanceled }
        #expect(storageError { _ = try storage.data(for: "leia") }?.code == "storage_unavailable")
    }

    @Test func foreignItemIsUnreadable() throws {
        try storage().store(Data("x".utf8), for: "leia")
        keychain.spoil(service)
        #expect(storageError { _ = try storage().data(for: "leia") }?.code == "storage_unreadable")
    }

    @Test(arguments: [
        (errSecInteractionNotAllowed, "storage_locked"), (errSecAuthFailed, "storage_unavailable"),
        (errSecNotAvailable, "storage_unavailable"), (errSecUserCanceled, "storage_unavailable"),
        (errSecNoDefaultKeychain, "storage_unavailable"), (errSecDecode, "storage_unreadable"),
        (errSecMissingEntitlement, "storage_unsupported"), (-1, "storage_unavailable"),
    ])
    func keychainStatusHasItsError(_ status: OSStatus, _ expected: String) {
        keychain.change(service) { $0.failures[.find] = status }
        let error = #expect(throws: SessionStorageError.self) { _ = try storage().data(for: "leia") }
        #expect((error?.code, error.map { "\($0)".contains("\(status)") }) == (expected, true))
        keychain.change(service) { $0.failures[.delete] = status }
        #expect(storageError { try storage().removeAll() }?.code == expected)
        keychain.change(service) { $0.failures[.update] = status }
        #expect(storageError { try storage().store(Data(), for: "leia") }?.code == expected)
    }

    @Test func platformStorageIsTheKeychain() throws {
        let sessions = SessionProvider()
        let user = UUID().uuidString
        let session = Session(userID: user, accessToken: "x")
        try sessions.store(session)
        defer { try? sessions.remove(for: user) }
        #expect(
            keychain.attributes(of: "networking.sessions").contains { $0[kSecAttrAccount as String] as? String == user }
        )
        #expect(try sessions.storedSession(for: user) == session)
    }
}
