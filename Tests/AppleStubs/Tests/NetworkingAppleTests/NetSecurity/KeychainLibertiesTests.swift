import NetCore
import Security
import Testing

@testable import NetSecurity

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
