import Testing

@testable import NetClient

@Suite struct CookieStoreSendingTests {
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
        let lab = CookieLab()
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
