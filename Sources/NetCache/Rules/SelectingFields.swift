import NetCore

/// What the fields of a request that `Vary` names are compared by (RFC 9111, section 4.1).
struct SelectingFields: Sendable {
    private let fields: [String: String]
    private let identity: RequestIdentity
    private let credentials: CredentialFields
    private let prepared: PreparedRequest?
    private let isShared: Bool
    /// Whether `Cookie` stands for cookies that a stored response did not know.
    private let comparesCookies: Bool
    private let digest: @Sendable (String) -> String

    init(
        fields: [String: String], identity: RequestIdentity, prepared: PreparedRequest?, isShared: Bool,
        comparesCookies: Bool = false, digest: @escaping @Sendable (String) -> String
    ) {
        self.fields = fields
        self.identity = identity
        self.prepared = prepared
        credentials = prepared?.fields ?? .standard
        self.isShared = isShared
        self.comparesCookies = comparesCookies
        self.digest = digest
    }

    /// Whether equal identities have equal values of the field, as far as a response goes: a refreshed token of a named owner is the
    /// same credential.
    func isInIdentity(_ name: String) -> Bool {
        guard credentials.isCredential(name), !isShared else { return false }
        if comparesCookies, name == "cookie" { return false }
        guard identity.name != nil, !CredentialFields.isStandardCredential(name) else {
            return true
        }
        // A name stands for what was added to the request, not for what the caller selects by a field of his own.
        return prepared.map { !$0.isCallers(name) && fields.value(of: name) != nil } ?? false
    }

    /// The names of credentials that were added to the request further in by nothing that says whose they are: then the response must not
    /// be stored. None for a named owner, since the name wins, and for a shared cache, which goes by the response.
    func hiddenCredentials(of response: TransportResponse, to request: URLRequest) -> [String] {
        isShared || identity.name != nil ? [] : response.unownedAdditions(to: request)
    }

    /// Those of the fields in `Vary` that were added to the request further in: they cannot be seen when the next request comes by.
    func additions(of response: TransportResponse, to request: URLRequest, among names: [String]) -> [String] {
        guard !names.isEmpty else { return [] }
        return response.unownedAdditions(to: request, selecting: names).filter {
            names.contains($0) && (identity.name == nil || !isInIdentity($0))
        }
    }

    /// The value that is compared and stored: of a field that may be secret, a keyed digest.
    func value(of name: String) -> String? {
        guard let value = fields.value(of: name) else { return nil }
        return credentials.isCredential(name) ? digest(value) : value
    }
}
