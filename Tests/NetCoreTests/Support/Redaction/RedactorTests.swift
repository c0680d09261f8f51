import NetCore
import Testing

@Suite struct RedactorTests {
    @Test(arguments: [
        ("http://host", "http://host"), ("http://host:80/a/b", "http://host:80/a/b"),
        ("http://user:secret@host/a", "http://host/a"), ("http://secret@host", "http://host"),
        ("http://user:sec%40ret@host/a@b", "http://host/a@b"), ("//user:secret@host/a", "//host/a"),
        ("http://user:secret@[::1]:80/a", "http://[::1]:80/a"),
        ("http://host/a?key=secret", "http://host/a?key=[REDACTED]"),
        ("http://host/a?key=secret&b=secret=secret&c=", "http://host/a?key=[REDACTED]&b=[REDACTED]&c=[REDACTED]"),
        ("http://host/a?secret", "http://host/a?[REDACTED]"),
        ("http://host/a?key=secret;b=secret", "http://host/a?key=[REDACTED]"), ("http://host/a?", "http://host/a?"),
        ("http://host/a?&&b=secret", "http://host/a?&&b=[REDACTED]"),
        ("http://host/a#secret", "http://host/a#[REDACTED]"),
        ("http://host/a#secret?secret=secret", "http://host/a#[REDACTED]"),
        ("http://user:secret@host?a=secret#secret", "http://host?a=[REDACTED]#[REDACTED]"),
        ("http://host?next=http://user:secret@other/", "http://host?next=[REDACTED]"),
        ("http://host/a//b@c", "http://host/a//b@c"), ("/a/b:c@d?e=secret", "/a/b:c@d?e=[REDACTED]"),
        ("file:///etc/hosts", "file:///etc/hosts"),
        // Names that are known to be harmless, as in bodies; what is a number by its name only if it is one.
        (
            "http://host?page=2&limit=50&offset=-1&sort=-created_at,name&lang=en-US&format=json",
            "http://host?page=2&limit=50&offset=-1&sort=-created_at,name&lang=en-US&format=json"
        ),
        ("http://host?page%5Bsize%5D=20&per-page=7", "http://host?page%5Bsize%5D=20&per-page=7"),
        ("http://host?page=secret&limit=hunter2&offset=", "http://host?page=[REDACTED]&limit=[REDACTED]&offset="),
        ("http://host?page=1234567890123", "http://host?page=[REDACTED]"),
        ("http://host?state=secret&q=secret", "http://host?state=[REDACTED]&q=[REDACTED]"),
        ("http://host?token[id]=1&code[page]=1", "http://host?token%5Bid%5D=[REDACTED]&code%5Bpage%5D=[REDACTED]"),
        ("http://host?sort=eyJhbGciOi.eyJzdWIi.abc", "http://host?sort=[REDACTED]"),
        ("http://host?format=q7XfP2mZr9LkT4vBn8Ws", "http://host?format=[REDACTED]"),
        // Without an authority nobody can tell what is what.
        ("http:user:secret@host/a", "http:[REDACTED]"), ("http:/user:secret@host/a", "http:[REDACTED]"),
        ("mailto:secret@example.com", "mailto:[REDACTED]"), ("data:text/plain,secret", "data:[REDACTED]"),
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
        "WWW-Authenticate", "X-Unheard-Of", "Referer", "From", "Content-Location", "Authentication-Info", "baggage",
        "tracestate", "Idempotency-Key", "X-RateLimit-Token", "RateLimit-Key", "X-B3-Session", "X-RateLimit-",
        "XX-RateLimit-Limit", "", "\u{212A}eep-alive",
    ])
    func hidesHeader(_ name: String) {
        #expect(Redactor.standard.headerValue("secret", named: name) == Redactor.mark)
        #expect(Redactor.none.headerValue("secret", named: name) == "secret")
    }

    @Test(arguments: [
        "Content-Type", "content-LENGTH", "User-Agent", "Retry-After", "Date", "Range", "X-Request-ID", "ETag",
        "If-None-Match", "RateLimit", "RateLimit-Policy",
        "RateLimit-Remaining", "X-RateLimit-Reset", "X-Rate-Limit-Limit", "Server-Timing", "Cache-Status",
        "Content-Disposition", "Keep-Alive", "traceparent", "X-Correlation-ID", "b3", "X-B3-TraceId", "X-Amzn-Trace-Id",
    ])
    func showsHeader(_ name: String) { #expect(Redactor.standard.headerValue("value", named: name) == "value") }

    @Test("Strict shows no item of a query and no field that says something of a person or a device")
    func strict() {
        let strict = Redactor(rules: RedactionRules(isStrict: true))
        #expect(strict.url("http://host/?page=2&sort=name") == "http://host/?page=[REDACTED]&sort=[REDACTED]")
        for name in ["ETag", "If-None-Match", "X-RateLimit-Limit", "Server-Timing", "Accept-Language", "X-Request-ID"] {
            #expect(strict.headerValue("1", named: name) == Redactor.mark)
        }
        #expect(strict.headerValue("60", named: "Retry-After") == "60")
    }

    @Test("Own names win: sensitive ones over all, allowed ones over what a value should look like")
    func ownNames() {
        let own = Redactor(
            rules: RedactionRules(
                sensitiveHeaders: ["X-RateLimit-User", "ETag"], sensitiveQueryItems: ["page", "sort"],
                allowedHeaders: ["X-Tenant"], allowedQueryItems: ["limit", "sort"]))
        #expect(own.headerValue("1", named: "x-ratelimit-user") == Redactor.mark)
        #expect(own.headerValue("1", named: "etag") == Redactor.mark)
        #expect(own.headerValue("1", named: "X-RateLimit-Limit") == "1")
        #expect(own.headerValue("1", named: "x-tenant") == "1")
        #expect(
            own.url("http://h/?page=1&sort=a&limit=all&page[size]=9")
                == "http://h/?page=[REDACTED]&sort=[REDACTED]&limit=all&page[size]=[REDACTED]")
    }
}
