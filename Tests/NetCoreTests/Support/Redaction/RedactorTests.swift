import NetCore
import Testing

@Suite struct RedactorTests {
    @Test(arguments: [
        ("http://host", "http://host"),
        ("http://host:80/a/b", "http://host:80/a/b"),
        ("http://user:secret@host/a", "http://host/a"),
        ("http://secret@host", "http://host"),
        ("http://user:sec%40ret@host/a@b", "http://host/a@b"),
        ("//user:secret@host/a", "//host/a"),
        ("http://user:secret@[::1]:80/a", "http://[::1]:80/a"),
        ("http://host/a?key=secret", "http://host/a?key=[REDACTED]"),
        ("http://host/a?key=secret&b=secret=secret&c=", "http://host/a?key=[REDACTED]&b=[REDACTED]&c=[REDACTED]"),
        ("http://host/a?secret", "http://host/a?[REDACTED]"),
        ("http://host/a?key=secret;b=secret", "http://host/a?key=[REDACTED]"),
        ("http://host/a?", "http://host/a?"),
        ("http://host/a?&&b=secret", "http://host/a?&&b=[REDACTED]"),
        ("http://host/a#secret", "http://host/a#[REDACTED]"),
        ("http://host/a#secret?secret=secret", "http://host/a#[REDACTED]"),
        ("http://user:secret@host?a=secret#secret", "http://host?a=[REDACTED]#[REDACTED]"),
        ("http://host?next=http://user:secret@other/", "http://host?next=[REDACTED]"),
        ("http://host/a//b@c", "http://host/a//b@c"),
        ("/a/b:c@d?e=secret", "/a/b:c@d?e=[REDACTED]"),
        ("file:///etc/hosts", "file:///etc/hosts"),
        // Without an authority nobody can tell what is what.
        ("http:user:secret@host/a", "http:[REDACTED]"),
        ("http:/user:secret@host/a", "http:[REDACTED]"),
        ("mailto:secret@example.com", "mailto:[REDACTED]"),
        ("data:text/plain,secret", "data:[REDACTED]"),
    ])
    func redactsURLs(_ text: String, to redacted: String) throws {
        let url = try #require(URL(string: text))
        #expect(Redactor.standard.text(of: url) == redacted)
        #expect(Redactor.none.text(of: url) == url.absoluteString)
    }

    @Test func noSecretOutlivesPercentEncoding() throws {
        // What is not allowed in a URL, URL(string:) may encode instead of refusing it.
        for text in ["http://user:se cret@host/", "https:\\\\user:secret@host/"] {
            guard let url = URL(string: text) else { continue }
            #expect(!Redactor.standard.text(of: url).contains("cret"))
        }
    }

    @Test func redactsRelativeURLsWithTheirBase() throws {
        let base = try #require(URL(string: "http://user:secret@host/a/"))
        let url = try #require(URL(string: "b?c=secret", relativeTo: base))
        #expect(Redactor.standard.text(of: url) == "http://host/a/b?c=[REDACTED]")
    }

    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token", "Location",
        "WWW-Authenticate", "X-Unheard-Of", "", "\u{212A}eep-alive",
    ])
    func hidesHeader(_ name: String) {
        #expect(Redactor.standard.headerValue("secret", named: name) == Redactor.mark)
        #expect(Redactor.none.headerValue("secret", named: name) == "secret")
    }

    @Test(arguments: ["Content-Type", "content-LENGTH", "User-Agent", "Retry-After", "Date", "Range", "X-Request-ID"])
    func showsHeader(_ name: String) {
        #expect(Redactor.standard.headerValue("value", named: name) == "value")
    }
}
