import TestLab

/// Lines as logs and errors have them: some with a secret, some without.
struct FreeTextCorpus {
    struct Line {
        let kind: String
        let text: String
        /// What must not be shown of it.
        let secrets: [String]
    }

    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(state: seed)
    }

    // MARK: Secrets

    static let letters = Array("abcdefghijklmnopqrstuvwxyz")
    static let digits = Array("0123456789")
    static let hex = Array("0123456789abcdef")
    static let word = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    static let base64 = word + Array("+/")
    static let base64URL = word + Array("-_")
    static let password = word + Array("!#$%*+-./:=?@^_|~")

    mutating func random(_ alphabet: [Character], _ count: Int) -> String {
        String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "x" })
    }

    mutating func pick(_ list: [String]) -> String { list.randomElement(using: &generator) ?? "" }

    mutating func token() -> String {
        let count = Int.random(in: 20...64, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return random(Self.base64, count)
        // 1 of 64 tokens begins so, and all images in base64.
        case 1: return "/" + random(Self.base64, count)
        case 2: return random(Self.base64URL, count)
        default: return random(Self.hex, 32)
        }
    }

    mutating func phrase() -> [String] {
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

    static let prefixes = [
        "SG.", "hf_", "shpat_", "whsec_", "sk_live_", "ghp_", "glpat-", "xoxb-", "AKIA", "AIza", "npm_", "github_pat_",
        "dop_v1_",
        "GOCSPX-", "sk-", "ya29.", "rk_live_", "pypi-", "xapp-", "lin_api_", "hvs.", "gsk_", "r8_",
    ]

    static let names = [
        "token", "access_token", "refresh_token", "api_key", "apiKey", "x-api-key", "client_secret", "PHPSESSID",
        "JSESSIONID",
        "AccountKey", "magic_link", "session_id", "SECRET", "private_key", "id_token", "sig", "signature", "auth_token",
        "X-Amz-Security-Token", "csrf_token", "key", "code", "nonce", "SharedAccessKey", "connect.sid",
    ]

    typealias Maker = @Sendable (inout FreeTextCorpus) -> (text: String, secrets: [String])

    static func assigned(_ make: @escaping @Sendable (String, String) -> String) -> Maker {
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

    /// So many lines of each kind.
    mutating func secretLines(ofEachKind count: Int) -> [Line] {
        var lines: [Line] = []
        for (kind, make) in Self.makers + Self.fieldMakers + Self.formMakers {
            for _ in 0..<count {
                let (text, secrets) = make(&self)
                lines.append(Line(kind: kind, text: text, secrets: secrets))
            }
        }
        return lines
    }
}
