import TestLab

/// Lines of logs and errors, with and without secrets.
struct FreeTextCorpus {
    struct Line {
        let kind: String
        let text: String
        let secrets: [String]
    }

    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(state: seed) }

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

    /// A number with a right check digit, in groups of four.
    private mutating func card(separators: [String]) -> String {
        var digits = "4" + random(Self.digits, 14)
        var sum = 0
        for (offset, digit) in digits.reversed().enumerated() {
            let value = (digit.wholeNumberValue ?? 0) * (offset % 2 == 0 ? 2 : 1)
            sum += value > 9 ? value - 9 : value
        }
        digits += "\((10 - sum % 10) % 10)"
        return stride(from: 0, to: 16, by: 4).map { String(digits.dropFirst($0).prefix(4)) }
            .joined(separator: pick(separators))
    }

    private mutating func webToken() -> String {
        "eyJ" + random(Self.base64URL, 20) + "." + random(Self.base64URL, 40) + "." + random(Self.base64URL, 43)
    }

    mutating func serviceKey() -> String { pick(Self.prefixes) + random(Self.word, 8) + "7" + random(Self.word, 22) }

    static let prefixes = [
        "SG.", "hf_", "shpat_", "whsec_", "sk_live_", "ghp_", "glpat-", "xoxb-", "AKIA", "AIza", "npm_", "github_pat_",
        "dop_v1_", "GOCSPX-", "sk-", "ya29.", "rk_live_", "pypi-", "xapp-", "lin_api_", "hvs.", "gsk_", "r8_",
    ]

    static let names = [
        "token", "access_token", "refresh_token", "api_key", "apiKey", "x-api-key", "client_secret", "PHPSESSID",
        "JSESSIONID", "AccountKey", "magic_link", "session_id", "SECRET", "private_key", "id_token", "sig", "signature",
        "auth_token", "X-Amz-Security-Token", "csrf_token", "key", "code", "nonce", "SharedAccessKey", "connect.sid",
    ]

    typealias Maker = @Sendable (inout FreeTextCorpus) -> (text: String, secrets: [String])

    /// A kind of lines with these secrets.
    static func hidingAll(
        _ kind: String, _ secrets: @escaping @Sendable (inout FreeTextCorpus) -> [String],
        in text: @escaping @Sendable (inout FreeTextCorpus, [String]) -> String
    ) -> (kind: String, make: Maker) {
        (
            kind,
            { corpus in
                let hidden = secrets(&corpus)
                return (text(&corpus, hidden), hidden)
            }
        )
    }

    /// A kind of lines with one secret.
    static func hiding(
        _ kind: String, _ secret: @escaping @Sendable (inout FreeTextCorpus) -> String = { $0.token() },
        in text: @escaping @Sendable (inout FreeTextCorpus, String) -> String
    ) -> (kind: String, make: Maker) { hidingAll(kind, { [secret(&$0)] }) { text(&$0, $1[0]) } }

    /// A kind of lines with a secret name and a token.
    private static func assigned(
        _ kind: String, _ make: @escaping @Sendable (String, String) -> String
    ) -> (kind: String, make: Maker) { hiding(kind) { make($0.pick(names), $1) } }

    private static let makers: [(kind: String, make: Maker)] = [
        assigned("name=token") { "refused with \($0)=\($1)" },
        assigned("name=token in a query") { "GET /a?x=1&\($0)=\($1)&y=2 failed" },
        assigned("name: token") { "\($0): \($1) was refused" }, assigned("name:token") { "{\($0):\($1)}" },
        assigned("name, tab") { "\($0):\t\($1)" }, assigned("name, new line") { "\($0)=\n  \($1)\n" },
        assigned("JSON") { #"got {"id":1,"\#($0)":"\#($1)","x":2}"# },
        assigned("JSON within JSON") { #"got "{\"id\":1,\"\#($0)\":\"\#($1)\",\"x\":2}""# },
        assigned("JSON within JSON within JSON") { #"got "{\\\"id\\\":1,\\\"\#($0)\\\": \\\"\#($1)\\\"}""# },
        hidingAll("escaped quote", { [$0.random(word, 9), $0.random(word, 9)] }) { _, parts in
            #"{"password":"\#(parts[0])\"\#(parts[1])","x":1}"#
        },
        hidingAll("phrase", { $0.phrase() }) { corpus, words in
            "\(corpus.pick(["password", "passphrase", "pwd", "mnemonic"])): \(words.joined(separator: " "))"
        },
        hidingAll("phrase before another name", { $0.phrase() }) { _, words in
            "password=\(words.joined(separator: " ")) user=jane"
        },
        hidingAll("quoted phrase", { $0.phrase() }) { _, words in
            "login(user: \"jane\", password: \"\(words.joined(separator: " "))\")"
        },
        hiding("password", { $0.random(word, 3) + $0.random(password, 12) }) { corpus, secret in
            "\(corpus.pick(["password", "pass", "db_password", "PGPASSWORD", "pw"])): \(secret)"
        },
        hiding("scheme") { corpus, secret in
            let scheme = corpus.pick([
                "Token", "Bearer", "Basic", "ApiKey", "OAuth", "Hawk", "SSWS", "X-Own", "Negotiate", "DPoP",
            ])
            return "\(corpus.pick(["Authorization", "Proxy-Authorization"])): \(scheme) \(secret)"
        },
        hiding("scheme in curl") { corpus, secret in
            "curl -H 'Authorization: \(corpus.pick(["Token", "Custom"])) \(secret)' https://a.example"
        },
        hidingAll("Digest", { [$0.random(hex, 32), $0.random(hex, 32)] }) { _, secrets in
            #"Authorization: Digest username="jane", realm="a", nonce="\#(secrets[0])", uri="/", response="\#(secrets[1])""#
        },
        hiding("bare scheme") { corpus, secret in
            "sent \(corpus.pick(["Bearer", "bearer", "Basic"])) \(secret) to it"
        },
        hidingAll("cookies", { [$0.random(word, 12), $0.random(word, 20), $0.token()] }) { _, secrets in
            "Cookie: a=\(secrets[0]); theme=\(secrets[1]); _s=\(secrets[2])"
        },
        hiding("received cookie") { _, secret in "Set-Cookie: own=\(secret); Path=/; HttpOnly" },
        hiding("one-time code", { $0.random(digits, 6) }) { corpus, secret in
            "\(corpus.pick(["mfa_code", "otp", "otp_code", "verification_code", "code", "totp"])): \(secret)"
        },
        hiding("key of a service", { $0.serviceKey() }) { _, secret in "key \(secret) is not known" },
        hiding("web token", { $0.webToken() }) { _, secret in "cannot read '\(secret)'" },
        hiding("card", { $0.card(separators: ["", " ", "-"]) }) { _, text in "charged \(text) twice" },
        hiding("user information", { $0.random(word, 10) }) { corpus, secret in
            "cannot connect to \(corpus.pick(["postgres", "https", "redis", "amqp"]))://jane:\(secret)@db.example:5432/x"
        },
        hiding("user information without a scheme", { $0.random(word, 10) }) { _, secret in
            "cannot connect to jane:\(secret)@db.example"
        },
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
