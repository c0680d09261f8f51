import NetCore

/// What the `Cache-Control` of a response says (RFC 9111, section 5.2.2; RFC 5861; RFC 8246).
///
/// Of a directive that stands there twice the first counts (RFC 9111, section 4.2.1), but for those that forbid: they add up.
/// A lifetime that is no number is zero: what is invalid is stale.
struct ResponseDirectives: Equatable {
    /// What a directive applies to that may name fields.
    enum Scope: Equatable {
        case whole
        /// The fields with these names, in lower case, and no more.
        case fields([String])
    }

    var noStore = false
    var noCache: Scope?
    var isPrivate: Scope?
    var isPublic = false
    var maxAge: Int?
    var sharedMaxAge: Int?
    var mustRevalidate = false
    var proxyRevalidate = false
    var mustUnderstand = false
    var isImmutable = false
    var staleWhileRevalidate: Int?
    var staleIfError: Int?

    init() {}

    init(_ headers: HTTPHeaders) {
        guard let value = headers["Cache-Control"] else { return }
        for directive in CacheDirective.list(value) { add(directive) }
    }

    private mutating func add(_ directive: CacheDirective) {
        switch directive.name {
        case "no-store": noStore = true
        case "no-cache": noCache = Self.scope(of: directive, adding: noCache)
        case "private": isPrivate = Self.scope(of: directive, adding: isPrivate)
        case "public": isPublic = true
        case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
        case "s-maxage": sharedMaxAge = sharedMaxAge ?? directive.seconds ?? 0
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": isImmutable = true
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds ?? 0
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds ?? 0
        default: break
        }
    }

    /// Without an argument, or with one that names nothing, it is about the whole response.
    private static func scope(of directive: CacheDirective, adding other: Scope?) -> Scope {
        let names = directive.fieldNames
        guard !directive.isMalformed, !names.isEmpty, names.allSatisfy(\.isHTTPToken) else { return .whole }
        switch other {
        case nil: return .fields(names)
        case .fields(let others): return .fields(others + names)
        case .whole: return .whole
        }
    }
}
