import Foundation
import NetCore
import TestLab
import Testing

@Suite struct SecretScannerTests {
    @Test(arguments: [
        ("a eyJhbGciOi.eyJzdWIi.abc_-1 x", "a [REDACTED] x"), ("eyJhbGciOiJub25lIn0", "[REDACTED]"),
        ("card 4111 1111 1111 1111, ok", "card [REDACTED], ok"), ("4111-1111-1111-1111", "[REDACTED]"),
        ("378282246310005", "[REDACTED]"), ("on 2024-01-01 4111111111111111 paid", "on 2024-01-01 [REDACTED] paid"),
        ("x4111111111111111y", "x[REDACTED]y"), ("4111111111111112", "4111111111111112"),
        ("1700000000123", "1700000000123"),
        ("0.4111111111111111", "0.4111111111111111"),
        ("41111111111111114111111111111111", "41111111111111114111111111111111"),
        ("sent Bearer abc.def-1 to", "sent Bearer [REDACTED] to"), ("BASIC dXNlcjpw", "BASIC [REDACTED]"),
        ("Basic authentication failed", "Basic authentication failed"),
        ("password=hunter2&x=1", "password=[REDACTED]&x=1"), (#""token": "a b" c"#, #""token": "[REDACTED]" c"#),
        ("api-key: abc; x", "api-key: [REDACTED]; x"),
        ("security_answer=my first cat", "security_answer=[REDACTED]"), ("dob: 12 May 1990", "dob: [REDACTED]"),
        ("account_number: 12345678, ok", "account_number: [REDACTED], ok"),
        (#"{"dateOfBirth": "1990-05-12"}"#, #"{"dateOfBirth": "[REDACTED]"}"#),
        ("passport_no=C01X00T47&x=1", "passport_no=[REDACTED]&x=1"),
        ("Authorization: Bearer abcd1234", "Authorization: Bearer [REDACTED]"),
        ("token=[REDACTED]", "token=[REDACTED]"), ("token=[x", "token=[REDACTED]"), ("author: Jane", "author: Jane"),
        ("at 10:11:12 in a:b", "at 10:11:12 in a:b"), ("token12=x1", "token12=[REDACTED]"),
        ("http://user:secret@host/x", "http://[REDACTED]@host/x"), ("mail a@b.example", "mail a@b.example"),
        ("key sk_live_abcdefgh123!", "key [REDACTED]!"), ("AKIAIOSFODNN7EXAMPLE", "[REDACTED]"),
        (
            "x -----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----",
            "x [REDACTED]-----END EC PRIVATE KEY-----"
        ),
        // The whole of a field of credentials, whatever the scheme; the quotation in which it stands is kept.
        ("Authorization: Token abc, def", "Authorization: Token [REDACTED]"),
        ("Authorization: abc def", "Authorization: [REDACTED]"),
        ("-H 'Cookie: a=b; c=d' -v", "-H 'Cookie: [REDACTED]' -v"), ("Cookie: a=b; c=d\nx", "Cookie: [REDACTED]\nx"),
        // Passwords have several words; what is quoted ends with the quote, escaped or not.
        ("password: a b, c", "password: [REDACTED]"), ("password=a b user=c", "password=[REDACTED] user=c"),
        (#"{"password":"a\"b","c":1}"#, #"{"password":"[REDACTED]","c":1}"#),
        (#"{\"token\":\"a\\\"b\",\"c\":1}"#, #"{\"token\":\"[REDACTED]\",\"c\":1}"#),
        ("token=/9j4", "token=[REDACTED]"), ("token:\tabcd", "token:\t[REDACTED]"),
        ("token=\n abcd", "token=\n [REDACTED]"),
        ("user:pa:s@s@host", "user:[REDACTED]@host"), ("mailto:jane@example.com", "mailto:jane@example.com"),
        ("nginx:1.25.3@sha256:abcd", "nginx:1.25.3@sha256:abcd"),
        ("4111 1111 1111 1111 5500 0000 0000 0004", "[REDACTED] [REDACTED]"),
        ("Bearer  \tabcd1234 x", "Bearer  \t[REDACTED] x"), ("Token A1b2C3d4", "Token [REDACTED]"),
        // Values of code, dictionaries and XML.
        ("token: Optional(\"a b\"), x", "token: Optional(\"[REDACTED]\"), x"),
        ("password=b'a b' x", "password=b'[REDACTED]' x"),
        ("key: Secret(value: \"a b1\")", "key: Secret(value: \"[REDACTED]\")"),
        ("\"token\" => \"a b\",", "\"token\" => \"[REDACTED]\","),
        ("[token] => abc", "[token] => [REDACTED]"), ("user[password]=abc&x=1", "user[password]=[REDACTED]&x=1"),
        ("token == 'abc'", "token == '[REDACTED]'"), ("tokens: [\"a]\", \"b\"] x", "tokens: [REDACTED] x"),
        ("secret: {\"a\": {\"b\": 1}} x", "secret: [REDACTED] x"), ("password: [a b", "password: [REDACTED]"),
        ("<a:token>a b</a:token>", "<a:token>[REDACTED]</a:token>"), ("<token> </token>", "<token> </token>"),
        ("<token>expired</token>", "<token>expired</token>"), ("<code>E42</code>", "<code>E42</code>"),
        ("a -> token > x1", "a -> token > x1"),
        (#"{\u0022token\u0022:\u0022a b\u0022}"#, #"{\u0022token\u0022:\u0022[REDACTED]\u0022}"#),
        // What messages say of codes, keys and tokens.
        ("Code=-1001", "Code=-1001"), ("key: Escape pressed", "key: Escape pressed"),
        ("max_tokens: 4096", "max_tokens: 4096"),
        ("session_count=12", "session_count=12"), ("token_ttl: 0.5", "token_ttl: 0.5"),
        ("refresh_tokens: abc1", "refresh_tokens: [REDACTED]"),
        ("code: 404", "code: 404"), ("code=404", "code=404"), ("exit code: 1234", "exit code: 1234"),
        ("code: 123456", "code: [REDACTED]"),
        ("code=abcdef", "code=[REDACTED]"), (#""password":"open""#, #""password":"[REDACTED]""#),
        ("password: the quick fox", "password: [REDACTED]"), ("password: missing", "password: missing"),
        ("primary key: 70000", "primary key: 70000"),
        ("token: expired", "token: expired"),
        ("error code: not_found", "error code: not_found"), ("pin: 123", "pin: [REDACTED]"),
        ("-----BEGIN x\nabc", "[REDACTED]"), ("", ""), ("=", "="), ("password=", "password="), ("Grüße 你好", "Grüße 你好"),
    ])
    func scrubs(_ text: String, to expected: String) {
        #expect(Redactor.standard.text(text) == expected)
        #expect(Redactor.none.text(text) == text)
    }

    @Test(arguments: [
        ("/reset/AbCdEf0123456789xyzXYZ", "/reset/[REDACTED]"),
        ("/t/0f1e2d3c4b5a69788796a5b4c3d2e1f0", "/t/[REDACTED]"),
        ("/users/550e8400-e29b-41d4-a716-446655440000/x", "/users/550e8400-e29b-41d4-a716-446655440000/x"),
        ("/password/hunter2/x", "/password/[REDACTED]/x"), ("/auth/token/refresh", "/auth/token/refresh"),
        ("/getting-started-with-swift-6-concurrency", "/getting-started-with-swift-6-concurrency"),
        ("/a;token=x;y/b", "/a;token=[REDACTED];[REDACTED]/b"), ("/%65yJhbGciOiJIUzI1NiJ9.e30.x", "/[REDACTED]"),
        ("/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11/send", "/[REDACTED]/send"),
        ("/pay/4111111111111111", "/pay/[REDACTED]"),
        (
            "/v1/repos/networking/NotificationSettingsRequestHandler.swift",
            "/v1/repos/networking/NotificationSettingsRequestHandler.swift"
        ),
    ])
    func secretsInPaths(_ path: String, shown: String) {
        #expect(Redactor.standard.url("https://h.example" + path) == "https://h.example" + shown)
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
    ])
    func forms(_ form: String, shown: String) {
        #expect(String(decoding: Redactor.standard.form(Data(form.utf8)), as: UTF8.self) == shown)
        #expect(String(decoding: Redactor.none.form(Data(form.utf8)), as: UTF8.self) == form)
    }

    /// Any text at all: nothing traps, and what is shown twice is the same.
    @Test func anyTextIsFine() {
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
