@testable import NetClient

/// Rule 19: the epoch changes when the cookies of a site may belong to another user.
@Suite struct CookieEpochTests {
    /// Whether the work changes the epoch of www.example.org.
    private func changes(_ lab: CookieLab, _ work: () async throws -> Void) async throws -> Bool {
        let before = try lab.epoch()
        try await work()
        return try lab.epoch() != before
    }

    // MARK: Signing in and out

    @Test(arguments: CookieLab.Kind.allCases) func signOutAndSignInAsAnotherUser(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        try lab.receive("session=alice; HttpOnly; Secure")
        var epochs = [try lab.epoch()]
        lab.store.removeAll(for: "www.example.org")
        epochs.append(try lab.epoch())
        try lab.receive("session=bob; HttpOnly; Secure")
        epochs.append(try lab.epoch())
        #expect(Set(epochs).count == 3)
    }

    @Test(arguments: CookieLab.Kind.allCases) func loginByPOST(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        try lab.receive("session=anonymous; HttpOnly")
        for user in ["alice", "bob"] {
            #expect(try await changes(lab) { try lab.receive("session=\(user); HttpOnly", method: .post) })
        }
        // The same value again is the same user.
        #expect(try await !changes(lab) { try lab.receive("session=bob; HttpOnly; Max-Age=60", method: .post) })
    }

    @Test func sessionCookieOfARedirect() async throws {
        let lab = CookieLab()
        try lab.receive("session=alice; HttpOnly")
        #expect(try await changes(lab) { try lab.receive("session=bob; HttpOnly", status: 302) })
        #expect(try await !changes(lab) { try lab.receive("session=bob-2; HttpOnly", status: 401) })
    }

    @Test(
        "A URL for signing in or out changes the epoch, whatever its cookies",
        arguments: [
            "/login", "/Account/SignIn", "/sign-in/", "/auth/logout", "/signout?next=/", "/users/sign-out",
            "/sso/start", "/oauth/callback", "/magic/abc", "/?code=1", "/a?x=1&ticket=2", "/a?otp=3", "/a?MAGIC=4",
        ])
    func signInURLs(path: String) async throws {
        let lab = CookieLab()
        try lab.receive("theme=dark")
        for status in [200, 204, 302] {
            #expect(try await changes(lab) { try lab.receive(from: "https://www.example.org" + path, status: status) })
        }
        #expect(try await !changes(lab) { try lab.receive(from: "https://www.example.org" + path, status: 401) })
    }

    @Test(arguments: ["/", "/logins", "/a?codes=1", "/a?x=code", "/a#code=1", "/callbacks/1", "/a?barcode=2"])
    func otherURLsKeepTheEpoch(path: String) async throws {
        let lab = CookieLab()
        try lab.receive("session=alice; HttpOnly")
        #expect(try await !changes(lab) { try lab.receive(from: "https://www.example.org" + path) })
    }

    @Test func signInURLsOfASiteWithoutSessionCookies() async throws {
        let lab = CookieLab()
        for cookies in [[], ["AWSALB=1", "_ga=2"]] {
            for cookie in cookies { try lab.receive(cookie) }
            #expect(try await !changes(lab) { try lab.receive(from: "https://www.example.org/login", method: .post) })
        }
        #expect(try lab.store.scope(for: url("https://www.example.org/")) == nil)
    }

    // MARK: Which cookies may be a session

