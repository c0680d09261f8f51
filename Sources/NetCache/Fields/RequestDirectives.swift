import NetCore

/// What a request says to caches (RFC 9111, section 5.2.1): by `Cache-Control`, by `Pragma` where that is missing (section 5.4),
/// and by `URLRequest.cachePolicy`.
///
/// A number that cannot be read counts as the one that asks for most care.
struct RequestDirectives: Equatable {
    /// The stored response has to be validated.
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    /// The highest age that is wanted, in seconds.
    var maxAge: Int?
    /// How stale it may be, in seconds; `Int.max` for any.
    var maxStale: Int?
    /// For how many seconds it has to stay fresh.
    var minFresh: Int?
    var staleIfError: Int?
    /// The stored response does not matter: the server is asked without a condition.
    var isReload = false
    /// Validation is asked for out of habit, as a browser's reload button does: `immutable` spares it (RFC 8246).
    var isRoutineReload = false

    init() {}

    init(cacheControl: String?, pragma: String?, policy: URLRequest.CachePolicy = .useProtocolCachePolicy) {
        if let cacheControl {
            for directive in CacheDirective.list(cacheControl) { add(directive) }
        } else if let pragma {
            noCache = CacheDirective.list(pragma).contains { $0.name == "no-cache" }
        }
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: isReload = true
        case .reloadRevalidatingCacheData: isRoutineReload = true
        case .returnCacheDataElseLoad: maxStale = .max
        case .returnCacheDataDontLoad:
            maxStale = .max
            onlyIfCached = true
        case .useProtocolCachePolicy: break
        @unknown default: break
        }
    }

    /// What a reload asks of other caches.
    var forCachesOnTheWay: String? {
        if isReload { return "no-cache" }
        return isRoutineReload ? "max-age=0" : nil
    }

    private mutating func add(_ directive: CacheDirective) {
        switch directive.name {
        case "no-cache": noCache = true
        case "no-store": noStore = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
        case "max-stale": maxStale = maxStale ?? (directive.argument == nil ? .max : directive.seconds ?? 0)
        case "min-fresh": minFresh = minFresh ?? directive.seconds ?? CacheDirective.longestDelta
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds ?? 0
        default: break
        }
    }
}
