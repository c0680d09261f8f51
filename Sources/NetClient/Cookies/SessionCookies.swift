/// Decides which cookies may be a user's session, and which URLs change the user. ``CookieJar/epochs`` depend on it.
extension Cookie {
    /// Whether the cookie may identify a user: it is `HttpOnly`, or its name says so, and it is neither against forged requests nor of the
    /// infrastructure.
    var isSessionLike: Bool {
        if isOfInfrastructure { return false }
        let name = name.asciiLowercased
        let parts = name.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        if parts.contains(where: { ["csrf", "xsrf", "waf", "csrftoken", "xsrftoken"].contains($0) }) { return false }
        return isHTTPOnly || parts.contains { Self.sessionWords.contains($0) }
            || Self.sessionPrefixes.contains { name.hasPrefix($0) } || Self.isOfDrupal(name)
    }

    /// Whether a load balancer, a bot check, a consent dialog or analytics set the cookie.
    var isOfInfrastructure: Bool { Infrastructure.hasCookie(named: name.asciiLowercased) }

    /// Parts of names. Those of three letters and more that are whole names of frameworks: PHP, Java EE, ASP.NET, ColdFusion.
    private static let sessionWords: Set<Substring> = [
        "sid", "session", "sess", "auth", "token", "jwt", "user", "login", "remember",
        "phpsessid", "jsessionid", "sessionid", "sessid", "aspxauth", "cfid", "cftoken",
    ]

    /// `SESS` or `SSESS`, followed by a hexadecimal digest.
    private static func isOfDrupal(_ name: String) -> Bool {
        guard let start = name.range(of: "sess", options: .anchored) ?? name.range(of: "ssess", options: .anchored)
        else { return false }
        return name[start.upperBound...].allSatisfy(\.isHexDigit)
    }

    /// ASP and WordPress.
    private static let sessionPrefixes = ["aspsessionid", "wordpress_logged_in_", "wordpress_sec_"]
}

/// Cookies that load balancers, bot checks, consent dialogs and analytics set. They come and go while the user stays.
private enum Infrastructure {
    /// In lower case. A `*` at the end stands for any rest.
    private static let names = """
        awsalb* awselb*
        arraffinity* applicationgatewayaffinity*
        gclb gcilb
        bigipserver* ts01*
        __cflb __cf_bm __cfruid __cfwaitingroom _cfuvid cf_clearance cf_chl_*
        serverid srv_id route lb_session_affinity nsc_* citrix_ns_id*
        _abck bm_* ak_bmsc ak_* akavpau_* akamai*
        datadome _px* pxcts _pxhd
        incap_ses_* visid_incap_* nlbi_*
        aws-waf-token
        _ga* _gid _gat* _gcl_* __utm* _dc_gtm_*
        _fbp _fbc _hj* _uet* _clck _clsk _pin_unauth _ttp _tt_* _scid*
        ajs_* amplitude_* amp_* mp_* optimizely* _pk_* s_cc s_sq s_vi amcv_* amcvs_*
        _dd_s dtcookie* dtpc* dtsa* rxvt rxvisitor ai_user ai_session nr*
        optanon* onetrust* cookieconsent* cookieyes* euconsent* usprivacy cookie_consent didomi_*
        """.split(whereSeparator: \.isWhitespace)

    private static let exact = Set(names.filter { $0.last != "*" })
    private static let families = names.filter { $0.last == "*" }.map { $0.dropLast() }

    static func hasCookie(named name: String) -> Bool {
        exact.contains(name[...]) || families.contains { name.hasPrefix($0) }
    }
}

extension CookieTarget {
    /// Whether an answer of the URL may change the user although no cookie changes: a segment of its path, or an item of its query, belongs to
    /// signing in or out. Servers do so that keep the session's cookie, and magic links.
    static func changesUser(_ url: URL) -> Bool {
        let text = url.absoluteString
        guard let start = text.range(of: "://")?.upperBound else { return false }
        let parts = text[start...].prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
        let segments = (parts.first ?? "").split(separator: "/").dropFirst()
        if segments.contains(where: { signInSegments.contains($0.lowercased()) }) { return true }
        guard parts.count == 2 else { return false }
        return parts[1].split(separator: "&").contains { item in
            signInItems.contains(item.prefix { $0 != "=" }.lowercased())
        }
    }

    private static let signInSegments: Set = [
        "login", "signin", "sign-in", "logout", "signout", "sign-out", "sso", "callback", "magic",
    ]
    private static let signInItems: Set = ["code", "ticket", "otp", "magic"]
}
