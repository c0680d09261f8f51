public import NetCore

/// A URL as RFC 3986, sections 6.2.2 and 6.2.3 normalise it, as far as two spellings are common: scheme and host in lower case, no
/// default port, no fragment, no user information.
///
/// Works on bytes: `URLComponents` decodes and encodes hosts again, does it differently on each platform, and takes longer than
/// all else of a hit.
struct CacheAddress {
    let text: String

    /// Nil for a URL without an authority.
    ///
    /// - Parameter ignored: the names of query items to leave out.
    init?(_ url: URL, ignoringQueryItems ignored: Set<String> = []) {
        var whole = url.absoluteString
        let text: String? = whole.withUTF8 { bytes in
            let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < end,
                bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
            else { return nil }
            let start = colon + 3
            let pathStart =
                bytes[start..<end].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? end
            let at = bytes[start..<pathStart].lastIndex(of: UInt8(ascii: "@"))
            let host = Self.host(bytes[(at.map { $0 + 1 } ?? start)..<pathStart], scheme: bytes[..<colon])
            guard !host.isEmpty else { return nil }
            var result: [UInt8] = []
            result.reserveCapacity(end + 1)
            result += bytes[..<colon].lazy.map(\.asciiLowercased)
            result += "://".utf8
            result += host.lazy.map(\.asciiLowercased)
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
        // One byte longer for https, and nothing else is of that length.
        let usual = scheme.count == 5 ? "443" : scheme.count == 4 ? "80" : ""
        return port.elementsEqual(usual.utf8) ? authority[..<colon] : authority
    }
}

/// What stands in a cache's key for the body of a request.
struct BodyKey {
    /// Nil for a GET without a body.
    let text: String?

    /// - Parameter methodsKeyedByBody: methods that are told apart by their bodies.
    /// - Returns: nil if the request is none for a cache: another method, or a body that is not in memory.
    init?(_ request: URLRequest, body: HTTPBody?, methodsKeyedByBody: Set<HTTPMethod>) {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let isEmpty = body == nil || body?.length == 0
        if isEmpty, method == .get || method == .head {
            text = nil
            return
        }
        guard methodsKeyedByBody.contains(method), let data = isEmpty ? Data() : body?.data else { return nil }
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        text = method.rawValue + cacheDigest(of: [("type", type), ("body", SHA256.hex(data))])
    }
}

/// The secret key with which a store that outlives the process, or is shared by several, keeps apart the users of its responses.
///
/// What such a store keeps of an identity is HMAC-SHA-256 (RFC 2104) under this key, so that whoever reads the store can neither read
/// the credentials nor try out guesses. All processes that share the store need the same key.
public struct CacheIdentityKey: Hashable, Sendable {
    let bytes: Data

    /// A key from its bytes.
    ///
    /// - Parameter bytes: 16 bytes or more, from a source of randomness.
    /// - Throws: ``NetworkError/unsupported(_:)`` for fewer.
    public init(_ bytes: Data) throws(NetworkError) {
        guard bytes.count >= 16 else {
            throw .unsupported("A CacheIdentityKey needs 16 random bytes or more; \(bytes.count) were given.")
        }
        self.bytes = bytes
    }

    private init(random count: Int) {
        var generator = SystemRandomNumberGenerator()
        bytes = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// A new random key of 32 bytes.
    public static func random() -> CacheIdentityKey { CacheIdentityKey(random: 32) }

    /// The key that a folder keeps in a file of its own, made when it is first asked for.
    ///
    /// - Throws: what reading or writing the file throws.
    static func stored(at path: String) throws -> CacheIdentityKey {
        if let key = try read(path) { return key }
        let new = CacheIdentityKey.random()
        do {
            try AtomicFile.write(new.bytes, to: path, existing: .keep)
            return new
        } catch  where error.code == EEXIST {
            // Of two processes that make one at the same time, the first wins.
        }
        guard let key = try read(path) else { throw SystemError("read", path, code: EIO) }
        return key
    }

    /// Nil if there is no whole key.
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
    /// Shows nothing of the key.
    public var description: String { "CacheIdentityKey" }

    /// Shows nothing of the key, so that `dump` does not either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Gives each identity the text that stands for it in the keys of a store.
///
/// In memory identities are compared as they are, and numbered. What leaves the process is a keyed digest. Either is worked out once for
/// an identity: the digest of a long token takes microseconds.
final class CacheOwners: Sendable {
    private struct State {
        var texts: [RequestIdentity: String] = [:]
        var count: UInt64 = 0
    }

    private let state = Locked(State())
    private let key: CacheIdentityKey?

    /// Identities that are remembered. When there are more, all are forgotten: that costs some stored responses in memory, and a digest
    /// each elsewhere.
    private static let limit = 16_384

    /// For all stores in memory, so that two caches over one store agree.
    static let inMemory = CacheOwners(key: nil)
    private static let process = CacheIdentityKey.random()

    /// - Parameter key: of a store that outlives the process; nil for memory.
    init(key: CacheIdentityKey?) {
        self.key = key
    }

    static func of(_ key: CacheIdentityKey?) -> CacheOwners {
        key.map { CacheOwners(key: $0) } ?? .inMemory
    }

    /// The text for an identity; empty for an anonymous one.
    func text(of identity: RequestIdentity) -> String {
        if identity.isAnonymous { return "" }
        if let known = state.withLock({ $0.texts[identity] }) { return known }
        let digest = key.map { SHA256.hmac(identity.bytes, key: $0.bytes).hexadecimal }
        return state.withLock { state in
            if let known = state.texts[identity] { return known }
            if state.texts.count >= Self.limit { state.texts = [:] }
            state.count += 1
            let text = digest ?? "#\(state.count)"
            state.texts[identity] = text
            return text
        }
    }

    /// A keyed digest of a value that must not be stored as text.
    func digest(of value: String) -> String {
        SHA256.hmac(Array(value.utf8), key: (key ?? Self.process).bytes).hexadecimal
    }
}

/// The owners of one store, once its key is known.
struct StoreOwners: Sendable {
    private let known = Locked<CacheOwners?>(nil)
    private let key: @Sendable () throws -> CacheIdentityKey?

    init(_ key: @escaping @Sendable () throws -> CacheIdentityKey?) {
        self.key = key
    }

    /// Nil if the key cannot be read: then nothing of an identity can be stored.
    func owners() -> CacheOwners? {
        if let owners = known.withLock({ $0 }) { return owners }
        do {
            let new = CacheOwners.of(try key())
            return known.withLock { known in
                let owners = known ?? new
                known = owners
                return owners
            }
        } catch {
            // Responses are not stored then; the next request tries again.
            return nil
        }
    }
}