    @Test(arguments: [
        "connect.sid", "PHPSESSID", "JSESSIONID", "ASP.NET_SessionId", "_myapp_session", "laravel-session", "auth",
        "access_token", "jwt", "USER", "login", "remember_me", "__Host-session", "SESS0f1e", "wordpress_logged_in_1",
        "ASPSESSIONIDQQ",
    ])
    func sessionLikeNames(name: String) { #expect(Cookie(name: name, value: "1", domain: "a.example").isSessionLike) }

    @Test(arguments: [
        "theme", "lang", "cart", "csrftoken", "XSRF-TOKEN", "waf-session", "side", "author", "sessile", "AWSALB",
        "AWSALBCORS", "ARRAffinitySameSite", "GCLB", "BIGipServerpool", "TS01abc", "__cflb", "__cf_bm", "_cfuvid",
        "cf_clearance", "_abck", "bm_sv", "ak_bmsc", "datadome", "incap_ses_1", "visid_incap_2", "aws-waf-token", "_ga",
        "_ga_ABC", "_gid", "_fbp", "OptanonConsent", "ai_session", "ai_user",
    ]) func otherNames(name: String) { #expect(!Cookie(name: name, value: "1", domain: "a.example").isSessionLike) }

    @Test(arguments: [("AWSALB", false), ("__cf_bm", false), ("XSRF-TOKEN", false), ("theme", true)])
    func httpOnlyCookiesAreSessionLikeUnlessOfTheInfrastructure(name: String, isSessionLike: Bool) {
        let cookie = Cookie(name: name, value: "1", domain: "a.example", isHTTPOnly: true)
        #expect(cookie.isSessionLike == isSessionLike)
    }

    // MARK: Other changes

    @Test(arguments: CookieLab.Kind.allCases) func rotatedValuesKeepTheEpoch(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        try lab.receive("session=alice; HttpOnly")
        let first = try lab.epoch()
        for number in 0..<50 {
            try lab.receive("visits=\(number); Max-Age=1000", "session=alice-\(number); HttpOnly")
            #expect(try lab.epoch() == first)
        }
        #expect(try lab.field() == "session=alice-49; visits=49")
    }

    @Test func expiredAffinityCookieKeepsTheEpoch() async throws {
        let lab = CookieLab()
        for number in 0..<10 {
            try lab.receive("AWSALB=\(number); Max-Age=1800; HttpOnly", "_ga=\(number); Max-Age=1800", method: .post)
            #expect(try lab.store.scope(for: url("https://www.example.org/")) == nil)
            await lab.clock.advance(by: 1801)
            #expect(try lab.field() == nil)
        }
    }

    @Test(arguments: CookieLab.Kind.allCases) func endOfSessionCookieChangesEpoch(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        // The system's storage also drops cookies by the real time, which must not come first.
        try lab.receive("a=1; HttpOnly; Max-Age=10000", "b=1; Max-Age=10000", "c=1; HttpOnly")
        #expect(try await changes(lab) { try lab.receive("c=; HttpOnly; Max-Age=0") })
        #expect(try await !changes(lab) { try lab.receive("b=; Max-Age=0") })
        #expect(try await !changes(lab) { await lab.clock.advance(by: 9999) })
        #expect(try await changes(lab) { await lab.clock.advance(by: 2) })
        let login = CookieLab(kind)
        try login.receive("user=alice; Max-Age=10000", method: .post)
        #expect(try await changes(login) { await login.clock.advance(by: 10_001) })
    }

    @Test(arguments: CookieLab.Kind.allCases) func clearingCookiesChangesTheEpoch(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        func set(_ name: String, _ value: String) {
            lab.store.set(Cookie(name: name, value: value, domain: "www.example.org"))
        }
        try lab.receive("sid=1", "theme=dark")
        #expect(try await !changes(lab) { lab.store.remove(name: "theme", domain: "www.example.org") })
        #expect(try await changes(lab) { lab.store.remove(name: "sid", domain: "www.example.org") })
        #expect(try await changes(lab) { lab.store.removeAll() })
        #expect(try await !changes(lab) { set("theme", "light") })
        #expect(try await changes(lab) { set("sid", "1") })
        #expect(try await !changes(lab) { set("sid", "1") })
        #expect(try await changes(lab) { set("sid", "2") })
        let headers: HTTPHeaders = ["Clear-Site-Data": "\"cache\", \"cookies\""]
        let api = try url("https://api.example.org/")
        #expect(try await changes(lab) { lab.store.receive(headers, status: 200, from: api, method: .get) })
        #expect(lab.store.cookies.isEmpty)
    }

    @Test(arguments: CookieLab.Kind.allCases) func otherSitesKeepTheirEpoch(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        #expect(lab.name == lab.name && lab.name != CookieLab().name, "each store has a unique name")
        try lab.receive("a=1; HttpOnly")
        try lab.receive("a=1; HttpOnly", from: "https://other.example/")
        let other = try lab.epoch("https://other.example/")
        #expect(try await changes(lab) { lab.store.removeAll(for: "www.example.org") })
        #expect(try lab.epoch("https://other.example/") == other)
        #expect(try lab.epoch("https://api.example.org/") == lab.epoch("https://www.example.org/x"))
    }
}
