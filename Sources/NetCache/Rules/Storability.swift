import NetCore

/// Whether a response may be stored (RFC 9111, section 3).
enum Storability {
    /// - Parameters:
    ///   - hasCredentials: whether the request was sent with credentials: in a shared cache they forbid it, unless the response
    ///     allows it (section 3.5).
    ///   - hasExpiry: whether the caller says until when it is fresh.
    /// - Returns: nil if it may; otherwise why not, as a token for `Cache-Status`.
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
            || !rules.isShared && directives.isPrivate != nil
            || rules.isShared && directives.sharedMaxAge != nil
        guard isExplicit || StatusRules.isHeuristicallyCacheable(status) else { return "status" }
        return nil
    }
}
