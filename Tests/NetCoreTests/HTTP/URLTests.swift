import Testing

@testable import NetCore

/// What the parts of a URL mean for all modules: its scheme, its origin and its path.
@Suite struct URLTests {
    @Test(arguments: [
        ("http://a.example", "http://a.example:80/p?q#f", true), ("https://a.example/", "https://A.EXAMPLE:443", true),
        ("HTTP://a.example/", "http://a.example/x", true), ("http://[::1]/", "http://[::1]:80/", true),
        ("http://u:p@a.example/", "http://a.example/", true), ("http://[FE80::1]/", "http://[fe80::1]/", true),
        ("http://a.example", "https://a.example", false), ("http://a.example", "http://a.example:8080", false),
        ("http://a.example", "http://b.example", false), ("http://a.example", "http://www.a.example", false),
        ("https://a.example:80", "http://a.example", false), ("http://[::1]/", "http://[::2]/", false),
        ("http://a.example@b.example/", "http://a.example/", false),
    ]) func originsAreCompared(_ left: String, _ right: String, areSame: Bool) throws {
        let origin = try #require(url(left).origin)
        #expect(try (url(right).origin == origin) == areSame)
    }

    @Test(arguments: ["file:///x", "mailto:a@b", "/relative", "http:x", "http://"])
    func noOriginWithoutAHost(_ text: String) { #expect(URL(string: text)?.origin == nil) }

    @Test(arguments: [
        "http://localhost", "http://LOCALHOST:1/", "http://a.localhost/", "http://127.0.0.1/",
        "http://127.255.255.255:80", "http://[::1]:8080/",
    ]) func isLoopback(_ text: String) throws { #expect(try url(text).isLoopback) }

    @Test(arguments: [
        "http://a.example", "http://localhost.a.example/", "http://notlocalhost/", "http://127.0.0.1.a.example/",
        "http://127.a.b.c/", "http://127.0.0.256/", "http://128.0.0.1/", "http://[::2]/", "file:///localhost",
        "/localhost", "http://localhost@a.example/", "http://127.0.0.1@a.example/",
    ]) func isNotLoopback(_ text: String) throws { #expect(try !url(text).isLoopback) }

    @Test(arguments: [
        "http://a", "https://a.example/p?q#f", "HtTpS://a", "http://u:p@a/", "http://u@b:80", "http://[::1]",
        "http://a?q", "http://a#f", "http://a:8080/@:",
    ]) func isHTTP(_ text: String) throws { #expect(try url(text).isHTTP) }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://a/", "ws://a/", "javascript:alert(1)", "data:,x", "/p", "p", "//a/p", "http:a",
        "http:/a", "http://", "http:///p", "http://?q", "http://#f", "http://:80/", "http://u:p@", "http://u@/p",
        "http://@", "httpx://a", "http", "https:", "http://u@:80/",
    ]) func isNotHTTP(_ text: String) {
        guard let url = URL(string: text) else { return }
        #expect(!url.isHTTP)
    }

    @Test func relativeURLsAreResolved() throws {
        let url = try #require(URL(string: "p", relativeTo: URL(string: "https://a.example/x/y")))
        #expect(url.isHTTP && url.origin?.description == "https://a.example:443")
    }

    @Test(arguments: [
        "http://a.example", "HTTPS://A.b-c_d.EXAMPLE:8443/p:1@x?q", "http://a.example?q@b.example",
        "http://a.example#@b.example/", "http://127.0.0.1:1/", "https://a.example:0/", "https://a.example.:65535",
        "http://a.example:/", "http://u:p@a.example:81/", "http://[::1]:82/", "http://a%2eexample/", "http://a:80:81/",
        "http://a\\@b.example/", "http://a.example:99999/", "http://a.example:99999999999999999999/", "http://:80/",
        "https:/a.example", "httpss://a.example/",
    ]) func originAgreesWithFoundation(_ text: String) {
        guard let url = URL(string: text) else { return }
        let scheme = url.scheme?.lowercased() ?? ""
        let host = url.host?.lowercased() ?? ""
        let expected = host.isEmpty ? nil : "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
        #expect(url.origin?.description == expected)
    }

    @Test(arguments: [
        ("http+unix://%2Fvar%2Frun%2Fdocker.sock/v1/info", "/var/run/docker.sock"), ("HTTP+UNIX://%2fa", "/a"),
        ("http+unix://%2Fa?x", "/a"), ("http+unix://%2Fa#f", "/a"), ("http+unix://%2Fa%3Ab%40c/", "/a:b@c"),
        ("http+unix://%2FA%20b%C3%BC/", "/A bü"), ("http+unix://a/", nil), ("http+unix:///a/", nil),
        ("http+unix://%2Fa:80/", nil), ("http+unix://u:p@%2Fa/", nil), ("http+unix://%2Fa%00/", nil),
        ("http://%2Fa/", nil), ("http+unix:a", nil), ("http+unit://%2Fa/", nil), ("https+unix://%2Fa/", nil),
        ("/a", nil),
    ])
    func unixSocketPathOfAURL(_ text: String, _ path: String?) throws { #expect(try url(text).unixSocketPath == path) }

    /// Paths that differ by case or by Unicode's normalization are different origins.
    @Test func originsOfSockets() throws {
        let origins = try ["%2Fa", "%2FA", "%2F%C3%BC", "%2Fu%CC%88"].map { try url("http+unix://\($0)/x").origin }
        #expect(Set(origins).count == 4 && !origins.contains(nil))
        #expect(try url("http+unix://%2fa/y").origin == origins[0] && url("http+unix://a/").origin == nil)
    }

    @Test func hostIsLocalhost() throws {
        let socket = try url("http+unix://%2Fa/x")
        #expect(try socket.hostField == "localhost" && socket.isLoopback && url("http+unix://a/x").hostField == nil)
    }

    @Test func errorNamesThePercentEncodedPath() throws {
        let text = RequestBuildingError.notHTTP(try url("http+unix://run/app.sock")).description
        #expect(text.contains("http+unix://%2Frun%2Fapp.sock"))
    }

    @Test(arguments: [
        ("https://a.example", "users", "https://a.example/users"),
        ("https://a.example", "/users", "https://a.example/users"),
        ("https://a.example/", "/users", "https://a.example/users"),
        ("https://a.example/v1", "users", "https://a.example/v1/users"),
        ("https://a.example/v1", "/users", "https://a.example/v1/users"),
        ("https://a.example/v1/", "users/", "https://a.example/v1/users/"),
        ("https://a.example/v1//", "/users", "https://a.example/v1/users"),
        ("https://a.example/v1", "", "https://a.example/v1"), ("https://a.example/v1/", "/", "https://a.example/v1/"),
        ("https://a.example/v1?key=1", "/users", "https://a.example/v1/users?key=1"),
        ("https://a.example/v1#part", "/users", "https://a.example/v1/users"),
        ("https://a.example/a%20b", "/c", "https://a.example/a%20b/c"),
        ("http://127.0.0.1:8080", "/x", "http://127.0.0.1:8080/x"),
    ]) func pathIsAppendedToTheBaseURL(_ base: String, _ path: String, expected: String) throws {
        #expect(try url(base).appending(requestPath: path).absoluteString == expected)
    }

    @Test(arguments: [
        ("/a b", "/a%20b"), ("/100%", "/100%25"), ("/a%20b", "/a%2520b"), ("/a+b", "/a%2Bb"),
        ("/a#b", "/a%23b"), ("/ä", "/%C3%A4"), ("/😀", "/%F0%9F%98%80"), ("/a:b@c;d=e,f&g", "/a:b@c;d=e,f&g"),
        ("/a\"<>\\^`{|}", "/a%22%3C%3E%5C%5E%60%7B%7C%7D"), ("/a\r\nX: y", "/a%0D%0AX:%20y"), ("/a\u{0}", "/a%00"),
        ("//evil.example/x", "//evil.example/x"), ("/...", "/..."), ("/a..b", "/a..b"),
    ]) func pathIsPercentEncoded(_ path: String, expected: String) throws {
        let url = try url("https://a.example").appending(requestPath: path)
        #expect(url.absoluteString == "https://a.example" + expected && url.host == "a.example")
    }

    @Test(arguments: ["..", "/..", "/a/../b", "/a/.", "./a", "/users/.."])
    func dotSegmentsAreRefused(_ path: String) throws {
        #expect(throws: RequestBuildingError.self) { try url("https://a.example/v1").appending(requestPath: path) }
    }

    @Test(arguments: ["/users?page=2", "?", "a?b", "/what?/x"]) func queryInAPathIsRefused(_ path: String) throws {
        let base = try url("https://a.example/v1")
        let error = try #require(throws: RequestBuildingError.self) { try base.appending(requestPath: path) }
        #expect(error.message.contains("queryItems") && error.message.contains("pathComponents"))
    }

    @Test func pathComponentsArePercentEncoded() throws {
        let values = ["files", "a/b c%2F+?#ä", "x"]
        let url = try url("https://a.example/v1/").appending(requestPathComponents: values)
        #expect(url.absoluteString == "https://a.example/v1/files/a%2Fb%20c%252F%2B%3F%23%C3%A4/x")
    }

    @Test(arguments: [["users", ""], ["users", ".."], ["."], ["", "users"]])
    func emptyComponentsAndDotSegmentsAreRefused(_ components: [String]) throws {
        let base = try url("https://a.example/v1/")
        #expect(throws: RequestBuildingError.self) { try base.appending(requestPathComponents: components) }
    }
}
