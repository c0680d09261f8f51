/// The exchanges of a coalescer in flight, and their waiters.
struct SharedExchanges {
    /// Unsafe for speed, since each call has one. The code that removes a waiter resumes it.
    typealias Continuation = UnsafeContinuation<SharedAnswer, any Error>

    struct Waiter {
        let id: UInt64
        let deadline: TimeInterval?
        let continuation: Continuation
    }

    struct Exchange {
        /// The id of the waiter that began it.
        let id: UInt64
        let deadline: TimeInterval?
        var waiters: [Waiter]
        var task: Task<Void, any Error>?
    }

    enum Entry {
        /// There was none. The waiter must start the exchange.
        case started
        case joined
        /// There is one, and the waiter did not ask to join.
        case busy
    }

    private var exchanges: [HashedExchangeKey: Exchange] = [:]
    private var lastID: UInt64 = 0

    var count: Int { exchanges.count }
    var waitingCount: Int { exchanges.values.reduce(0) { $0 + $1.waiters.count } }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func enter(_ key: HashedExchangeKey, _ waiter: Waiter, joins: Bool) -> Entry {
        guard let index = exchanges.index(forKey: key) else {
            exchanges[key] = Exchange(id: waiter.id, deadline: waiter.deadline, waiters: [waiter])
            return .started
        }
        guard joins else { return .busy }
        exchanges.values[index].waiters.append(waiter)
        return .joined
    }

    /// Keeps the task of an exchange, to cancel it when its last waiter leaves. False if that has happened.
    mutating func attach(_ task: Task<Void, any Error>, to id: UInt64, _ key: HashedExchangeKey) -> Bool {
        guard let index = exchanges.index(forKey: key), exchanges.values[index].id == id else { return false }
        exchanges.values[index].task = task
        return true
    }

    /// Removes a waiter, and with the last one its exchange.
    mutating func leave(_ key: HashedExchangeKey, id: UInt64) -> (Continuation?, abandoned: Task<Void, any Error>?) {
        guard let index = exchanges.index(forKey: key),
            let place = exchanges.values[index].waiters.firstIndex(where: { $0.id == id })
        else { return (nil, nil) }
        let waiter = exchanges.values[index].waiters.remove(at: place)
        guard exchanges.values[index].waiters.isEmpty else { return (waiter.continuation, nil) }
        return (waiter.continuation, exchanges.remove(at: index).value.task)
    }

    /// Removes an exchange that has ended; nil if it has no waiter.
    mutating func finish(_ key: HashedExchangeKey, id: UInt64) -> Exchange? {
        guard let index = exchanges.index(forKey: key), exchanges.values[index].id == id else { return nil }
        return exchanges.remove(at: index).value
    }
}

enum SharedAnswer: Sendable {
    case response(TransportResponse)
    /// The exchange was for another user. Send the request alone.
    case alone
    /// Ask again: the exchange ran out of time that this waiter still has, or there is one to join with a deadline.
    case again
}

/// A key that is hashed once, and found by reference: an exchange looks up its own key several times.
final class HashedExchangeKey: Hashable, Sendable {
    let key: ExchangeKey
    private let hash: Int

    init(_ key: ExchangeKey) {
        self.key = key
        hash = key.hashValue
    }

