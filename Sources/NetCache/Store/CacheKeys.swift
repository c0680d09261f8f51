public import NetCore

/// A URL normalised as in RFC 3986, sections 6.2.2 and 6.2.3: scheme and host in lower case, no default port, no fragment, no user information. It
/// works on bytes. `URLComponents` decodes and encodes hosts again, differs between platforms, and takes longer than the rest of a hit.
struct CacheAddress {
    let text: String

    /// Nil for a URL without an authority. Leaves out query items with ignored names.
    init?(_ url: URL, ignoringQueryItems ignored: Set<String> = []) {
        var whole = url.absoluteString
        let text: String? = whole.withUTF8 { bytes in
            let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < end,
                bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
            else { return nil }
            let start = colon + 3
            let pathStart = bytes[start..<end].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? end
            let at = bytes[start..<pathStart].lastIndex(of: UInt8(ascii: "@"))
            let host = Self.host(bytes[(at.map { $0 + 1 } ?? start)..<pathStart], scheme: bytes[..<colon])
            guard !host.isEmpty else { return nil }
            var result: [UInt8] = []
            result.reserveCapacity(end + 1)
            result += bytes[..<colon]
            result += "://".utf8
            result += host
            for index in result.indices { result[index] = result[index].asciiLowercased }
            if pathStart == end || bytes[pathStart] != UInt8(ascii: "/") { result.append(UInt8(ascii: "/")) }
            result += bytes[pathStart..<end]
            return String(decoding: result, as: UTF8.self)
        }
        guard let text else { return nil }
        self.text = ignored.isEmpty ? text : Self.leavingOut(ignored, of: text)
    }

    private static func leavingOut(_ names: Set<String>, of address: String) -> String {
        guard let question = address.firstIndex(of: "?") else { return address }
        let items = address[address.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { !names.contains(String($0.prefix { $0 != "=" })) }
        guard kept.count < items.count else { return address }
        return address[..<question] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    private static func host(
        _ authority: Slice<UnsafeBufferPointer<UInt8>>, scheme: Slice<UnsafeBufferPointer<UInt8>>
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return authority }
        let port = authority[(colon + 1)...]
        guard !port.isEmpty else { return authority[..<colon] }
        // Of both schemes only https has five letters.
        let usual = scheme.count == 5 ? "443" : scheme.count == 4 ? "80" : ""
        return port.elementsEqual(usual.utf8) ? authority[..<colon] : authority
    }
}

/// The secret key that separates the users of a store that outlives the process or serves several processes.
///
/// Such a store keeps an identity as HMAC-SHA-256 (RFC 2104) under this key. A reader of the store can neither see the
/// credentials nor test guesses. All processes that share the store need the same key.
public struct CacheIdentityKey: Hashable, Sendable {
    let bytes: Data

    /// Creates a key from its bytes.
    ///
    /// - Parameter bytes: 16 or more random bytes.
    /// - Throws: ``NetworkError/unsupported(_:)`` for fewer bytes.
    public init(_ bytes: Data) throws(NetworkError) {
        guard bytes.count >= 16 else {
            throw .unsupported("A CacheIdentityKey needs 16 random bytes or more; \(bytes.count) were given.")
        }
        self.bytes = bytes
    }

    private init() { bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }

    /// Returns a new random key of 32 bytes.
    public static func random() -> CacheIdentityKey { CacheIdentityKey() }

    /// Returns the key in a file. Creates the file at the first call.
    static func stored(at path: String) throws -> CacheIdentityKey {
        if let key = try read(path) { return key }
        let new = CacheIdentityKey.random()
        do {
            try AtomicFile.write(new.bytes, to: path, replaces: false)
            return new
        } catch  where error.code == EEXIST {
            // If two processes create the file at the same time, the first one wins.
        }
        guard let key = try read(path) else { throw SystemError("read", path, code: EIO) }
        return key
    }

    /// Nil if there is no complete key.
    private static func read(_ path: String) throws -> CacheIdentityKey? {
        let file: DiskFile
        do {
            file = try DiskFile(path, O_RDONLY)
        } catch  where error.code == ENOENT {
            return nil
        }
        let bytes = try file.read(64, at: 0)
        guard bytes.count >= 16 else {
            Directory.remove(path)
            return nil
        }
        return try CacheIdentityKey(bytes)
    }
}

extension CacheIdentityKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "CacheIdentityKey" }

    /// Hides the key from `dump`.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Maps each identity to the text that stands for it in the keys of a store: a digest under the store's key, or a key of the process in memory. It is
/// computed once for each identity, since the digest of a long token takes microseconds.
final class CacheOwners: Sendable {
    private let texts = Locked<[RequestIdentity: String]>([:])
    private let key: CacheIdentityKey

    /// The number of identities to remember. When there are more, all are forgotten, and their digests are computed again.
    private static let limit = 16_384

    /// The key of all stores in memory, so that two caches over one store agree.
    private static let process = CacheIdentityKey.random()

    /// - Parameter key: the key of a store that outlives the process; nil for memory.
    init(key: CacheIdentityKey?) { self.key = key ?? Self.process }

    /// Returns the text for an identity; empty for an anonymous one.
    func text(of identity: RequestIdentity) -> String {
        if identity.isAnonymous { return "" }
        if let known = texts.withLock({ $0[identity] }) { return known }
        let text = SHA256.hmac(identity.bytes, key: key.bytes).hexadecimal
        texts.withLock { texts in
            if texts.count >= Self.limit { texts = [:] }
            texts[identity] = text
        }
        return text
    }

    /// Returns a keyed digest of a value that must not be stored as text.
    func digest(of value: String) -> String { SHA256.hmac(Array(value.utf8), key: key.bytes).hexadecimal }
}
