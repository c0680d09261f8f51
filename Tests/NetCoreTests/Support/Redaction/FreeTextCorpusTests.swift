import NetCore
import TestLab
import Testing

/// Lines of logs and errors, with and without secrets.
struct FreeTextCorpus {
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

    mutating func pick(_ list: [String]) -> String {
        list.count == 1 ? list[0] : list.randomElement(using: &generator) ?? ""
    }

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
        let make: Maker = { corpus in
            let hidden = secrets(&corpus)
            return (text(&corpus, hidden), hidden)
        }
        return (kind, make)
    }

    /// A kind of lines with these secrets, by any of the templates (``fill(_:hiding:)``).
    static func hidingAll(
        _ kind: String, _ templates: String..., secrets: @escaping @Sendable (inout FreeTextCorpus) -> [String]
    ) -> (kind: String, make: Maker) {
        hidingAll(kind, secrets) { $0.fill($0.pick(templates), hiding: $1) }
    }

    /// A kind of lines with one secret.
    static func hiding(
        _ kind: String, _ templates: String...,
        secret: @escaping @Sendable (inout FreeTextCorpus) -> String = { $0.token() }
    ) -> (kind: String, make: Maker) {
        hidingAll(kind, { [secret(&$0)] }) { $0.fill($0.pick(templates), hiding: $1) }
    }

    private static let makers: [(kind: String, make: Maker)] = [
        hiding("name=token", "refused with {name}={0}"),
        hiding("name=token in a query", "GET /a?x=1&{name}={0}&y=2 failed"),
        hiding("name: token", "{name}: {0} was refused"), hiding("name:token", "{{name}:{0}}"),
        hiding("name, tab", "{name}:\t{0}"), hiding("name, new line", "{name}=\n  {0}\n"),
        hiding("JSON", #"got {"id":1,"{name}":"{0}","x":2}"#),
        hiding("JSON within JSON", #"got "{\"id\":1,\"{name}\":\"{0}\",\"x\":2}""#),
        hiding("JSON within JSON within JSON", #"got "{\\\"id\\\":1,\\\"{name}\\\": \\\"{0}\\\"}""#),
        hidingAll("escaped quote", #"{"password":"{0}\"{1}","x":1}"#) { [$0.random(word, 9), $0.random(word, 9)] },
        hidingAll("phrase", "{password|passphrase|pwd|mnemonic}: {*}") { $0.phrase() },
        hidingAll("phrase before another name", "password={*} user=jane") { $0.phrase() },
        hidingAll("quoted phrase", "login(user: \"jane\", password: \"{*}\")") { $0.phrase() },
        hiding(
            "password", "{password|pass|db_password|PGPASSWORD|pw}: {0}",
            secret: { $0.random(word, 3) + $0.random(password, 12) }),
        hidingAll("scheme", { [$0.token()] }) { corpus, secrets in
            let scheme = corpus.fill("{Token|Bearer|Basic|ApiKey|OAuth|Hawk|SSWS|X-Own|Negotiate|DPoP}")
            return corpus.fill("{Authorization|Proxy-Authorization}: ") + "\(scheme) \(secrets[0])"
        },
        hiding("scheme in curl", "curl -H 'Authorization: {Token|Custom} {0}' https://a.example"),
        hidingAll(
            "Digest", #"Authorization: Digest username="jane", realm="a", nonce="{0}", uri="/", response="{1}""#,
            secrets: { [$0.random(hex, 32), $0.random(hex, 32)] }),
        hiding("bare scheme", "sent {Bearer|bearer|Basic} {0} to it"),
        hidingAll(
            "cookies", "Cookie: a={0}; theme={1}; _s={2}",
            secrets: { [$0.random(word, 12), $0.random(word, 20), $0.token()] }),
        hiding("received cookie", "Set-Cookie: own={0}; Path=/; HttpOnly"),
        hiding("one-time code", "{mfa_code|otp|otp_code|verification_code|code|totp}: {0}") { $0.random(digits, 6) },
        hiding("key of a service", "key {0} is not known") { $0.serviceKey() },
        hiding("web token", "cannot read '{0}'") { $0.webToken() },
        hiding("card", "charged {0} twice") { $0.card(separators: ["", " ", "-"]) },
        hiding(
            "user information", "cannot connect to {postgres|https|redis|amqp}://jane:{0}@db.example:5432/x",
            secret: { $0.random(word, 10) }),
        hiding("user information without a scheme", "cannot connect to jane:{0}@db.example") { $0.random(word, 10) },
    ]

    /// So many lines of each kind.
    mutating func secretLines(ofEachKind count: Int) -> [(kind: String, text: String, secrets: [String])] {
        var lines: [(kind: String, text: String, secrets: [String])] = []
        for (kind, make) in Self.makers + Self.fieldMakers + Self.formMakers {
            for _ in 0..<count {
                let (text, secrets) = make(&self)
                lines.append((kind, text, secrets))
            }
        }
        return lines
    }

    // MARK: Templates

    /// Replaces what stands in braces: `{d4}` digits, `{h8}` hexadecimal digits, `{n1:99}` a number, `{a|b}` one of
    /// several words, `{name}` a secret name, `{0}` the first secret, `{*}` all secrets as words.
    mutating func fill(_ template: String, hiding secrets: [String] = []) -> String {
        var line = ""
        var rest = template[...]
        while let close = rest.firstIndex(of: "}") {
            let next = rest.index(after: close)
            if let open = rest[..<close].lastIndex(of: "{"),
                let value = value(rest[rest.index(after: open)..<close], secrets)
            {
                line += rest[..<open] + value
            } else {
                line += rest[...close]
            }
            rest = rest[next...]
        }
        return line + rest
    }

    private mutating func value(_ name: Substring, _ secrets: [String]) -> String? {
        if let index = Int(name), secrets.indices.contains(index) { return secrets[index] }
        let number = name.dropFirst()
        switch name {
        case "*": return secrets.joined(separator: " ")
        case "name": return pick(Self.names)
        case "uuid": return fill("{h8}-{h4}-4{h3}-a{h3}-{h12}")
        case "path": return fill("/{users|v1/orders|api/items|health}/{n1:9999}")
        case _ where name.contains("|"): return pick(name.split(separator: "|").map(String.init))
        case _ where name.first == "d": return Int(number).map { random(Self.digits, $0) }
        case _ where name.first == "h": return Int(number).map { random(Self.hex, $0) }
        case _ where name.first == "n":
            let bounds = number.split(separator: ":").compactMap { Int($0) }
            return bounds.count == 2 ? "\(Int.random(in: bounds[0]...bounds[1], using: &generator))" : nil
        default: return nil
        }
    }
}

@Suite("Secrets in free text") struct FreeTextCorpusTests {
    @Test("Of 26,000 lines with secrets none shows 8 characters of one", arguments: [20_261_122 as UInt64, 7])
    func secretsAreRedacted(seed: UInt64) {
        var corpus = FreeTextCorpus(seed: seed)
        let lines = corpus.secretLines(ofEachKind: seed == 7 ? 50 : 500)
        #expect(lines.count == (seed == 7 ? 2_600 : 26_000))
        var shown: [String: [String]] = [:]
        for line in lines {
            let text = Redactor.standard.text(line.text)
            guard line.secrets.contains(where: { Self.isShown($0, in: text) }) else { continue }
            shown[line.kind, default: []].append("\(line.text) → \(text)")
        }
        for (kind, examples) in shown { Issue.record("\(kind): \(examples.count), \(examples.prefix(4))") }
    }

    @Test("Of 500 harmless lines at least 3 in 4 are shown as they are, the others up to a secret name")
    func harmlessLinesAreShown() {
        var corpus = FreeTextCorpus(seed: 20_261_122)
        #expect(FreeTextCorpus.harmless.count >= 100)
        let changed = corpus.harmlessLines(500).map { ($0, Redactor.standard.text($0)) }.filter { $0 != $1 }
        #expect(changed.count <= 125, "\(changed.count): \(changed.prefix(20))")
    }

    @Test("The measurement sees a secret that is shown, and the beginning, the end or the middle of one")
    func measurementFindsPartsOfSecrets() {
        for text in ["abcdefghijkl", "x abcdefgh", "efghijkl", "[REDACTED]cdefghij,"] {
            #expect(Self.isShown("abcdefghijkl", in: text))
        }
        #expect(!Self.isShown("abcdefghijkl", in: "abcdefg fghijkl"))
        #expect(Self.isShown("word", in: "a word.") && !Self.isShown("word", in: "wor"))
    }

    /// Whether the text holds 8 bytes of the secret in a row, or the whole of a shorter one.
    private static func isShown(_ secret: String, in text: String) -> Bool {
        let (secret, text) = (Data(secret.utf8), Data(text.utf8))
        let length = min(8, secret.count)
        return (0...secret.count - length).contains { text.range(of: secret[$0..<$0 + length]) != nil }
    }
}
