import NetCore

/// What two calls must have in common so that one exchange can answer both: all that the server sees, all that says who is asking,
/// and all that this client makes of it.
struct ExchangeKey: Hashable, @unchecked Sendable {
    // Unchecked, since AnyHashable does not tell that what it holds is Sendable, as everything in a context is.

    private let place: Next.Place
    private let method: String
    let origin: Origin
    private let target: Substring
    private let fields: [String: String]
    /// Whose request it is.
    let identity: RequestIdentity
    private let provider: ObjectIdentifier?
    /// Where the call began, if that was elsewhere: credentials are not added then.
    private let start: Origin?
    private let limit: Int
    private let timeout: TimeInterval
    private let priority: RequestPriority
    private let handlesCookies: Bool
    private let allowsCellular: Bool
    private let values: [ObjectIdentifier: AnyHashable]

    /// What is compared elsewhere, and what belongs to each call's own bookkeeping.
    private static let ignoredValues: Set<ObjectIdentifier> = [
        ObjectIdentifier(AuthenticationProviderKey.self), ObjectIdentifier(CallCredentialsKey.self),
        ObjectIdentifier(RetryTraceKey.self),
    ]

    /// Nil for a call that needs an exchange of its own.
    init?(_ request: URLRequest, _ next: Next, ignoring ignoredHeaders: [String]) {
        let context = next.context
        guard case .collected(let limit) = context.delivery, context.progress == nil, next.body == nil,
            let method = request.httpMethod, ["GET", "HEAD", "OPTIONS"].contains(method),
            let url = request.url, let origin = url.origin, let target = Self.target(of: url),
            let provider = Self.provider(of: context),
            let values = context.comparableValues(ignoring: Self.ignoredValues)
        else { return nil }
        place = next.place
        self.method = method
        self.origin = origin
        self.target = target
        fields = Self.fields(of: request, without: ignoredHeaders)
        identity =
            context.prepared?.identity
            ?? RequestIdentity(
                of: request, name: context.partition ?? context[AuthenticationProviderKey.self]?.partition)
        guard !identity.isUnknown else { return nil }
        self.provider = provider
        start = context.origin.flatMap { $0 == url || $0.origin == origin ? nil : $0.origin }
        self.limit = limit
        timeout = request.timeoutInterval
        priority = context.priority
        handlesCookies = request.httpShouldHandleCookies
        allowsCellular = request.allowsCellularAccess
        self.values = values
    }

    /// Of the parts that tell most requests apart: the header fields take longer to hash than to compare.
    func hash(into hasher: inout Hasher) {
        hasher.combine(origin.host)
        hasher.combine(target)
        hasher.combine(identity)
    }

    /// Path and query, without the fragment, which a server never sees. Nil for a URL with user information.
    private static func target(of url: URL) -> Substring? {
        let text = url.absoluteString
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let start = bytes.index(colon, offsetBy: 3, limitedBy: bytes.endIndex)
        else { return nil }
        var end = start
        while end < bytes.endIndex, !"/?#".utf8.contains(bytes[end]) {
            if bytes[end] == UInt8(ascii: "@") { return nil }
            bytes.formIndex(after: &end)
        }
        let rest = bytes[end...]
        let target = text[end..<(rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex)]
        return target.isEmpty ? "/" : target.utf8.first == UInt8(ascii: "?") ? "/" + target : target
    }

    private static func fields(of request: URLRequest, without ignored: [String]) -> [String: String] {
        guard let fields = request.allHTTPHeaderFields, !fields.isEmpty else { return [:] }
        func isIgnored(_ name: String) -> Bool { ignored.contains { $0.equalsIgnoringASCIICase(name) } }
        return fields.keys.contains(where: isIgnored) ? fields.filter { !isIgnored($0.key) } : fields
    }

    /// The provider that the call brought along. Nil if it cannot be known whether two calls have the same.
    private static func provider(of context: RequestContext) -> ObjectIdentifier?? {
        guard let provider = context[AuthenticationProviderKey.self] else { return .some(nil) }
        let type = type(of: provider as Any)
        if type is AnyObject.Type { return ObjectIdentifier(provider as AnyObject) }
        // Two values of one type may hold the tokens of two users.
        guard context.partition ?? provider.partition != nil || provider is NoAuthProvider else { return nil }
        return ObjectIdentifier(type)
    }
}
