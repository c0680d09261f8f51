public import NetCore

/// Keeps each session in a file that only this user can read, sealed if a key is given.
///
/// The folder has mode 0700 and the files 0600. What others could read or change (a wider mode, another owner, a symbolic link) is
/// refused with ``SessionStorageError/insecure(_:)``, also for reading. Files are replaced as a whole, after they are on the disk, by one
/// process at a time. If another process has locked the folder for 10 seconds, a change fails with
/// ``SessionStorageError/unavailable(_:)``. The names of the files are digests of the user IDs.
///
/// ```swift
/// let storage = try FileSessionStorage(directory: folder, encryptionKey: key)    // 32 bytes, from wherever you keep secrets
/// let sessions = SessionProvider(storage: storage)
/// ```
///
/// A key seals the bytes by AES-256-GCM, bound to the user ID, so that one user's file cannot replace another's. It does not detect
/// rollbacks: a process that can write to the folder can restore an older file of the same user.
public struct FileSessionStorage: SessionStorage, CustomReflectable {
    private let path: String
    private let key: Data?
    /// The longest wait for another process, in seconds.
    private let lockTimeout: TimeInterval

    /// Creates a storage in a folder of its own, which is created (0700) with the first session.
    ///
    /// - Parameters:
    ///   - directory: the folder.
    ///   - encryptionKey: 32 random bytes (not a password); nil to store the sessions unsealed.
    /// - Throws: ``SessionStorageError/insecure(_:)`` for a key of another length, ``SessionStorageError/unsupported(_:)`` if there
    ///   is a key and libcrypto cannot be loaded.
    public init(directory: URL, encryptionKey: Data? = nil) throws(SessionStorageError) {
        if let encryptionKey {
            guard encryptionKey.count == 32 else {
                throw .insecure(
                    "A key has 32 random bytes, this one \(encryptionKey.count). Derive one from a password with PBKDF2 or "
                        + "scrypt.")
            }
            do { try Cryptography.requireLibrary() } catch { throw .unsupported(error.description) }
        }
        self.init(directory: directory, usableKey: encryptionKey)
    }

    /// - Parameter lockTimeout: the longest wait for another process that has locked the folder, in seconds.
    init(directory: URL, usableKey: Data?, lockTimeout: TimeInterval = 10) {
        path = directory.path
        key = usableKey
        self.lockTimeout = lockTimeout
    }

    public func data(for userID: String) throws(SessionStorageError) -> Data? {
        guard let stored = try read(Self.name(of: userID)) else { return nil }
        let isSealed = stored.starts(with: Self.mark)
        guard let key else {
            guard !isSealed else {
                throw .unreadable("The stored session is sealed. Give the storage the key with which it was sealed.")
            }
            return stored
        }
        let sealed = Data(stored.dropFirst(Self.mark.count))
        guard isSealed, let plain = Cryptography.open(sealed, key: key, context: Self.context(userID)) else {
            throw .unreadable("The stored session was sealed with another key, or has been changed. Sign in again.")
        }
        return plain
    }

    public func store(_ data: Data, for userID: String) throws(SessionStorageError) {
        var stored = data
        if let key {
            guard let sealed = Cryptography.seal(data, key: key, context: Self.context(userID)) else {
                throw .unavailable("The session could not be sealed: the system's cryptography failed.")
            }
            stored = Self.mark + sealed
        }
        guard let folder = try opened(creating: true) else { throw failure("The folder was removed", ENOENT) }
        try lock(folder)
        do { try AtomicFile.write(stored, named: Self.name(of: userID), in: folder.descriptor) } catch {
            throw failure("A session file cannot be written (\(error.operation))", error.code)
        }
    }

    public func remove(for userID: String) throws(SessionStorageError) {
        guard let folder = try opened(creating: false) else { return }
        try lock(folder)
        try remove(Self.name(of: userID), in: folder)
        fsync(folder.descriptor)
    }