    static func == (one: HashedExchangeKey, other: HashedExchangeKey) -> Bool {
        one === other || one.hash == other.hash && one.key == other.key
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The properties that two calls must share so that one exchange can answer both: the request as the server sees it, its user, and the
/// settings of the call.
struct ExchangeKey: Hashable, @unchecked Sendable {
    // Unchecked, since AnyHashable is not Sendable. The values of a context are.

    private let place: Next.Place
    private let method: String
    let origin: Origin
    private let target: Substring
    private let fields: [String: String]
    /// The user of the request.
    let identity: RequestIdentity
    private let provider: ObjectIdentifier?
    /// The origin of the call, if it is another one: then no credentials are added.
    private let start: Origin?
    private let limit: Int
    private let timeout: TimeInterval
    private let priority: RequestContext.Priority
    private let handlesCookies: Bool
    private let allowsCellular: Bool
    private let loading: URLRequest.CachePolicy
    private let caching: CachePolicy?
    private let values: [ObjectIdentifier: AnyHashable]

    /// Values that are compared elsewhere, or internal to a call.
    private static let ignoredValues: Set<ObjectIdentifier> = [
        ObjectIdentifier(AuthenticationProviderKey.self), ObjectIdentifier(CallCredentialsKey.self),
    ]

    /// Header fields that identify calls and do not change the answer. Those of the first request are sent.
    private static let tracingFields = ["traceparent", "tracestate", "X-Request-ID", "X-Correlation-ID"]

    /// Creates a key, or nil for a call that must be sent alone.
    init?(_ request: URLRequest, _ next: Next) {
        let context = next.context
        guard case .collected(let limit) = context.delivery, context.progress == nil, next.body == nil,
            let method = request.httpMethod, method == "GET" || method == "HEAD" || method == "OPTIONS",
            let url = request.url, let origin = url.origin, let target = Self.target(of: url),
            let provider = Self.provider(of: context),
            let values = context.comparableValues(ignoring: Self.ignoredValues)
        else { return nil }
        place = next.place
        self.method = method
        self.origin = origin
        self.target = target
        fields = Self.fields(of: request)
        identity =
            context.pipeline.prepared?.identity
            ?? RequestIdentity(
                of: request, name: context.partition ?? context[AuthenticationProviderKey.self]?.partition)
        guard !identity.isUnknown else { return nil }
        self.provider = provider
        start = context.origin.flatMap {
            haveSameStorage($0, url) || $0 == url || $0.origin == origin ? nil : $0.origin
        }
        self.limit = limit
        timeout = request.timeoutInterval
        priority = context.priority
        handlesCookies = request.httpShouldHandleCookies
        allowsCellular = request.allowsCellularAccess
        loading = request.cachePolicy
        caching = context.cachePolicy
        self.values = values
    }

    /// Hashes the parts that differ in most requests: header fields take longer to hash than to compare.
    func hash(into hasher: inout Hasher) {
        hasher.combine(origin.host)
        hasher.combine(target)
        hasher.combine(identity)
    }

    /// Path and query without the fragment, which no server sees. Nil for a URL with user information.
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

    private static func fields(of request: URLRequest) -> [String: String] {
        let fields = request.allHTTPHeaderFields ?? [:]
        func isIgnored(_ name: String) -> Bool { tracingFields.contains { $0.equalsIgnoringASCIICase(name) } }
        return fields.keys.contains(where: isIgnored) ? fields.filter { !isIgnored($0.key) } : fields
    }

    /// The call's own provider. Nil if two providers cannot be compared.
    private static func provider(of context: RequestContext) -> ObjectIdentifier?? {
        guard let provider = context[AuthenticationProviderKey.self] else { return .some(nil) }
        let type = type(of: provider as Any)
        if type is AnyObject.Type { return ObjectIdentifier(provider as AnyObject) }
        // Two values of one type may hold the tokens of two users.
        guard context.partition ?? provider.partition != nil || provider is NoAuthProvider else { return nil }
        return ObjectIdentifier(type)
    }
}

extension RequestContext {
    /// Returns the plugins' values, to compare two calls, or nil if one of them is not `Hashable`.
    fileprivate func comparableValues(ignoring ignored: Set<ObjectIdentifier>) -> [ObjectIdentifier: AnyHashable]? {
        guard !values.isEmpty else { return [:] }
        var result: [ObjectIdentifier: AnyHashable] = [:]
        for (key, value) in values where !ignored.contains(key) {
            guard let value = value as? AnyHashable else { return nil }
            result[key] = value
        }
        return result
    }
}
