import NetCore

/// One directive of a `Cache-Control` field (RFC 9111, section 5.2): `max-age=60`.
struct CacheDirective: Equatable {
    /// In lower case.
    let name: String
    /// The argument without its quotes, or nil if there is none.
    let argument: String?
    /// Whether there is white space around the equals sign, which the grammar forbids.
    let isMalformed: Bool

    static func list(_ value: String) -> [CacheDirective] { value.listMembers().map(CacheDirective.init) }

    init(_ member: Substring) {
        guard let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            (name, argument, isMalformed) = (String(member).asciiLowercased, nil, false)
            return
        }
        let left = member[..<equals]
        let right = member[member.utf8.index(after: equals)...]
        let name = left.trimmingHTTPWhitespace
        let argument = right.trimmingHTTPWhitespace
        self.name = String(name).asciiLowercased
        self.argument = Self.unquoted(argument)
        isMalformed = name.utf8.count != left.utf8.count || argument.utf8.count != right.utf8.count
    }

    /// The argument as a number of seconds: see ``deltaSeconds(_:)``. It may be a token or a quoted string (RFC 9111, section 5.2).
    var seconds: Int? { isMalformed ? nil : argument.flatMap { Self.deltaSeconds($0[...]) } }

    /// The seconds of a directive that accepts any staleness without an argument.
    var staleness: Int { argument == nil ? .max : seconds ?? 0 }

    /// The field names in the argument, in lower case.
    var fieldNames: [String] { (argument ?? "").listMembers().map { String($0).asciiLowercased } }

    /// Returns a number of seconds, which consists of digits only (RFC 9111, section 1.2.2). A number above 2³¹ counts as 2³¹.
    static func deltaSeconds(_ text: Substring) -> Int? {
        ContentRange.position(text).map { Int(min($0, Int64(maximumDelta))) }
    }

    static let maximumDelta = 1 << 31

    private static func unquoted(_ text: Substring) -> String {
        let quote = UInt8(ascii: "\"")
        guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else { return String(text) }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.dropFirst().dropLast().utf8 {
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isEscaped { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What a request tells caches (RFC 9111, section 5.2.1): by `Cache-Control`, or else `Pragma` (section 5.4), and by `URLRequest.cachePolicy`. An
/// invalid number counts as the strictest one.
struct RequestDirectives: Equatable {
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    /// The maximum age, in seconds.
    var maxAge: Int?
    /// The maximum staleness, in seconds; `Int.max` for any.
    var maxStale: Int?
    /// The time for which the response has to stay fresh, in seconds.
    var minFresh: Int?
    var staleIfError: Int?
    /// The maximum staleness of a response that is revalidated in the background, in seconds; `Int.max` for any. In RFC 5861, for responses only.
    var staleWhileRevalidate: Int?
    /// Whether the request ignores stored responses, and goes to the server without a condition.
    var isReload = false
    /// Whether the request validates like a browser's reload button. `immutable` prevents the validation (RFC 8246).
    var isRoutineReload = false

    init(
        cacheControl: String? = nil, pragma: String? = nil, policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) {
        for directive in cacheControl.map(CacheDirective.list) ?? [] { add(directive) }
        if cacheControl == nil, let pragma { noCache = CacheDirective.list(pragma).contains { $0.name == "no-cache" } }
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: isReload = true
        case .reloadRevalidatingCacheData: isRoutineReload = true
        case .returnCacheDataElseLoad: maxStale = .max
        case .returnCacheDataDontLoad: (maxStale, onlyIfCached) = (.max, true)
        default: break
        }
    }

    /// The directive that a reload sends to other caches.
    var reloadDirective: String? {
        if isReload { return "no-cache" }
        return isRoutineReload ? "max-age=0" : nil
    }

    private mutating func add(_ directive: CacheDirective) {
        switch directive.name {
        case "no-cache": noCache = true
        case "no-store": noStore = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
        case "max-stale": maxStale = maxStale ?? directive.staleness
        case "min-fresh": minFresh = minFresh ?? directive.seconds ?? CacheDirective.maximumDelta
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds ?? 0
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.staleness
        default: break
        }
    }
}

/// The `Cache-Control` of a response (RFC 9111, section 5.2.2; RFC 5861; RFC 8246). If a directive is repeated, the first value wins (RFC 9111,
/// section 4.2.1). Prohibitions add up. An invalid lifetime counts as zero.
struct ResponseDirectives: Equatable {
    enum Scope: Equatable {
        case whole
        /// The fields with these names, in lower case.
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

    init(_ headers: HTTPHeaders = [:]) {
        for directive in headers["Cache-Control"].map(CacheDirective.list) ?? [] { add(directive) }
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

    /// A directive without field names applies to the whole response.
    private static func scope(of directive: CacheDirective, adding other: Scope?) -> Scope {
        let names = directive.fieldNames
        guard other != .whole, !directive.isMalformed, !names.isEmpty, names.allSatisfy(\.isHTTPToken) else {
            return .whole
        }
        return if case .fields(let others) = other { .fields(others + names) } else { .fields(names) }
    }
}
