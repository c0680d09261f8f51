public import NetCore

/// Whether a response may be stored (RFC 9111, section 3).
enum Storability {
    /// Returns nil if the response may be stored; otherwise the reason, as a token for `Cache-Status`. A shared cache stores the response to a
    /// request with credentials only if it allows that (section 3.5).
    static func refusal(
        status: Int, headers: HTTPHeaders, directives: ResponseDirectives, request: RequestDirectives,
        hasCredentials: Bool, hasExpiry: Bool, rules: CacheRules
    ) -> String? {
        if request.noStore { return "no-store-request" }
        if directives.mustUnderstand {
            guard StatusRules.isUnderstood(status) else { return "must-understand" }
        } else if directives.noStore {
            return "no-store"
        }
        if rules.isShared {
            if directives.isPrivate == .whole { return "private" }
            let isAllowed = directives.isPublic || directives.mustRevalidate || directives.sharedMaxAge != nil
            if hasCredentials, !isAllowed { return "authorization" }
        }
        guard status >= 200, status != 304, status != 412, status != 416 else { return "status" }
        guard Variants.fields(of: headers) != nil else { return "vary-any" }
        let isExplicit =
            hasExpiry || directives.isPublic || directives.maxAge != nil || headers.contains(name: "Expires")
            || (rules.isShared ? directives.sharedMaxAge != nil : directives.isPrivate != nil)
        return isExplicit || StatusRules.isHeuristicallyCacheable(status) ? nil : "status"
    }
}

enum StatusRules {
    /// Whether a response without explicit freshness may be stored and reused (RFC 9110, section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// Whether this cache knows the caching rules of the status, as `must-understand` requires (RFC 9111, section 5.2.2.3): all
    /// of RFC 9110, and 421, 422, 425, 428, 429, 431, 451 and 511. 304 and 416 answer a single request only.
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 305, 307, 308, 400...411, 413...415, 417, 421, 422, 425, 426, 428, 429, 431, 451,
            500...505, 511:
            true
        default: false
        }
    }

    /// Whether a stale response may replace the error (RFC 5861, section 4).
    static func isServerError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Whether a response with that status to a GET makes stored ones outdated, even if it cannot be stored itself. A temporary refusal does not.
    static func supersedes(_ status: Int) -> Bool {
        status < 500 && ![206, 304, 408, 412, 416, 425, 429].contains(status)
    }
}

enum StoredHeaders {
    /// The fields about one connection or one proxy (RFC 9111, section 3.1; RFC 9110, section 7.6.1), in lower case.
    private static let oneHopFields: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "te", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization",
    ]

    /// The fields that decide who may get the response. `Connection` must not name them (RFC 9110, section 7.6.1).
    private static let protectedFields: Set<String> = ["cache-control", "vary", "date", "age", "expires"]

    /// Returns the header fields to store: without those about the connection, and with `Date` (RFC 9110, section 6.6.1).
    static func storable(
        _ headers: HTTPHeaders, directives: ResponseDirectives, rules: CacheRules, now: Date
    ) -> HTTPHeaders {
        var left = Set((headers["Connection"] ?? "").listMembers().map { String($0).asciiLowercased })
        if rules.isShared, case .fields(let names) = directives.isPrivate { left.formUnion(names) }
        left = left.subtracting(protectedFields).union(oneHopFields)
        var result = HTTPHeaders(received: headers.filter { !left.contains($0.name.asciiLowercased) })
        if !result.contains(name: "Date") { result.append(name: "Date", value: HTTPDate.string(from: now)) }
        return result
    }

    /// Merges the header fields of a 304, or of a response to HEAD, into stored ones (RFC 9111, section 3.2). Fields about the body stay.
    static func merged(
        _ stored: HTTPHeaders, with new: HTTPHeaders, rules: CacheRules, now: Date
    ) -> HTTPHeaders {
        var fields = storable(new, directives: ResponseDirectives(new), rules: rules, now: now)
        fields.remove(names: ["content-length", "content-encoding", "content-range"])
        var result = stored
        // The response is now as young as the new one.
        result.remove(name: "Age")
        result.add(contentsOf: fields)
        return result
    }
}

extension NetworkError {
    /// Whether a stored response may replace the answer after this failure: the connection or the server is down.
    ///
    /// True for no internet, a lost connection, a timeout, a host that is not found, an open circuit, and the statuses 500, 502,
    /// 503 and 504 (RFC 5861). False for any other answer of the server, such as 404, and for a server that is not trusted.
    public var isOutage: Bool {
        switch self {
        case .noInternetConnection, .networkUnavailable, .timeout, .circuitOpen: true
        case .requestFailed(let status, _): StatusRules.isServerError(status)
        case .unknown(let error): (error as? TransportError)?.isTransient ?? false
        default: false
        }
    }
}

/// Whether an error of a client is an outage: see ``NetworkError/isOutage``.
func isOutage(_ error: any Error) -> Bool {
    switch error {
    case let error as NetworkError: error.isOutage
    case let failure as NetworkFailure: failure.cause.isOutage
    case let error as TransportError: error.networkError.isOutage
    default: false
    }
}
