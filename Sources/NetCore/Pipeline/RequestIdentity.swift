/// Whose request this is: what a cache and coalescing put into their keys, so that a response to one user never reaches another.
///
/// An identity is **named** (``RequestContext/partition``, a provider's user, the client), or a set of **credential fields** of the
/// prepared request, or **unknown**. A request without a name and without credentials is anonymous. Two identities are equal if and only
/// if their requests may share a response.
///
/// No description of it shows a credential.
public struct RequestIdentity: Hashable, Sendable {
    enum Owner: Hashable, Sendable {
        case unknown
        case named(String)
        /// Sorted by name; empty for an anonymous request.
        case credentials([Field])

        static func == (one: Owner, other: Owner) -> Bool {
            switch (one, other) {
            case (.unknown, .unknown): true
            case (.named(let one), .named(let other)): ByteText(one) == ByteText(other)
            case (.credentials(let one), .credentials(let other)): one == other
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            switch self {
            case .unknown: hasher.combine(0)
            case .named(let name): hasher.combine(ByteText(name))
            case .credentials(let fields): hasher.combine(fields)
            }
        }
    }

    struct Field: Hashable, Sendable {
        /// In lower case.
        let name: String
        let value: String

        static func == (one: Field, other: Field) -> Bool {
            one.name.utf8.elementsEqual(other.name.utf8) && one.value.utf8.elementsEqual(other.value.utf8)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ByteText(name))
            hasher.combine(ByteText(value))
        }
    }

    /// Text that is compared byte for byte: two names that differ only in their Unicode normalisation are two.
    private struct ByteText: Hashable {
        let text: String

        init(_ text: String) { self.text = text }

        static func == (one: ByteText, other: ByteText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(0xFF as UInt8)
        }
    }

    /// What stands for the cookies of a store.
    package struct CookieScope: Hashable, Sendable {
        /// The name of the store.
        package let name: String
        /// How often the store's user changed on the site of the request.
        package let epoch: UInt64

        package init(name: String, epoch: UInt64) {
            self.name = name
            self.epoch = epoch
        }
    }

    let owner: Owner
    /// The names that interceptors further in give: see ``CredentialOwner``.
    var owners: [String] = []
    /// The transport's identity, where its settings select the server or the user; nil for the defaults.
    var connection: String?
    /// Nil where no cookie was sent, and none has ever told users apart.
    var cookies: CookieScope?

    /// Whether the owner is not known: nothing may be looked up or stored for such a request.
    public var isUnknown: Bool { owner == .unknown }

    /// Whether the request carries nothing that says who is asking.
    public var isAnonymous: Bool {
        owner == .credentials([]) && owners.isEmpty && connection == nil && cookies == nil
    }

    /// The stable name of the owner; nil if the credentials alone tell.
    public var name: String? { if case .named(let name) = owner { name } else { nil } }

    /// Whether the request carries credentials, or the name of an owner.
    package var hasOwner: Bool { owner != .credentials([]) || !owners.isEmpty || cookies != nil }

    /// The identity that the same request would have without any cookie of the store; nil if a cookie tells users apart.
    package var beforeCookies: RequestIdentity? {
        guard let cookies, cookies.epoch == 0 else { return nil }
        var identity = self
        identity.cookies = nil
        return identity
    }

    /// The identity for a cache that serves strangers: the name and the connection, no credential.
    package var shared: RequestIdentity {
        let owner: Owner = if case .credentials = self.owner { .credentials([]) } else { self.owner }
        return RequestIdentity(owner: owner, connection: connection)
    }

    package func adding(owners: [String], connection: String?, cookies: CookieScope?) -> RequestIdentity {
        RequestIdentity(owner: owner, owners: owners, connection: connection, cookies: cookies)
    }

