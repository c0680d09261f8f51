import NetCore

/// What a cache on this side did with a call, by its `Cache-Status` (RFC 9211).
public enum CacheState: Hashable, Sendable, CustomStringConvertible {
    /// The response was stored; the server was not asked.
    case hit
    /// The response was stored, and the server said that it is still good.
    case revalidated
    /// The server answered, for that reason: `uri-miss`, `stale`, `request` …
    case forwarded(reason: String)

    /// By the last member of a `Cache-Status` field, which is that of the nearest cache; nil if it says neither.
    public init?(cacheStatus: String) {
        let member = cacheStatus.split(separator: ",").last ?? ""
        let parameters = member.split(separator: ";").dropFirst().map { String($0.trimmingHTTPWhitespace) }
        if parameters.contains("hit") {
            self = .hit
        } else if let forward = parameters.first(where: { $0.hasPrefix("fwd=") }) {
            let reason = String(forward.dropFirst(4))
            guard reason.isHTTPToken else { return nil }
            let isGood = parameters.contains("fwd-status=304")
            self = isGood ? .revalidated : .forwarded(reason: reason)
        } else {
            return nil
        }
    }

    init?(_ response: TransportResponse) {
        guard let value = response.headers["Cache-Status"], let state = Self(cacheStatus: value) else { return nil }
        self = state
    }

    /// `hit`, `revalidated`, or the reason.
    public var description: String {
        switch self {
        case .hit: "hit"
        case .revalidated: "revalidated"
        case .forwarded(let reason): reason
        }
    }
}
