import Foundation
import TestLab
import Testing

@testable import NetSystem

/// Compares redaction with ``PlainRedaction``, which works byte by byte, on generated text. Both have to hide the same text.
@Suite struct RedactionDifferenceTests {
    private static let rules = [
        RedactionRules(harmlessHeaders: []), RedactionRules(isStrict: true, harmlessHeaders: []),
        RedactionRules(
            harmlessHeaders: [], sensitiveFields: ["nick_name", "id"], allowedFields: ["message", "password", ""]),
    ]

    private static let words: [String] = [
        "\"", "\\", "{", "}", "[", "]", ":", ",", " ", "\n", "\t", "true", "null", "12", "4111111111111111",
        "4111 1111 1111 1111", "-1.5e3", "\"id\":", "\"credentials\":", "\"\"", "name", "token", "password", "=", "://",
        "@", "user:pw@host", "eyJhbGciOiJ", "eyJ", "ey", "bearer abcd1", "Basic abc1d", "dIGEST x1y2z", "sk-abcdefgh1",
        "AKIAABCDEFGH1", "ghp_abcdefgh1", "r8_abcdefgh1", "-----BEGIN ", "--", "<token>", ">", "aB3dE5gH7jK9mN1pQ3sT",
        "2024-05-06T07:08:09Z", "550e8400-e29b-41d4-a716-446655440000", "\\u0022", "\\u0061", "\\n", "\\\"", "\\\\",
        "/", "?", "#", "&", ";", "%41", "%65yJ", "v2", "api-key", "pin", "cvv", "pwd", "passwor", "d", "abcdefg",
        "abcdefghijklmno", "abcdefghijklmnop", "é", "\u{2028}", "\u{301}", "😀",
    ]
    private static let noText: [[UInt8]] = [[0xFF], [0xC3], [0x80], [0], [0x1F], [0x7F]]
    private static let atoms: [[UInt8]] = words.map { Array($0.utf8) } + noText

    private static let names = [
        "id", "name", "title", "status", "password", "credentials", "error", "errors", "code", "message", "nick_name",
        "Access_Token", "created_at", "", "a", "abcdefg", "abcdefgh", "secrettoken_abc", "secrettoken_abcd", "tags",
        "\\u0069d", "pass\\u0077ord", "pass\\word", "4111111111111111", "eyJhbGciOi.eyJ", "Status Code", "é",
    ]

    private static let padding = [UInt8](repeating: UInt8(ascii: " "), count: 512)

    private struct Source {
        var generator: SeededGenerator

        mutating func text(upTo count: Int) -> [UInt8] {
            (0..<generator.next(below: count + 1)).flatMap { _ in pick(atoms) }
        }

        mutating func pick<Element>(_ list: [Element]) -> Element { list[generator.next(below: list.count)] }

        /// Returns a string that rarely contains a byte that ends it too early.
        mutating func string() -> [UInt8] {
            let content = text(upTo: 5).filter { byte in
                byte != UInt8(ascii: "\"") && byte >= 0x20 || generator.next(below: 40) == 0
            }
            let escapes: [UInt8] = generator.next(below: 3) == 0 ? Array("\\u0022".utf8) : []
            return [UInt8(ascii: "\"")] + content.filter { $0 != UInt8(ascii: "\\") } + escapes + [UInt8(ascii: "\"")]
        }

        mutating func space() -> [UInt8] { Array(pick(["", "", "", " ", "\n", "\t\r", "          "]).utf8) }

        mutating func value(_ depth: Int = 0) -> [UInt8] {
            switch generator.next(below: depth > 4 ? 6 : 10) {
            case 0...3: return string()
            case 4: return Array(String(generator.next(below: 1_000_000)).utf8)
            case 5: return Array(pick(["true", "false", "null", "4111111111111111", "1e5", "-0"]).utf8)
            case 6, 7:
                let members = (0..<generator.next(below: 5)).map { _ in
                    let name = generator.next(below: 4) == 0 ? string() : Array("\"\(pick(names))\"".utf8)
                    return space() + name + space() + Array(":".utf8) + space() + value(depth + 1)
                }
                return Array("{".utf8) + Array(members.joined(separator: ",".utf8)) + space() + Array("}".utf8)
            default:
                let values = (0..<generator.next(below: 5)).map { _ in space() + value(depth + 1) + space() }
                return Array("[".utf8) + Array(values.joined(separator: ",".utf8)) + Array("]".utf8)
            }
        }

        /// Returns JSON, its beginning, JSON with changed bytes, or text that is not JSON.
        mutating func document() -> [UInt8] {
            let json = value()
            switch generator.next(below: 4) {
            case 0: return json
            case 1: return Array(json.prefix(generator.next(below: json.count + 1)))
            case 2: return Array(generator.mutate(Data(json)))
            default: return text(upTo: 30)
            }
        }
    }

