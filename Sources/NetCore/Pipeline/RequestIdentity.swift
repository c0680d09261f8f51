/// The identity of a request's user. Caches and coalescing use it as a key, so that a response to one user never reaches another.
///
/// An identity is **named** (``RequestContext/partition``, a provider's user, the client), a set of **credential fields** of the prepared
/// request, or **unknown**. A request without a name and without credentials is anonymous. Two identities are equal if and only if their
/// requests may share a response. Its description shows no credential.
public struct RequestIdentity: Hashable, Sendable {
    enum Owner: Hashable, Sendable {
        case unknown
        case named(ByteText)
        /// Sorted by name; empty for an anonymous request.
        case credentials([Field])
    }

    struct Field: Hashable, Sendable {
        /// The name in lower case.
        let name: ByteText
        let value: ByteText

        init(name: String, value: String) {
            self.name = ByteText(text: name)
            self.value = ByteText(text: value)
        }
    }

    /// Text compared byte for byte: names that differ only in their Unicode normalisation are different.
    struct ByteText: Hashable, Sendable {
        let text: String

        static func == (one: ByteText, other: ByteText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(0xFF as UInt8)
        }
    }

    /// Represents the cookies of a store.
    package struct CookieScope: Hashable, Sendable {
        /// The name of the store.
        package let name: String
        /// How often the store's user changed on the request's site.
        package let epoch: UInt64

        package init(name: String, epoch: UInt64) {
            self.name = name
            self.epoch = epoch
        }
    }

    let owner: Owner
    /// The names that other interceptors give: see ``CredentialOwner``.
    var credentialOwners: [String] = []
    /// The transport's identity if its settings select the server or the user, or nil for the defaults.
    var connection: String?
    /// Nil for a named owner, and for a site whose cookies have never distinguished users.
    var cookies: CookieScope?

    /// Whether the owner is unknown. Nothing is looked up or stored for such a request.
    public var isUnknown: Bool { owner == .unknown }

    /// Whether the request carries nothing that identifies a user.
    public var isAnonymous: Bool { !hasOwner && connection == nil }
    /// The stable name of the owner, or nil if only the credentials identify it.
    public var name: String? { if case .named(let name) = owner { name.text } else { nil } }

    /// Whether the request has credentials or a named owner.
    package var hasOwner: Bool { owner != .credentials([]) || !credentialOwners.isEmpty || cookies != nil }

    /// The identity in a shared cache: the name and the connection, without credentials.
    package var shared: RequestIdentity {
        let owner: Owner = if case .credentials = self.owner { .credentials([]) } else { self.owner }
        return RequestIdentity(owner: owner, connection: connection)
    }

    /// The identity as bytes, each part after its length, so that different identities have different bytes.
    ///
    /// They contain the credentials in clear text. Use a keyed digest outside of the process.
    package var bytes: [UInt8] {
        var result = Array(IdentifyingFields.version.utf8)
        func add(_ kind: Character, _ parts: String...) {
            result += String(kind).utf8
            for part in parts { result += "\(part.utf8.count):\(part)".utf8 }
        }
        switch owner {
        case .unknown: add("u")
        case .named(let name): add("n", name.text)
        case .credentials(let fields): for field in fields { add("f", field.name.text, field.value.text) }
        }
        for owner in credentialOwners { add("o", owner) }
        if let connection { add("t", connection) }
        if let cookies { add("c", cookies.name, String(cookies.epoch)) }
        return result
    }
}

extension RequestIdentity: CustomStringConvertible, CustomReflectable {
    package static let anonymous = RequestIdentity(owner: .credentials([]))
    package static let unknown = RequestIdentity(owner: .unknown)

    /// Creates the identity of a request, as it would be sent, from the fields that identify. The name of the owner wins over them.
    ///
    /// - Parameter ignored: a field to ignore, because something else represents it.
    package init(
        of request: URLRequest, name: String?, fields: (String) -> Bool = IdentifyingFields.standard.contains,
        ignoring ignored: String? = nil
    ) {
        if let name {
            self.init(owner: .named(ByteText(text: name)))
            return
        }
        var credentials: [Field] = []
        if let all = request.allHTTPHeaderFields {
            for (name, value) in all where fields(name) {
                if let ignored, name.equalsIgnoringASCIICase(ignored) { continue }
                credentials.append(Field(name: name.asciiLowercased, value: value))
            }
        }
        if let information = request.url?.userInformation { credentials.append(Field(name: "@", value: information)) }
        if credentials.count > 1 { credentials.sort { $0.name.text < $1.name.text } }
        self.init(owner: .credentials(credentials))
    }

    /// The credential fields by their names in lower case. Empty for a named owner.
    private var credentials: [String: ByteText] {
        guard case .credentials(let fields) = owner else { return [:] }
        return Dictionary(fields.map { ($0.name.text, $0.value) }) { first, _ in first }
    }

    /// The parts of an identity that are not fields.
    package static let partNames: Set = ["partition", "credential-owner", "connection", "cookie-epoch"]

    /// Whether equal identities have equal users by their cookies. Otherwise their `Cookie` fields may differ.
    package var coversCookies: Bool { name != nil || cookies != nil || credentials["cookie"] != nil }

    /// Returns the parts in which two identities differ: names of fields in lower case, `@` for the user information of the URL, and ``partNames``.
    package func differences(from other: RequestIdentity) -> [String] {
        let (mine, theirs) = (credentials, other.credentials)
        var parts = Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.sorted()
        if name != other.name { parts.append("partition") }
        if credentialOwners != other.credentialOwners { parts.append("credential-owner") }
        if connection != other.connection { parts.append("connection") }
        if cookies != other.cookies { parts.append("cookie-epoch") }
        return parts
    }

    /// The name, or the kind of the identity, without credentials.
    public var description: String {
        switch owner {
        case .unknown: "unknown"
        case .named(let name): "named \(name.text)"
        case .credentials(let fields) where fields.isEmpty: "anonymous"
        case .credentials(let fields): "credentials (\(fields.map(\.name.text).joined(separator: ", ")))"
        }
    }

    /// Shows only the description, so that `dump` shows no credential either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
