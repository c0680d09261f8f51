import NetCore
import Testing

@Suite struct OriginTests {
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
}