    @Test("JSON", arguments: [1, 2, 3]) func json(_ seed: UInt64) {
        var source = Source(generator: SeededGenerator(state: seed))
        var whole = 0
        for number in 0..<2_000 {
            // A memory of names is only for texts of 512 bytes and more.
            let document = (number % 2 == 0 ? Self.padding : []) + source.document()
            for rules in Self.rules {
                let fast = Redactor(rules: rules).json(Data(document), isProblem: number % 8 == 0)
                let plain = PlainRedaction.json(document, rules, isProblem: number % 8 == 0)
                #expect(Array(fast) == plain, "\(String(decoding: document, as: UTF8.self))")
                if !plain.reversed().starts(with: Redactor.mark.utf8.reversed()) { whole += 1 }
            }
        }
        #expect(whole > 1_500, "Too few documents were JSON.")
    }

    /// A quote, an escape or a secret at each place relative to the words of eight bytes, in names and in values, and the text cut at each byte.
    @Test func acrossWords() {
        let secrets = ["4111111111111111", "eyJhbGciOi.eyJ", "pin=12345", "\\n", "\u{1}"]
        for length in 0..<17 {
            for secret in secrets {
                for text in [
                    "{\"name\":\"\(String(repeating: " ", count: length))\(secret)\"}",
                    "{\"\(String(repeating: "n", count: length))\(secret)\":[1,\"\(secret)\"],\"credentials\":{\"a\":\"\(secret)\"}}",
                ] {
                    let bytes = Self.padding + Array(text.utf8)
                    for end in 512...bytes.count {
                        let part = Array(bytes[..<end])
                        let fast = Redactor(rules: Self.rules[0]).json(Data(part))
                        #expect(Array(fast) == PlainRedaction.json(part, Self.rules[0], isProblem: false))
                    }
                }
            }
        }
    }

    @Test func secretsInText() {
        var source = Source(generator: SeededGenerator(state: 4))
        var found = 0
        for _ in 0..<5_000 {
            let text = source.text(upTo: 12)
            for rules in Self.rules {
                text.withUnsafeBufferPointer { bytes in
                    let plain = PlainRedaction.secrets(in: bytes, rules)
                    var scanner = SecretScanner(bytes)
                    var ranges: [Range<Int>] = []
                    while let range = scanner.next(rules) { ranges.append(range) }
                    #expect(ranges == plain, "\(String(decoding: bytes, as: UTF8.self))")
                    #expect(SecretScanner.holdsSecret(bytes, rules) == PlainRedaction.holdsSecret(bytes, rules))
                    found += ranges.count
                }
            }
        }
        #expect(found > 5_000)
    }

    @Test func urls() {
        var source = Source(generator: SeededGenerator(state: 5))
        var unchanged = 0
        for number in 0..<5_000 {
            let text = String(decoding: source.text(upTo: 6), as: UTF8.self)
            let parts = ["users", "password", "token", "refresh", "12", "v2", "a", "", "4111111111111111", "é", text]
            let path = (0..<source.generator.next(below: 4)).map { _ in source.pick(parts) }.joined(separator: "/")
            let url = ["https://a.example/", "https://a.example", "a:/", "//", ""][number % 5] + path
            for rules in Self.rules {
                let shown = Redactor(rules: rules).url(url)
                #expect(shown == Redactor(rules: rules).redact(url: url, rules))
                if shown == url { unchanged += 1 }
            }
        }
        #expect((1_000..<14_000).contains(unchanged))
    }

    @Test("Each stem makes a name secret, wherever it is") func stems() {
        for stem in FieldNames.secretStems {
            for name in [stem, "x" + stem, "my-" + stem.uppercased() + "_2", stem + "s"] {
                #expect(FieldNames.isSecret(name), "\(name)")
            }
        }
        var generator = SeededGenerator(state: 6)
        for _ in 0..<20_000 {
            let pieces = (0..<generator.next(below: 4)).map { _ in
                String(FieldNames.secretStems[generator.next(below: FieldNames.secretStems.count)].dropLast(1))
            }
            let name = pieces.joined(separator: generator.text(of: ["d", "n", "t", "y", "_", "e", "é"], upTo: 1))
            let text = name.lowercased().filter { !"_- ".contains($0) }
            let isSecret =
                FieldNames.secretWords.contains(text) || FieldNames.secretStems.contains { text.contains($0) }
            #expect(FieldNames.isSecret(name) == isSecret, "\(name)")
        }
    }
}
