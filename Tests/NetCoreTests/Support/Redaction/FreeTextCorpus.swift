import TestLab

/// Lines as logs and errors have them: some with a secret, some without.
struct FreeTextCorpus {
    struct Line {
        let kind: String
        let text: String
        /// What must not be shown of it.
        let secrets: [String]
    }

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(state: seed)
    }

    // MARK: Secrets

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")
    private static let digits = Array("0123456789")
    private static let hex = Array("0123456789abcdef")
    private static let word = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    private static let base64 = word + Array("+/")
    private static let base64URL = word + Array("-_")
    private static let password = word + Array("!#$%*+-./:=?@^_|~")

    private mutating func random(_ alphabet: [Character], _ count: Int) -> String {
        String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "x" })
    }

    private mutating func pick(_ list: [String]) -> String { list.randomElement(using: &generator) ?? "" }

    private mutating func token() -> String {
        let count = Int.random(in: 20...64, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return random(Self.base64, count)
        // 1 of 64 tokens begins so, and all images in base64.
        case 1: return "/" + random(Self.base64, count)
        case 2: return random(Self.base64URL, count)
        default: return random(Self.hex, 32)
        }
    }

    private mutating func phrase() -> [String] {
        (0..<Int.random(in: 2...5, using: &generator)).map { _ in
            random(Self.letters, Int.random(in: 5...9, using: &generator))
        }
    }

    private mutating func card() -> String {
        var digits = "4" + random(Self.digits, 14)
        var sum = 0
        for (offset, digit) in digits.reversed().enumerated() {
            let value = (digit.wholeNumberValue ?? 0) * (offset % 2 == 0 ? 2 : 1)
            sum += value > 9 ? value - 9 : value
        }
        digits += "\((10 - sum % 10) % 10)"
        return digits
    }

    private static let prefixes = [
        "SG.", "hf_", "shpat_", "whsec_", "sk_live_", "ghp_", "glpat-", "xoxb-", "AKIA", "AIza", "npm_", "github_pat_",
        "dop_v1_",
        "GOCSPX-", "sk-", "ya29.", "rk_live_", "pypi-", "xapp-", "lin_api_", "hvs.", "gsk_", "r8_",
    ]

    private static let names = [
        "token", "access_token", "refresh_token", "api_key", "apiKey", "x-api-key", "client_secret", "PHPSESSID",
        "JSESSIONID",
        "AccountKey", "magic_link", "session_id", "SECRET", "private_key", "id_token", "sig", "signature", "auth_token",
        "X-Amz-Security-Token", "csrf_token", "key", "code", "nonce", "SharedAccessKey", "connect.sid",
    ]

    typealias Maker = @Sendable (inout FreeTextCorpus) -> (text: String, secrets: [String])

    private static func assigned(_ make: @escaping @Sendable (String, String) -> String) -> Maker {
        { corpus in
            let secret = corpus.token()
            return (make(corpus.pick(names), secret), [secret])
        }
    }

    private static let makers: [(kind: String, make: Maker)] = [
        ("name=token", assigned { "refused with \($0)=\($1)" }),
        ("name=token in a query", assigned { "GET /a?x=1&\($0)=\($1)&y=2 failed" }),
        ("name: token", assigned { "\($0): \($1) was refused" }),
        ("name:token", assigned { "{\($0):\($1)}" }),
        ("name, tab", assigned { "\($0):\t\($1)" }),
        ("name, new line", assigned { "\($0)=\n  \($1)\n" }),
        ("JSON", assigned { #"got {"id":1,"\#($0)":"\#($1)","x":2}"# }),
        ("JSON within JSON", assigned { #"got "{\"id\":1,\"\#($0)\":\"\#($1)\",\"x\":2}""# }),
        ("JSON within JSON within JSON", assigned { #"got "{\\\"id\\\":1,\\\"\#($0)\\\": \\\"\#($1)\\\"}""# }),
        (
            "escaped quote",
            { corpus in
                let parts = (corpus.random(word, 9), corpus.random(word, 9))
                return (#"{"password":"\#(parts.0)\"\#(parts.1)","x":1}"#, [parts.0, parts.1])
            }
        ),
        (
            "phrase",
            { corpus in
                let words = corpus.phrase()
                return (
                    "\(corpus.pick(["password", "passphrase", "pwd", "mnemonic"])): \(words.joined(separator: " "))",
                    words
                )
            }
        ),
        (
            "phrase before another name",
            { corpus in
                let words = corpus.phrase()
                return ("password=\(words.joined(separator: " ")) user=jane", words)
            }
        ),
        (
            "quoted phrase",
            { corpus in
                let words = corpus.phrase()
                return ("login(user: \"jane\", password: \"\(words.joined(separator: " "))\")", words)
            }
        ),
        (
            "password",
            { corpus in
                let secret = corpus.random(word, 3) + corpus.random(password, 12)
                return ("\(corpus.pick(["password", "pass", "db_password", "PGPASSWORD", "pw"])): \(secret)", [secret])
            }
        ),
        (
            "scheme",
            { corpus in
                let secret = corpus.token()
                let scheme = corpus.pick([
                    "Token", "Bearer", "Basic", "ApiKey", "OAuth", "Hawk", "SSWS", "X-Own", "Negotiate", "DPoP",
                ])
                return ("\(corpus.pick(["Authorization", "Proxy-Authorization"])): \(scheme) \(secret)", [secret])
            }
        ),
        (
            "scheme in curl",
            { corpus in
                let secret = corpus.token()
                return (
                    "curl -H 'Authorization: \(corpus.pick(["Token", "Custom"])) \(secret)' https://a.example", [secret]
                )
            }
        ),
        (
            "Digest",
            { corpus in
                let secrets = [corpus.random(hex, 32), corpus.random(hex, 32)]
                return (
                    #"Authorization: Digest username="jane", realm="a", nonce="\#(secrets[0])", uri="/", response="\#(secrets[1])""#,
                    secrets
                )
            }
        ),
        (
            "bare scheme",
            { corpus in
                let secret = corpus.token()
                return ("sent \(corpus.pick(["Bearer", "bearer", "Basic"])) \(secret) to it", [secret])
            }
        ),
        (
            "cookies",
            { corpus in
                let secrets = [corpus.random(word, 12), corpus.random(word, 20), corpus.token()]
                return ("Cookie: a=\(secrets[0]); theme=\(secrets[1]); _s=\(secrets[2])", secrets)
            }
        ),
        (
            "received cookie",
            { corpus in
                let secret = corpus.token()
                return ("Set-Cookie: own=\(secret); Path=/; HttpOnly", [secret])
            }
        ),
        (
            "one-time code",
            { corpus in
                let secret = corpus.random(digits, 6)
                return (
                    "\(corpus.pick(["mfa_code", "otp", "otp_code", "verification_code", "code", "totp"])): \(secret)",
                    [secret]
                )
            }
        ),
        (
            "key of a service",
            { corpus in
                let secret = corpus.pick(prefixes) + corpus.random(word, 8) + "7" + corpus.random(word, 22)
                return ("key \(secret) is not known", [secret])
            }
        ),
        (
            "web token",
            { corpus in
                let secret =
                    "eyJ" + corpus.random(base64URL, 20) + "." + corpus.random(base64URL, 40) + "."
                    + corpus.random(base64URL, 43)
                return ("cannot read '\(secret)'", [secret])
            }
        ),
        (
            "card",
            { corpus in
                let card = corpus.card()
                let groups = stride(from: 0, to: 16, by: 4).map { String(card.dropFirst($0).prefix(4)) }
                let text = groups.joined(separator: corpus.pick(["", " ", "-"]))
                return ("charged \(text) twice", [text])
            }
        ),
        (
            "user information",
            { corpus in
                let secret = corpus.random(word, 10)
                return (
                    "cannot connect to \(corpus.pick(["postgres", "https", "redis", "amqp"]))://jane:\(secret)@db.example:5432/x",
                    [secret]
                )
            }
        ),
        (
            "user information without a scheme",
            { corpus in
                let secret = corpus.random(word, 10)
                return ("cannot connect to jane:\(secret)@db.example", [secret])
            }
        ),
    ]

    /// 1,000 lines of each kind.
    mutating func secretLines(ofEachKind count: Int) -> [Line] {
        var lines: [Line] = []
        for (kind, make) in Self.makers {
            for _ in 0..<count {
                let (text, secrets) = make(&self)
                lines.append(Line(kind: kind, text: text, secrets: secrets))
            }
        }
        return lines
    }

    // MARK: Harmless lines

    private static let harmless: [@Sendable (inout FreeTextCorpus) -> String] = [
        { "server answered with code: \($0.pick(["404", "500", "403", "0", "-1"]))" },
        { "exit code: \($0.random(digits, Int.random(in: 1...3, using: &$0.generator)))" },
        { "primary key: \($0.random(digits, 5))" },
        { "error code: \($0.random(digits, 4))" },
        { "commit \($0.random(hex, 40)) by jane" },
        { "HEAD is now at \($0.random(hex, 7)) Fix the tests" },
        {
            "swift-\($0.random(digits, 1)).\($0.random(digits, 2)).\($0.random(digits, 3)) on Linux \($0.random(digits, 1)).10.0-26-amd64"
        },
        { "version 1.\($0.random(digits, 2)).0 (build \($0.random(digits, 6)))" },
        { "2026-11-2\($0.random(digits, 1))T19:03:12.040Z info network #7 started" },
        { "GET /users/\($0.random(digits, 4))?page=2 in \($0.random(digits, 3)) ms" },
        { "received \($0.random(digits, 6)) bytes from 10.0.\($0.random(digits, 2)).7:8080" },
        { "connection to api-\($0.random(digits, 2)).example.com:443 was reset" },
        { "Basic authentication failed after \($0.random(digits, 1)) tries" },
        { "the token has expired \($0.random(digits, 2)) seconds ago" },
        { "session: started, \($0.random(digits, 3)) requests" },
        { "token: \($0.pick(["expired", "missing", "invalid", "none"]))" },
        { "retry \($0.random(digits, 1)) of 5 after 0.\($0.random(digits, 2)) s: connection_lost" },
        { "jane\($0.random(digits, 2))@example.com has signed in" },
        { "request \($0.random(hex, 8))-e29b-41d4-a716-446655440000 timed out" },
        { "code: \($0.pick(["ENOENT", "not_found", "invalid_grant", "E_FAIL", "card_declined"]))" },
        { "missing key: \($0.pick(["name", "owner", "created_at", "items"])) at items.\($0.random(digits, 1))" },
        { "author: \($0.pick(["Jane", "John"])) Doe, monkey: \($0.random(digits, 2)), keyboard: de" },
        { "[\($0.random(digits, 4))] 200 OK, 12 headers, image/png, etag \"\($0.random(hex, 16))\"" },
        { "at \($0.random(digits, 2)):11:12 in Sources/App/Main.swift:\($0.random(digits, 3))" },
        { "TLS 1.3, AES_128_GCM_SHA256, h2, \($0.random(digits, 1)) streams, issuer: CN=Example CA" },
    ]

    /// Lines without a secret, of each kind as many.
    mutating func harmlessLines(_ count: Int) -> [String] {
        (0..<count).map { Self.harmless[$0 % Self.harmless.count](&self) }
    }
}
