public import NetCore

/// What ``ResponseCache`` may decide by itself, within RFC 9111.
public struct CacheRules: Hashable, Sendable {
    /// Whom a cache serves.
    public enum Kind: Hashable, Sendable {
        /// One program and its users, each of whom gets only what was meant for them.
        case `private`
        /// Users who are strangers to each other, as in a server that asks other servers: `private`, `s-maxage` and
        /// `proxy-revalidate` count, and what was asked for with credentials is stored only if the response allows it
        /// (RFC 9111, section 3.5), for all.
        case shared
    }

    /// Whom the cache serves; ``Kind/private`` unless set.
    public var kind = Kind.private

    /// Where a response says nothing of how long it is fresh, it is for this part of the time since it was last modified
    /// (RFC 9111, section 4.2.2). The default is a tenth; 0 turns that off.
    public var heuristicFraction = 0.1

    /// The longest that a response is fresh by ``heuristicFraction``, in seconds; a week unless set.
    public var longestHeuristicLifetime: TimeInterval = 7 * 86_400

    /// How stale a response may be that stands in for an error, in seconds, where neither the response nor the request says
    /// (`stale-if-error`, RFC 5861, section 4). The default is 0: none may. `must-revalidate` forbids it at any number.
    public var staleIfError: TimeInterval = 0

    /// Methods besides GET whose responses are stored, each request told from others by method, body and `Content-Type`:
    /// `QUERY`, or POST for a GraphQL service. A GET with a body takes part too if it is in here. Only bodies in memory.
    ///
    /// A method in here changes nothing on the server, you say: it does not invalidate what is stored.
    public var methodsKeyedByBody: Set<HTTPMethod> = []

    /// The names of query items that make no difference to the response, such as `utm_source`: they are left out of the keys. None
    /// unless set.
    public var ignoredQueryItems: Set<String> = []

    /// The name of this cache in `Cache-Status` (RFC 9211): a token. What is none is left out for the default.
    public var name = CacheRules.defaultName

    /// A private cache that keeps to the standard.
    public init() {}

    static let defaultName = "Networking"

    var isShared: Bool { kind == .shared }

    var statusName: String { name.isHTTPToken ? name : Self.defaultName }
}
