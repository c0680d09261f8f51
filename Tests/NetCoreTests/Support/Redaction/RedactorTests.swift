import NetCore
import TestLab
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
        ("https://a.example/a%20b?q=x%20y&z", "https://a.example/a%20b?q=[REDACTED]&[REDACTED]"),
        ("https://u:p@[::1]:8080/#frag", "https://[::1]:8080/#[REDACTED]"), ("https://a.example/%FF%0D%0A", nil),
        ("https://a.example/?filter%5Ba%5D=1", "https://a.example/?filter%5Ba%5D=[REDACTED]"),
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

    @Test(arguments: [
        ("a eyJhbGciOi.eyJzdWIi.abc_-1 x", "a [REDACTED] x"), ("eyJhbGciOiJub25lIn0", "[REDACTED]"),
        ("sent Bearer abc.def-1 to", "sent Bearer [REDACTED] to"), ("BASIC dXNlcjpw", "BASIC [REDACTED]"),
        ("Bearer  \tabcd1234 x", "Bearer  \t[REDACTED] x"), ("Token A1b2C3d4", "Token [REDACTED]"),
        ("Basic authentication failed", "Basic authentication failed"), ("key sk_live_abcdefgh123!", "key [REDACTED]!"),
        ("AKIAIOSFODNN7EXAMPLE", "[REDACTED]"),
        ("x -----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----", "x [REDACTED]"),
        ("-----BEGIN x\nabc", "[REDACTED]"), ("http://user:secret@host/x", "http://[REDACTED]@host/x"),
        ("http://secret@host/x", "http://[REDACTED]@host/x"), ("user:pa:s@s@host", "user:[REDACTED]@host"),
        ("mailto:jane@example.com", "mailto:jane@example.com"),
        ("nginx:1.25.3@sha256:abcd", "nginx:1.25.3@sha256:abcd"), ("mail a@b.example", "mail a@b.example"),
        ("at 10:11:12 in a:b", "at 10:11:12 in a:b"), ("", ""), ("=", "="), ("Grüße 你好", "Grüße 你好"),
    ]) func tokensKeysAndUserInformationAreRedacted(_ text: String, to expected: String) {
        #expect(Redactor.standard.text(text) == expected && Redactor.none.text(text) == text)
    }

    /// Digits with a valid check digit are a card number if they are a whole word, or in groups.
    @Test(arguments: [
        ("card 4111 1111 1111 1111, ok", "card [REDACTED], ok"), ("4111-1111-1111-1111", "[REDACTED]"),
        ("378282246310005", "[REDACTED]"), ("3782 822463 10005", "[REDACTED]"), ("4111.1111.1111.1111", "[REDACTED]"),
        ("on 2024-01-01 4111111111111111 paid", "on 2024-01-01 [REDACTED] paid"),
        ("4111 1111 1111 1111 5500 0000 0000 0004", "[REDACTED] [REDACTED]"),
        ("12 4111 1111 1111 1111", "12 [REDACTED]"), ("1234 4111 1111 1111 1111", "1234 [REDACTED]"),
        ("order-4111111111111111.", "order-[REDACTED]."), ("card_4111111111111111", "card_[REDACTED]"),
    ]) func cardNumbers(_ text: String, to expected: String) { #expect(Redactor.standard.text(text) == expected) }

    @Test func randomTraceIDsAreNotCardNumbers() {
        var generator = SeededGenerator(state: 3)
        let digits = Array("0123456789abcdef")
        var changed = 0
        for _ in 0..<20_000 {
            func hex(_ count: Int) -> String {
                String((0..<count).map { _ in digits.randomElement(using: &generator) ?? "0" })
            }
            let value = "00-\(hex(32))-\(hex(16))-01"
            if Redactor.standard.headerValue(value, named: "traceparent") != value { changed += 1 }
        }
        // Only a span ID of 16 digits, 1 in 20 of which is valid, could be one.
        #expect(changed <= 3)
    }

    /// Nothing is shown after a secret name, since the end of the value is unknown.
    @Test(arguments: [
        ("password=hunter2&x=1", "password="), (#""token": "a b" c"#, #""token": ""#), ("api-key: abc; x", "api-key: "),
        ("security_answer=my first cat", "security_answer="), ("dob: 12 May 1990", "dob: "),
        (#"{"dateOfBirth": "1990-05-12"}"#, #"{"dateOfBirth": ""#), ("passport_no=C01X00T47&x=1", "passport_no="),
        ("Authorization: Bearer abcd1234", "Authorization: "), ("-H 'Cookie: a=b; c=d' -v", "-H 'Cookie: "),
        ("token=[x", "token="), ("token12=x1", "token12="), ("token=\n abcd", "token=\n "),
        ("token:\tabcd", "token:\t"), (#"{\"token\":\"a\\\"b\",\"c\":1}"#, #"{\"token\":\""#),
        ("\"token\" => \"a b\",", "\"token\" => \""), ("token: Optional(\"a b\"), x", "token: "),
        ("[token] => abc", "[token] => "), ("token == 'abc'", "token == '"),
        ("user[password]=abc&x=1", "user[password]="), ("<a:token>a b</a:token>", "<a:token>"),
        (#"{\u0022token\u0022:\u0022a b\u0022}"#, #"{\u0022token\u0022:\"#), ("code=abcdef", "code="),
        ("code: 4821", "code: "), ("code=12x", "code="), ("code: -", "code: "), ("code=4/0AX4XfWhAbCd", "code="),
        ("code: 123-456", "code: "), ("token: 12", "token: "), ("pin: 123", "pin: "),
        ("card 4111 1111 1111 1111, pin: 123", "card [REDACTED], pin: "),
    ]) func valuesOfSecretNamesAreRedacted(_ text: String, shown: String) {
        #expect(Redactor.standard.text(text) == shown + Redactor.mark && Redactor.none.text(text) == text)
    }

    @Test(arguments: [
        "author: Jane", "token=[REDACTED]", "GET /?token=[REDACTED]&page=2, status 404", "password=", "<token> ",
        "a -> token > x1", "Domain=NSURLErrorDomain Code=-1001 \"The request timed out.\"", "code: 404, retried",
        "exit code: 137", "OSStatus code -25300, code=-25300", "at 10:11:12 in a:b",
        // No card numbers: not valid, too long, too short, a fraction, in hexadecimal, in other groups.
        "4111111111111112", "1700000000123", "41111111111111114111111111111111", "0.4111111111111111",
        "x4111111111111111y", "00-a4111111111111111b1c2d3e4f5a6b7c-4111111111111111f-01", "41-11-11-11-11-11-11-11",
    ]) func otherTextIsShown(_ text: String) { #expect(Redactor.standard.text(text) == text) }

    @Test(arguments: [
        ("/reset/AbCdEf0123456789xyzXYZ", "/reset/[REDACTED]"),
        ("/t/0f1e2d3c4b5a69788796a5b4c3d2e1f0", "/t/[REDACTED]"),
        ("/users/550e8400-e29b-41d4-a716-446655440000/x", nil), ("/password/hunter2/x", "/password/[REDACTED]/x"),
        ("/auth/token/refresh", nil), ("/getting-started-with-swift-6-concurrency", nil),
        ("/a;token=x;y/b", "/a;token=[REDACTED];[REDACTED]/b"), ("/%65yJhbGciOiJIUzI1NiJ9.e30.x", "/[REDACTED]"),
        ("/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11/send", "/[REDACTED]/send"),
        ("/pay/4111111111111111", "/pay/[REDACTED]"),
        ("/v1/repos/networking/NotificationSettingsRequestHandler.swift", nil),
    ]) func secretsInPaths(_ path: String, shown: String?) {
        #expect(Redactor.standard.url("https://h.example" + path) == "https://h.example" + (shown ?? path))
        #expect(Redactor.none.url("https://h.example" + path) == "https://h.example" + path)
    }

    @Test(arguments: [
        ("user=john&password=x", "user=[REDACTED]&password=[REDACTED]"), ("page=2&name=a+b", "page=2&name=a+b"),
        (
            "user%5Bname%5D=x&user[password]=y&token[id]=z",
            "user%5Bname%5D=x&user[password]=[REDACTED]&token[id]=[REDACTED]"
        ),
        ("%70assword=x&n%61me=y", "%70assword=[REDACTED]&n%61me=y"), ("secret", "[REDACTED]"), ("", ""),
        ("a=&&=b", "a=[REDACTED]&&=[REDACTED]"),
        ("name=%34111111111111111", "name=[REDACTED]"), ("name=4111+1111+1111+1111", "name=[REDACTED]"),
    ]) func forms(_ form: String, shown: String) {
        #expect(String(decoding: Redactor.standard.form(Data(form.utf8)), as: UTF8.self) == shown)
        #expect(String(decoding: Redactor.none.form(Data(form.utf8)), as: UTF8.self) == form)
    }

    /// Nothing traps, and a redacted text is stable.
    @Test func randomText() {
        var generator = SeededGenerator(state: 11)
        let alphabet = Array("eyJ.4111 -=:@/\"'{[]}%Bearer tokn\n\u{0}é🎉\\;&?#")
        for _ in 0..<5_000 {
            let text = generator.text(of: alphabet, upTo: 60)
            let once = Redactor.standard.text(text)
            #expect(Redactor.standard.text(once) == once || !once.contains(Redactor.mark), "\(text.debugDescription)")
            _ = Redactor.standard.url(text)
            _ = Redactor.standard.form(Data(text.utf8))
            _ = Redactor.standard.json(Data(text.utf8))
        }
    }
}
