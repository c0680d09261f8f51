public import NetCore

/// Keeps each session in a file that only this user can read, sealed with a key if one is given.
///
/// The folder has mode 0700 and the files 0600. What others could read or change (a wider mode, another owner, a symbolic link) is
/// refused with ``SessionStorageError/insecure(_:)``, for reading too. Files are replaced as a whole, after they are on the disk, by one
/// process at a time. Their names are digests of the users' names.
///
/// ```swift
/// let storage = try FileSessionStorage(directory: folder, encryptionKey: key)    // 32 bytes, from wherever you keep secrets
/// let sessions = SessionProvider(storage: storage)
/// ```
///
/// With a key the bytes are sealed by AES-256-GCM together with the user's name, so that a file cannot be put in another one's place.
/// Somebody who can write to the folder can still put an older file of the same user back.
public struct FileSessionStorage: SessionStorage {
    private let folder: PrivateFolder
    private let cipher: SessionCipher?

    /// A storage in a folder of its own, which is made (0700) when something is stored.
    ///
    /// - Parameters:
    ///   - directory: the folder.
    ///   - encryptionKey: 32 random bytes to seal with (not a password); nil to store as it is.
    /// - Throws: ``SessionStorageError/insecure(_:)`` for a key of another length, ``SessionStorageError/unsupported(_:)`` if there
    ///   is a key and no library to use it with (libcrypto).
    public init(directory: URL, encryptionKey: Data? = nil) throws(SessionStorageError) {
        folder = PrivateFolder(path: directory.path)
        if let encryptionKey { cipher = try SessionCipher(key: encryptionKey) } else { cipher = nil }
    }

    /// What is stored for a user.
    ///
    /// - Throws: ``SessionStorageError``.
    public func data(for userID: String) throws(SessionStorageError) -> Data? {
        guard let stored = try folder.read(Self.name(of: userID)) else { return nil }
        return try cipher.open(stored, for: userID)
    }

    /// Stores bytes in place of those before.
    ///
    /// - Throws: ``SessionStorageError``.
    public func store(_ data: Data, for userID: String) throws(SessionStorageError) {
        try folder.write(try cipher.seal(data, for: userID), to: Self.name(of: userID))
    }

    /// Removes the user's file.
    ///
    /// - Throws: ``SessionStorageError``.
    public func remove(for userID: String) throws(SessionStorageError) {
        try folder.remove(Self.name(of: userID))
    }

    /// Removes all files of sessions in the folder, and leaves others alone.
    ///
    /// - Throws: ``SessionStorageError``.
    public func removeAll() throws(SessionStorageError) {
        try folder.removeAll(withSuffix: Self.suffix)
    }

    private static let suffix = ".session"

    private static func name(of userID: String) -> String { SHA256.hex(Data(userID.utf8)) + suffix }
}

extension FileSessionStorage: CustomReflectable {
    /// Shows the folder, and whether there is a key.
    public var customMirror: Mirror {
        Mirror(self, children: ["directory": folder.path, "isEncrypted": cipher != nil], displayStyle: .struct)
    }
}
