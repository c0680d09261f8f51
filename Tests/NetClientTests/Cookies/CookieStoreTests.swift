import NetTesting
import TestLab
import Testing

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
}
