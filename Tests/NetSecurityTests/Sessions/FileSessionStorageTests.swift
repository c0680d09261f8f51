import TestLab
import Testing

@testable import NetSecurity

@Suite struct FileSessionStorageTests {
    private let home: TemporaryDirectory
    private let folder: URL
    private let secret = Data("S3CR3T".utf8)

    init() throws {
        home = try TemporaryDirectory()
        folder = home.url.appendingPathComponent("state/app/sessions", isDirectory: true)
    }

    private func storage(key: Data? = nil) throws -> FileSessionStorage {
        try FileSessionStorage(directory: folder, encryptionKey: key)
    }

    private func file() throws -> URL { folder.appendingPathComponent(try #require(try files().first)) }
    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test(arguments: [false, true]) func storedSessionsAreReadByANewStorage(isSealed: Bool) throws {
        let key = isSealed ? Data(0..<32) : nil
        #expect(try storage(key: key).data(for: "ada") == nil)
        try storage(key: key).store(secret, for: "ada")
        try storage(key: key).store(Data("b".utf8), for: "bob")
        try storage(key: key).store(secret + secret, for: "ada")
        #expect(try storage(key: key).data(for: "ada") == secret + secret)
        #expect(try storage(key: key).data(for: "bob") == Data("b".utf8) && storage(key: key).data(for: "eve") == nil)
        try storage(key: key).remove(for: "ada")
        try storage(key: key).remove(for: "ada")
        #expect(try storage(key: key).data(for: "ada") == nil)
        try storage(key: key).removeAll()
        #expect(try files().isEmpty)
    }

    @Test func filesAndFoldersArePrivate() throws {
        try storage().store(secret, for: "ada")
        #expect(try (mode(folder.path), mode(folder.deletingLastPathComponent().path)) == (0o700, 0o700))
        for file in try files() { #expect(try mode(folder.appendingPathComponent(file).path) == 0o600) }
        #expect(try files().count == 1, "no temporary file is left")
    }

    @Test(arguments: ["../../escape", "a/b", "", ".", "\0", String(repeating: "long", count: 500), "ää😀"])
    func anyUserIDHasASafeFileName(userID: String) throws {
        try storage().store(secret, for: userID)
        #expect(try (storage().data(for: userID), files().count) == (secret, 1))
        #expect(try files().allSatisfy { $0.hasSuffix(".session") && $0.utf8.count == 72 })
    }

    @Test(arguments: [0o644, 0o660, 0o604]) func fileReadableByOthersIsRefused(mode: Int) throws {
        try storage().store(secret, for: "ada")
        #expect(try chmod(file().path, mode_t(mode)) == 0)
        #expect(refusal { try storage().data(for: "ada") }?.code == "storage_insecure")
    }

    @Test func folderReadableByOthersIsRefused() throws {
        try storage().store(secret, for: "ada")
        #expect(chmod(folder.path, 0o755) == 0)
        #expect(refusal { try storage().data(for: "ada") }?.code == "storage_insecure")
        #expect(refusal { try storage().store(secret, for: "bob") }?.code == "storage_insecure")
        #expect(refusal { try storage().remove(for: "ada") }?.code == "storage_insecure")
        #expect(refusal { try storage().removeAll() }?.code == "storage_insecure")
        #expect(try files().count == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away")) func fileOfAnotherOwnerIsRefused() throws {
        try storage().store(secret, for: "ada")
        #expect(try chown(file().path, 65534, 65534) == 0)
        #expect(refusal { try storage().data(for: "ada") }?.code == "storage_insecure")
        #expect(chown(folder.path, 65534, 65534) == 0)
        #expect(refusal { try storage().store(secret, for: "ada") }?.code == "storage_insecure")
    }

    @Test func symbolicLinksAreRefused() throws {
        try storage().store(secret, for: "ada")
        let file = try file()
        let elsewhere = home.file("elsewhere")
        try FileManager.default.moveItem(at: file, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
        #expect(refusal { try storage().data(for: "ada") }?.code == "storage_insecure")
        let link = home.url.appendingPathComponent("link", isDirectory: true)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
        #expect(refusal { try FileSessionStorage(directory: link).data(for: "ada") }?.code == "storage_insecure")
    }

    @Test func unreachableFolderIsUnavailable() throws {
        let long = home.url.appendingPathComponent(String(repeating: "x", count: 300), isDirectory: true)
        let storage = try FileSessionStorage(directory: long)
        #expect(refusal { try storage.data(for: "ada") }?.code == "storage_unavailable")
        #expect(refusal { try storage.store(secret, for: "ada") }?.code == "storage_unavailable")
        try secret.write(to: home.file("file"))
        let inFile = try FileSessionStorage(directory: home.file("file").appendingPathComponent("sub"))
        #expect(throws: SessionStorageError.self) { try inFile.data(for: "ada") }
    }

    @Test func lockTimeoutIsUnavailable() throws {
        try storage().store(secret, for: "ada")
        let holder = open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        let storage = FileSessionStorage(directory: folder, usableKey: nil, lockTimeout: 0.02)
        for work in [
            { try storage.store(Data(), for: "ada") }, { try storage.remove(for: "ada") }, { try storage.removeAll() },
        ] {
            let error = refusal(work)
            #expect(error?.code == "storage_unavailable" && error?.message.contains(folder.path) == true)
        }
        #expect(try storage.data(for: "ada") == secret)
    }

    @Test func temporaryFilesOfACrashAreRemoved() throws {
        try storage().store(secret, for: "ada")
        let (session, leftover) = try (files(), folder.appendingPathComponent(".networking-abc.new"))
        try Data("half".utf8).write(to: leftover)
        #expect(try storage().data(for: "ada") == secret)
        try storage().store(Data("new".utf8), for: "ada")
        #expect(try (storage().data(for: "ada"), files()) == (Data("new".utf8), session))
        try Data("half".utf8).write(to: leftover)
        try storage().removeAll()
        #expect(try files().isEmpty)
    }

    @Test func removeAllKeepsOtherFiles() throws {
        try storage().store(secret, for: "ada")
        try secret.write(to: folder.appendingPathComponent("mine.txt"))
        try storage().removeAll()
        #expect(try files() == ["mine.txt"])
    }

    @Test func oversizedFileIsUnreadable() throws {
        try storage().store(Data(count: 2 << 20), for: "ada")
        #expect(refusal { try storage().data(for: "ada") }?.code == "storage_unreadable")
    }

    @Test func concurrentWritersNeverMix() async throws {
        let storage = try storage()
        let values = (0..<20).map { Data(repeating: UInt8($0), count: 5000) }
        _ = try await atOnce(values.count) { number in
            try storage.store(values[number], for: "ada")
            let seen = try #require(try storage.data(for: "ada"))
            #expect(values.contains(seen))
        }
    }

    @Test func encryptedFileDoesNotContainTheSession() throws {
        try storage(key: Data(0..<32)).store(secret, for: "ada")
        let stored = try Data(contentsOf: file())
        #expect(stored.range(of: secret) == nil && stored.count == 5 + 12 + secret.count + 16)
    }

    @Test func encryptedFileNeedsItsKey() throws {
        try storage(key: Data(0..<32)).store(secret, for: "ada")
        #expect(refusal { try storage(key: Data(1..<33)).data(for: "ada") }?.code == "storage_unreadable")
        #expect(refusal { try storage().data(for: "ada") }?.code == "storage_unreadable")
        try storage().store(secret, for: "bob")
        #expect(refusal { try storage(key: Data(0..<32)).data(for: "bob") }?.code == "storage_unreadable")
    }

    @Test func encryptedFileBelongsToItsUser() throws {
        let storage = try storage(key: Data(0..<32))
        try storage.store(secret, for: "ada")
        let adas = try file()
        try storage.store(Data("bob's".utf8), for: "bob")
        let bobs = folder.appendingPathComponent(try #require(try files().first { $0 != adas.lastPathComponent }))
        try FileManager.default.removeItem(at: bobs)
        try FileManager.default.moveItem(at: adas, to: bobs)
        #expect(refusal { try storage.data(for: "bob") }?.code == "storage_unreadable")
    }

    @Test(arguments: [0, 16, 31, 33]) func keyOfAnotherLengthIsRefused(count: Int) {
        #expect(refusal { try storage(key: Data(count: count)) }?.code == "storage_insecure")
    }
}

private func refusal(_ work: () throws -> some Any) -> SessionStorageError? {
    #expect(throws: SessionStorageError.self) { _ = try work() }
}
