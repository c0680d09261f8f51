import NetCore
import Testing

@Suite struct RedactorTests {
    @Test(arguments: [
        ("http://host", nil), ("http://host:80/a/b", nil), ("http://user:secret@host/a", "http://host/a"),
        ("http://secret@host", "http://host"), ("http://user:sec%40ret@host/a@b", "http://host/a@b"),
        ("//user:secret@host/a", "//host/a"), ("http://user:secret@[::1]:80/a", "http://[::1]:80/a"),
        ("http://host/a?key=secret", "http://host/a?key=[REDACTED]"),
        ("http://host/a?key=secret&b=secret=secret&c=", "http://host/a?key=[REDACTED]&b=[REDACTED]&c=[REDACTED]"),
        ("http://host/a?secret", "http://host/a?[REDACTED]"),
        ("http://host/a?key=secret;b=secret", "http://host/a?key=[REDACTED]"), ("http://host/a?", nil),
        ("http://host/a?&&b=secret", "http://host/a?&&b=[REDACTED]"),
        ("http://host/a#secret", "http://host/a#[REDACTED]"),
        ("http://host/a#secret?secret=secret", "http://host/a#[REDACTED]"),
        ("http://user:secret@host?a=secret#secret", "http://host?a=[REDACTED]#[REDACTED]"),
        ("http://host?next=http://user:secret@other/", "http://host?next=[REDACTED]"), ("http://host/a//b@c", nil),
        ("/a/b:c@d?e=secret", "/a/b:c@d?e=[REDACTED]"), ("file:///etc/hosts", nil),
        // Harmless names, as in bodies. Those of numbers only with a number.
        ("http://host?page=2&limit=50&offset=-1&sort=-created_at,name&lang=en-US&format=json", nil),
        ("http://host?page%5Bsize%5D=20&per-page=7", nil),
        ("http://host?page=secret&limit=hunter2&offset=", "http://host?page=[REDACTED]&limit=[REDACTED]&offset="),
        ("http://host?page=1234567890123", "http://host?page=[REDACTED]"),
        ("http://host?state=secret&q=secret", "http://host?state=[REDACTED]&q=[REDACTED]"),
        ("http://host?token[id]=1&code[page]=1", "http://host?token%5Bid%5D=[REDACTED]&code%5Bpage%5D=[REDACTED]"),
        ("http://host?sort=eyJhbGciOi.eyJzdWIi.abc", "http://host?sort=[REDACTED]"),
        ("http://host?format=q7XfP2mZr9LkT4vBn8Ws", "http://host?format=[REDACTED]"),
        // Without an authority the parts are unknown.
        ("http:user:secret@host/a", "http:[REDACTED]"), ("http:/user:secret@host/a", "http:[REDACTED]"),
        ("mailto:secret@example.com", "mailto:[REDACTED]"), ("data:text/plain,secret", "data:[REDACTED]"),
    ]) func urlsAreRedacted(_ text: String, to redacted: String?) throws {
        let url = try url(text)
        #expect(Redactor.standard.text(of: url) == redacted ?? text)
        #expect(Redactor.none.text(of: url) == url.absoluteString)
    }

    @Test func percentEncodedUserInformationIsRedacted() throws {
        // URL(string:) may encode invalid characters instead of refusing them.
        for text in ["http://user:se cret@host/", "https:\\\\user:secret@host/"] {
            guard let url = URL(string: text) else { continue }
            #expect(!Redactor.standard.text(of: url).contains("cret"))
        }
    }

    @Test func relativeURLsAreRedactedWithTheirBase() throws {
        let url = try #require(URL(string: "b?c=secret", relativeTo: url("http://user:secret@host/a/")))
        #expect(Redactor.standard.text(of: url) == "http://host/a/b?c=[REDACTED]")
    }

    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token", "Location",
        "WWW-Authenticate", "X-Unheard-Of", "Referer", "From", "Content-Location", "Authentication-Info", "baggage",
        "tracestate", "Idempotency-Key", "X-RateLimit-Token", "RateLimit-Key", "X-B3-Session", "X-RateLimit-",
        "XX-RateLimit-Limit", "", "\u{212A}eep-alive",
    ]) func otherHeadersAreHidden(_ name: String) {
        #expect(Redactor.standard.headerValue("secret", named: name) == Redactor.mark)
        #expect(Redactor.none.headerValue("secret", named: name) == "secret")
    }

    @Test(arguments: [
        "Content-Type", "content-LENGTH", "User-Agent", "Retry-After", "Date", "Range", "X-Request-ID", "ETag",
        "If-None-Match", "RateLimit", "RateLimit-Policy", "RateLimit-Remaining", "X-RateLimit-Reset",
        "X-Rate-Limit-Limit", "Server-Timing", "Cache-Status", "Content-Disposition", "Keep-Alive", "traceparent",
        "X-Correlation-ID", "b3", "X-B3-TraceId", "X-Amzn-Trace-Id",
    ]) func harmlessHeaders(_ name: String) { #expect(Redactor.standard.headerValue("value", named: name) == "value") }

    @Test func strictRulesHideQueryItemsAndIdentifyingFields() {
        let strict = Redactor(rules: RedactionRules(isStrict: true))
        #expect(strict.url("http://host/?page=2&sort=name") == "http://host/?page=[REDACTED]&sort=[REDACTED]")
        for name in ["ETag", "If-None-Match", "X-RateLimit-Limit", "Server-Timing", "Accept-Language", "X-Request-ID"] {
            #expect(strict.headerValue("1", named: name) == Redactor.mark)
        }
        #expect(strict.headerValue("60", named: "Retry-After") == "60")
    }

    @Test("Sensitive names win over allowed ones, and these over the expected form of a value")
    func customNames() {
        let custom = Redactor(
            rules: RedactionRules(
                sensitiveHeaders: ["X-RateLimit-User", "ETag"], sensitiveQueryItems: ["page", "sort"],
                allowedHeaders: ["X-Tenant"], allowedQueryItems: ["limit", "sort"]))
        for name in ["x-ratelimit-user", "etag"] { #expect(custom.headerValue("1", named: name) == Redactor.mark) }
        for name in ["X-RateLimit-Limit", "x-tenant"] { #expect(custom.headerValue("1", named: name) == "1") }
        #expect(
            custom.url("http://h/?page=1&sort=a&limit=all&page[size]=9")
                == "http://h/?page=[REDACTED]&sort=[REDACTED]&limit=all&page[size]=[REDACTED]")
    }
}