    /// Removes all session files in the folder, and no others.
    public func removeAll() throws(SessionStorageError) {
        guard let folder = try opened(creating: false) else { return }
        try lock(folder)
        var names: [String] = []
        Directory.forEachName(in: path) { names.append(String(decoding: $0, as: UTF8.self)) }
        for name in names where name.hasSuffix(Self.suffix) { try remove(name, in: folder) }
        AtomicFile.sweep(path)
        fsync(folder.descriptor)
    }

    /// Shows the folder, and whether there is a key.
    public var customMirror: Mirror {
        Mirror(self, children: ["directory": path, "isEncrypted": key != nil], displayStyle: .struct)
    }

    private static let suffix = ".session"

    /// Begins sealed bytes. JSON never begins so, which reveals a forgotten key.
    private static let mark = Data("\u{1}NSS1".utf8)

    private static func context(_ userID: String) -> Data { mark + Data(userID.utf8) }

    private static func name(of userID: String) -> String { SHA256.hex(Data(userID.utf8)) + suffix }
}

// Calls are relative to the folder that was opened and checked, so that no other process can exchange it meanwhile.
extension FileSessionStorage {
    /// More bytes than any session has.
    private static let sizeLimit = 1 << 20

    private func read(_ name: String) throws(SessionStorageError) -> Data? {
        guard let folder = try opened(creating: false) else { return nil }
        let descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("A session file cannot be opened", errno)
        }
        let file = DiskFile(owning: descriptor)
        let size = try check(file, "A session file", kind: S_IFREG).st_size
        guard size <= Self.sizeLimit else { throw .unreadable("A session file in \(path) is larger than any session.") }
        do { return try file.read(Int(size), at: 0) } catch {
            throw failure("A session file cannot be read", error.code)
        }
    }

    private func remove(_ name: String, in folder: DiskFile) throws(SessionStorageError) {
        guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else {
            throw failure("A session file cannot be removed", errno)
        }
    }

    /// Returns the folder; nil if it does not exist and is not to be created.
    private func opened(creating: Bool) throws(SessionStorageError) -> DiskFile? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var descriptor = open(path, flags)
        if descriptor < 0, errno == ENOENT {
            guard creating else { return nil }
            do { try Directory.make(path) } catch { throw failure("The folder cannot be created", error.code) }
            descriptor = open(path, flags)
        }
        guard descriptor >= 0 else { throw failure("The folder cannot be opened", errno) }
        let folder = DiskFile(owning: descriptor)
        _ = try check(folder, "The folder", kind: S_IFDIR)
        return folder
    }

    /// - Throws: unless the file is of that kind, owned by this user, and closed to others.
    private func check(_ file: DiskFile, _ what: String, kind: mode_t) throws(SessionStorageError) -> stat {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw failure("\(what) cannot be checked", errno) }
        guard status.st_mode & S_IFMT == kind else { throw .insecure("\(what) in \(path) is of another kind.") }
        guard status.st_uid == geteuid() else { throw .insecure("\(what) (\(path)) belongs to another user.") }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .insecure(
                "\(what) (\(path)) has mode \(mode): others may read it. Set it to \(kind == S_IFDIR ? 700 : 600).")
        }
        return status
    }

    /// Waits for other processes. The lock ends when the folder is closed.
    private func lock(_ folder: DiskFile) throws(SessionStorageError) {
        do { try folder.lock(within: lockTimeout) } catch {
            let seconds = String(format: "%g", lockTimeout)
            throw .unavailable("Another process has locked the folder (\(path)) for \(seconds) s. Try again later.")
        }
    }

    private func failure(_ what: String, _ code: Int32) -> SessionStorageError {
        let text = "\(what) (\(path)): \(String(cString: strerror(code)))."
        // A symbolic link where none is allowed.
        return code == ELOOP || code == ENOTDIR ? .insecure(text) : .unavailable(text)
    }
}
