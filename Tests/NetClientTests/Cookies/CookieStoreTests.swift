@testable import NetClient

@Suite struct CookieStoreTests {
    private let lab = CookieLab()

    // MARK: The app's side

    @Test func setReadAndRemove() throws {
        let here = try url("https://www.example.org/a")
        #expect(lab.store.set(Cookie(name: "a", value: "1", domain: "WWW.example.org", path: "/a", isHTTPOnly: true)))
        #expect(lab.store.set(Cookie(name: "b", value: "2", domain: ".example.org")))
        #expect(lab.store.cookies(for: here).map(\.name) == ["a", "b"])
        #expect(lab.store.cookies(for: try url("file:///a")).isEmpty)
        lab.store.remove(name: "a", domain: "www.example.org", path: "/")
        #expect(lab.store.cookies.count == 2)
        lab.store.remove(name: "a", domain: "www.example.org")
        #expect(lab.store.cookies.map(\.name) == ["b"])
        lab.store.removeAll(for: "api.example.org")
        #expect(try lab.store.cookies.isEmpty && lab.field() == nil)
    }

    @Test func invalidCookiesAreRefused() {
        let domain = "www.example.org"
        for cookie in [
            Cookie(name: "a", value: "1\r\nX: y", domain: domain), Cookie(name: "a", value: "1; b=2", domain: domain),
            Cookie(name: "a=b", value: "1", domain: domain), Cookie(name: "", value: "1", domain: domain),
            Cookie(name: " a", value: "1", domain: domain), Cookie(name: "a", value: "1", domain: ""),
            Cookie(name: "a", value: "1", domain: ".org"), Cookie(name: "a", value: "1", domain: ".127.0.0.1"),
            Cookie(name: "a", value: "1", domain: domain, path: "a"),
            Cookie(name: "a", value: "1", domain: "ü.example"),
            Cookie(name: "a", value: "1", domain: domain, sameSite: .none),
            Cookie(name: "__secure-a", value: "1", domain: domain),
            Cookie(name: "__HOST-a", value: "1", domain: domain, path: "/a", isSecure: true),
            Cookie(name: "__Host-a", value: "1", domain: ".example.org", isSecure: true),
            Cookie(name: "a", value: String(repeating: "x", count: 4096), domain: domain),
        ] { #expect(!lab.store.set(cookie), "\(cookie)") }
        #expect(lab.store.cookies.isEmpty)
        #expect(lab.store.set(Cookie(name: "__Host-a", value: "1", domain: domain, isSecure: true)))
    }

    @Test func cookieNamePrefixes() throws {
        try lab.receive(
            "__Secure-a=1", "__secure-b=1; Secure", "__Host-c=1; Secure", "__host-d=1; Secure; Path=/",
            "__HOST-e=1; Secure; Path=/; Domain=www.example.org", "__Host-f=1; Path=/")
        #expect(lab.store.cookies.map(\.name).sorted() == ["__host-d", "__secure-b"])
        try lab.receive("__Secure-g=1; Secure", from: "http://www.example.org/")
        #expect(lab.store.cookies.count == 2)
    }

    @Test func changesStream() async throws {
        var changes = lab.store.changes.makeAsyncIterator()
        try lab.receive("a=1; Max-Age=10", "b=2")
        try lab.receive("b=2")
        try lab.receive("b=3")
        lab.store.remove(name: "b", domain: "www.example.org")
        await lab.clock.advance(by: 11)
        #expect(lab.store.cookies.isEmpty)
        for expected in ["set a 1", "set b 2", "set b 3", "removed b 3", "expired a 1"] {
            let change = try #require(await changes.next())
            #expect("\(change.kind) \(change.cookie.name) \(change.cookie.value)" == expected)
        }
    }

    @Test func changesStreamEndsWithTheStore() async throws {
        var store: CookieStore? = CookieStore()
        let changes = try #require(store?.changes)
        store?.set(Cookie(name: "a", value: "1", domain: "a.example"))
        store = nil
        #expect(await changes.reduce(0) { count, _ in count + 1 } == 1)
    }

    @Test func descriptionsRedactTheValue() throws {
        let cookie = Cookie(
            name: "session", value: "s3cr3t", domain: ".example.org", expires: lab.clock.now, isSecure: true,
            isHTTPOnly: true, sameSite: .lax)
        for value in [cookie, CookieStore.Change(kind: .set, cookie: cookie)] as [Any] {
            #expect(textsShowing("s3cr3t", of: value) == [])
        }
        #expect(textsShowing("session", of: cookie) != [])
    }

    @Test func codableAndHTTPCookieRoundTrip() throws {
        let cookie = Cookie(
            name: "a", value: "b c", domain: ".example.org", path: "/x", expires: lab.clock.now, isSecure: true,
            isHTTPOnly: true)
        #expect(try JSONDecoder().decode(Cookie.self, from: JSONEncoder().encode(cookie)) == cookie)
        for each in [cookie, Cookie(name: "a", value: "1", domain: "www.example.org")] {
            #expect(Cookie(try #require(each.httpCookie)) == each)
        }
    }

    // MARK: Limits

    private var names: [String] { lab.store.cookies.map(\.name) }

    @Test func siteLimitIs180Cookies() async throws {
        try lab.receive("old=1; Secure", "insecure=1")
        for number in 0..<178 { try lab.receive("c\(number)=1; Secure") }
        #expect(names.count == 180)
        await lab.clock.advance(by: 1)
        // All but one are used.
        _ = try lab.field()
        try lab.receive("new=1; Secure")
        #expect(names.count == 180 && !names.contains("insecure"))
        try lab.receive("c0=; Max-Age=0", "unused=1; Path=/unused; Secure")
        await lab.clock.advance(by: 1)
        _ = try lab.field()
        try lab.receive("newer=1; Secure")
        #expect(!names.contains("unused") && names.contains("old"))
    }

    @Test func expiredCookiesAreEvictedFirst() async throws {
        try lab.receive("a=1", "b=1; Max-Age=5; Secure")
        for number in 0..<178 { try lab.receive("c\(number)=1; Secure") }
        await lab.clock.advance(by: 6)
        try lab.receive("new=1; Secure")
        #expect(names.contains("a") && names.count == 180)
    }

    @Test func storeLimitIs3000Cookies() async throws {
        for site in 0..<31 {
            for number in 0..<100 { try lab.receive("c\(number)=1", from: "https://s\(site).example/") }
            await lab.clock.advance(by: 1)
        }
        #expect(lab.store.cookies.count == 3000)
        #expect(try lab.field("https://s0.example/") == nil && lab.field("https://s30.example/") != nil)
    }

    @Test func hugeFields() throws {
        let size = 256 << 10
        for piece in ["a", ";", "=", ";a=", "; Path=/x", "; Expires=1:1:1 ", " ", ",", "; Domain=."] {
            let text = String(repeating: piece, count: size / piece.utf8.count)
            try lab.receive(text, "a=b; " + text, "a=b; Expires=" + text, "a=" + text)
        }
        let host = "https://" + String(repeating: "a.", count: 20_000) + "example/"
        try lab.receive("a=b; Domain=example", from: host)
        _ = try lab.field(host)
        #expect(lab.store.cookies.count < 10)
    }

    @Test func tenThousandFields() throws {
        let fields = (0..<10_000).map { HTTPHeader(name: "Set-Cookie", value: "c\($0)=1; HttpOnly; Path=/\($0 % 50)") }
        let url = try url("https://www.example.org/")
        lab.store.receive(HTTPHeaders(received: fields), status: 200, from: url, method: .post)
        #expect(lab.store.cookies.count == 180)
    }

    @Test func clearSiteData() throws {
        try lab.receive("a=1; Domain=example.org", "b=2")
        try lab.receive("o=1", from: "https://other.example/")
        func clear(_ value: String, from text: String) throws {
            lab.store.receive(
                ["Clear-Site-Data": value, "Set-Cookie": "own=1"], status: 200, from: try url(text), method: .get)
        }
        try clear("\"cookies\"", from: "http://www.example.org/")
        try clear("\"cache\", cookies", from: "https://www.example.org/")
        #expect(lab.store.cookies.map(\.name).sorted() == ["a", "b", "o", "own"])
        try clear("\"cache\" , \"cookies\"", from: "https://api.example.org/")
        #expect(lab.store.cookies.map(\.name) == ["o"])
        try clear("\"*\"", from: "https://other.example/")
        #expect(lab.store.cookies.isEmpty)
        try lab.receive("a=1", from: "http://127.0.0.1:80/")
        try clear("\"cookies\"", from: "http://127.0.0.1:8080/")
        #expect(lab.store.cookies.isEmpty)
    }

    // MARK: Which cookies are sent

    @Test(arguments: CookieLab.Kind.allCases) func cookiesAreOrderedByPathLengthThenAge(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        try lab.receive("a=1; Path=/", "b=2; Path=/a", "c=3; Path=/", "d=4; Path=/a/b")
        #expect(try lab.field() == "d=4; b=2; a=1; c=3")
        // A new value keeps the age.
        try lab.receive("a=5; Path=/")
        #expect(try lab.field() == "d=4; b=2; a=5; c=3" && lab.field("https://www.example.org/") == "a=5; c=3")
        #expect(try lab.field("https://www.example.org/ab") == "a=5; c=3")
    }

    @Test(arguments: CookieLab.Kind.allCases) func secureCookiesNeedHTTPSOrWSS(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        try lab.receive("a=1; Secure=value", "b=2")
        #expect(try lab.field("wss://www.example.org/a/b") == "a=1; b=2")
        #expect(try lab.field("ws://www.example.org/a/b") == "b=2" && lab.field("http://www.example.org/a/b") == "b=2")
        #expect(try lab.field("ftp://www.example.org/a/b") == nil)
    }

    @Test(arguments: CookieLab.Kind.allCases) func cookiesOfDomainsAndHosts(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        try lab.receive("a=1; Domain=.example.org; Path=/", "b=2; Path=/")
        #expect(try lab.field("https://api.example.org/") == "a=1" && lab.field("https://EXAMPLE.org/") == "a=1")
        #expect(try lab.field("https://notexample.org/") == nil)
        #expect(try lab.field("https://www.example.org:8443/") == "a=1; b=2")
        #expect(try lab.field("https://user:p%40ss@www.example.org/") == "a=1; b=2")
        try lab.receive("c=3; Domain=org", "d=4; Domain=other.org", "e=5; Domain=www.example.org.")
        #expect(lab.store.cookies.map(\.name) == ["a", "b"])
    }

    @Test(
        arguments: ["http://127.0.0.1:80/", "http://[::1]/", "http://2130706433/", "http://localhost/"],
        CookieLab.Kind.allCases)
    func cookiesOfAddressesAndSingleLabelsAreHostOnly(text: String, kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        let host = try #require(CookieTarget(url(text))?.host)
        try lab.receive("a=1", "b=2; Domain=\(host)", "c=3; Domain=1", from: text)
        #expect(try lab.field(text) == "a=1; b=2" && !lab.store.cookies.map(\.isHostOnly).contains(false))
    }

    @Test(arguments: [
        ("http://[::1]:80/a?b", "[::1]", "/a", false), ("wss://u:p@H.example?x/y", "h.example", "/", true),
        ("HTTPS://a.example/b%20c/#d", "a.example", "/b%20c/", true), ("ws://127.0.0.1", "127.0.0.1", "/", false),
    ]) func cookieTargetOfAURL(text: String, host: String, path: String, isSecure: Bool) throws {
        let target = try #require(CookieTarget(url(text)))
        #expect(target.host == host && target.path == path && target.isSecure == isSecure)
        #expect(target.isAddress == !host.hasSuffix("example"))
    }

    @Test(arguments: CookieLab.Kind.allCases) func sameSite(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        try lab.receive(
            "s=1; SameSite=Strict", "l=2; SameSite=LAX", "u=3", "n=4; SameSite=None; Secure", "x=5; SameSite=None",
            "y=6; SameSite=Other")
        let same = "https://login.example.org/"
        #expect(try lab.field(method: .post, firstParty: same) == "s=1; l=2; u=3; n=4; y=6")
        #expect(try lab.field(method: .post) == "s=1; l=2; u=3; n=4; y=6")
        let other = "https://example.com/"
        #expect(try lab.field(firstParty: other) == "l=2; u=3; n=4; y=6")
        #expect(try lab.field(method: .post, firstParty: other) == "n=4")
    }

    @Test func publicSuffixes() throws {
        try lab.receive("a=1; Domain=co.uk", "b=2; Domain=example.co.uk", from: "https://www.example.co.uk/")
        #expect(lab.store.cookies.map(\.name) == ["b"])
        try lab.receive("s=1; SameSite=Strict; Path=/", from: "https://alice.github.io/")
        #expect(try lab.field("https://alice.github.io/", firstParty: "https://bob.github.io/") == nil)
        // A suffix may have host-only cookies.
        try lab.receive("own=1; Domain=github.io", from: "https://github.io/")
        #expect(try lab.field("https://github.io/") == "own=1" && lab.field("https://alice.github.io/") == "s=1")
    }

    @Test(arguments: CookieLab.Kind.allCases) func httpDoesNotOverwriteSecureCookies(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        try lab.receive("a=1; Secure; Path=/login", "b=1; Secure; Domain=example.org; Path=/")
        try lab.receive(
            "a=2; Path=/login/x", "a=3; Path=/", "b=2; Path=/", "c=4; Secure", from: "http://www.example.org/")
        #expect(lab.store.cookies.map(\.value).sorted() == ["1", "1", "3"])
        // A secure response may replace them.
        try lab.receive("a=5; Path=/login; Secure")
        #expect(try lab.field("https://www.example.org/login") == "a=5; b=1; a=3")
    }
}