    /// All of the identity as bytes, each part behind its length, so that no two identities have the same ones.
    ///
    /// They hold the credentials in clear text: make a keyed digest of them before they leave the process.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        func add(_ kind: Character, _ parts: String...) {
            result += String(kind).utf8
            for part in parts { result += "\(part.utf8.count):\(part)".utf8 }
        }
        switch owner {
        case .unknown: add("u")
        case .named(let name): add("n", name)
        case .credentials(let fields): for field in fields { add("f", field.name, field.value) }
        }
        for owner in owners { add("o", owner) }
        if let connection { add("t", connection) }
        if let cookies { add("c", cookies.name, String(cookies.epoch)) }
        return result
    }
}

extension RequestIdentity {
    /// The identity of an anonymous request.
    package static let anonymous = RequestIdentity(owner: .credentials([]))

    /// An identity that is not known.
    package static let unknown = RequestIdentity(owner: .unknown)

    /// The identity of a request by its own fields.
    ///
    /// - Parameters:
    ///   - request: as it would be sent.
    ///   - name: the stable name of the owner, which wins over the fields; nil to go by these.
    ///   - fields: decides which fields are credentials.
    ///   - ignored: a field that does not count, because something else stands for it.
    package init(
        of request: URLRequest, name: String?, fields: CredentialFields = .standard, ignoring ignored: String? = nil
    ) {
        if let name {
            self.init(owner: .named(name))
            return
        }
        var credentials: [Field] = []
        if let all = request.allHTTPHeaderFields {
            for (name, value) in all where fields.isCredential(name) {
                if let ignored, name.equalsIgnoringASCIICase(ignored) { continue }
                credentials.append(Field(name: name.asciiLowercased, value: value))
            }
        }
        if let information = request.url?.userInformation {
            credentials.append(Field(name: "@", value: information))
        }
        if credentials.count > 1 { credentials.sort { $0.name < $1.name } }
        self.init(owner: .credentials(credentials))
    }
}

extension RequestIdentity: CustomStringConvertible, CustomReflectable {
    /// The name, or the kind of the identity. Never a credential.
    public var description: String {
        switch owner {
        case .unknown: "unknown"
        case .named(let name): "named \(name)"
        case .credentials(let fields) where fields.isEmpty: "anonymous"
        case .credentials(let fields): "credentials (\(fields.map(\.name).joined(separator: ", ")))"
        }
    }

    /// Shows the description alone, so that `dump` shows no credential either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension URL {
    /// What stands before the `@` of the authority (RFC 3986, section 3.2.1); nil if there is none.
    package var userInformation: String? {
        var text = absoluteString
        return text.withUTF8 { bytes -> String? in
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < bytes.count,
                bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
            else { return nil }
            let start = colon + 3
            var at: Int?
            for index in start..<bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
                if byte == UInt8(ascii: "@") { at = index }
            }
            return at.map { String(decoding: bytes[start..<$0], as: UTF8.self) }
        }
    }

    /// The same URL without ``userInformation``.
    package var withoutUserInformation: URL {
        guard let information = userInformation else { return self }
        var text = absoluteString
        guard let start = text.range(of: "://")?.upperBound else { return self }
        text.removeSubrange(start..<text.utf8.index(start, offsetBy: information.utf8.count + 1))
        return URL(string: text) ?? self
    }
}

extension RequestIdentity {
    /// The names of the credential fields, in lower case; none for a named owner.
    package var credentialNames: [String] {
        if case .credentials(let fields) = owner { fields.map(\.name) } else { [] }
    }

    /// The name of the one credential field in which identities differ; nil if they differ in more.
    package static func onlyDifference(among identities: [RequestIdentity]) -> String? {
        guard case .credentials(let first)? = identities.first?.owner else { return nil }
        var different: Set<String> = []
        for identity in identities.dropFirst() {
            guard case .credentials(let fields) = identity.owner, fields.map(\.name) == first.map(\.name) else {
                return nil
            }
            for (own, other) in zip(first, fields) where own != other { different.insert(own.name) }
        }
        return different.count == 1 ? different.first : nil
    }
}
