import NetCore
import TestLab
import Testing

/// Each character set, compared with Python's codecs.
@Suite(.requires(.python3)) struct CharsetTests {
    /// Where Python's codec has another name.
    private static let pythonNames = [
        "windows-874": "cp874", "windows-31j": "cp932", "shift_jis": "cp932", "iso-2022-jp": "iso2022_jp",
    ]

    /// All characters that Python can write in a character set, with their bytes; by character set.
    private static func oracle(_ names: [String]) async throws -> [String: [(character: String, bytes: [UInt8])]] {
        let input = names.map { "\($0) \(pythonNames[$0] ?? $0)\n" }.joined()
        let result = try await ProcessRunner.run("python3", ["-c", program], input: Data(input.utf8)).checked()
        let table = try JSONDecoder().decode([String: [[String]]].self, from: result.output)
        return table.mapValues { $0.map { ($0[0], $0[1].unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) } }
    }

    /// Without private use. Of EUC-KR's characters those of two bytes: Python writes the others as four.
    private static let program = """
        import json, sys
        table = {}
        points = [*range(0x20, 0x7F), *range(0xA0, 0xD800), *range(0xF900, 0xFDD0), *range(0xFDF0, 0xFFFE), *range(0x20000, 0x20400)]
        for line in sys.stdin:
            name, codec = line.split()
            pairs = table[name] = []
            for point in points:
                text = chr(point)
                try:
                    data = text.encode(codec)
                    if data.decode(codec) == text and not (name == "euc-kr" and len(data) > 2):
                        pairs.append((text, data.decode("latin-1")))
                except UnicodeError: pass
        print(json.dumps(table))
        """

    /// What differs, and why.
    private static func isKnownDifference(_ name: String, _ bytes: [UInt8], _ character: String) -> Bool {
        switch name {
        // At the beginning of a text it is the mark.
        case "utf-8": character == "\u{FEFF}"
        // Python has Cyrillic letters where Hong Kong's supplement and all browsers have Kana, and other widths for four symbols.
        case "big5":
            (0xC6...0xC8).contains(bytes[0])
                || ["¢", "£", "¥", "ˍ", "╴", "￣", "\u{2027}", "\u{FF0F}"].contains(character)
        case "big5-hkscs": ["ˍ", "╴", "￣"].contains(character)
        // Python has the edition of the year 2000.
        case "gb18030":
            ["ḿ", "龴", "龵", "龶", "龷", "龸", "龹", "龺", "龻", "𠂇", "𠂉", "𠃌"].contains(character)
                || ("\u{FE10}"..."\u{FE19}").contains(character)
        default: false
        }
    }

    @Test("Every character of every character set is the one that Python reads")
    func eachCharacterIsDecodedAsByPython() async throws {
        let names = Charset.all.sorted()
        let table = try await Self.oracle(names)
        #expect(names.count >= 50)
        for name in names {
            let charset = try #require(Charset(named: name))
            let pairs = try #require(table[name])
            #expect(pairs.count >= 95, "\(name)")
            let known = pairs.filter { !Self.isKnownDifference(name, $0.bytes, $0.character) }
            // UTF-16 and 32 have a mark before each character, and ISO-2022-KR a header.
            if !["utf-16", "utf-32", "iso-2022-kr"].contains(name) {
                // One text, longer than what the converter writes at once.
                let all = try charset.text(Data(known.flatMap(\.bytes)))
                if all?.unicodeScalars.elementsEqual(known.lazy.flatMap(\.character.unicodeScalars)) == true {
                    continue
                }
            }
            let sample =
                name.hasPrefix("utf") ? known.enumerated().filter { $0.offset % 97 == 0 }.map(\.element) : known
            let wrong = try sample.filter { pair in
                try charset.text(Data(pair.bytes))?.unicodeScalars.elementsEqual(pair.character.unicodeScalars) != true
            }
            #expect(wrong.isEmpty, "\(name): \(wrong.count) of \(pairs.count), \(wrong.prefix(12))")
            if name.hasPrefix("iso-2022") || name.hasPrefix("utf") { continue }
            #expect(!wrong.isEmpty, "\(name): each character alone is right, and all of them together are not")
        }
    }

    @Test(
        "Names and aliases of the registry, in any case",
        arguments: [
            ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B, 0x5C, 0x7E], "日本\\~"), ("x-sjis", [0x87, 0x40], "①"),
            ("csISO2022JP", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"), ("EUC-JP", [0xC6, 0xFC], "日"),
            ("gb2312", [0xD6, 0xD0], "中"), ("GB2312", [0x81, 0x40], "丂"),
            ("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"),
            ("Big5", [0xA4, 0xA4], "中"), ("big5", [0xA1, 0x5A], "╴"), ("big5-hkscs", [0x88, 0x66], "Ê"),
            ("ks_c_5601-1987", [0xC7, 0xD1], "한"), ("euc-kr", [0x81, 0x41], "갂"), ("KOI8-R", [0xC4], "д"),
            ("cyrillic", [0xD4], "д"), ("ISO_8859-7:1987", [0xE1], "α"), ("iso-8859-8-i", [0xE0], "א"),
            ("latin-9", [0xA4], "€"), ("cp1251", [0xE4], "д"), ("windows-1256", [0xC7], "ا"), ("tis-620", [0xA1], "ก"),
            ("IBM437", [0x84], "ä"), ("UTF-16", [0x00, 0x41], "A"), ("utf-16", [0xFF, 0xFE, 0x41, 0x00], "A"),
            ("UTF-32BE", [0, 0, 0, 0x41], "A"), ("ISO_8859-1:1987", [0x93], "\u{93}"),
        ] as [(String, [UInt8], String)])
    func namesAndAliases(_ name: String, bytes: [UInt8], text: String) throws {
        #expect(try Charset(named: name)?.text(Data(bytes)) == text)
        #expect(try Charset(named: name.uppercased())?.text(Data(bytes)) == text)
        #expect(try StringSerializer().serialize(Data(bytes), response: response(charset: name)) == text)
    }

    private func response(charset: String) -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "text/html; charset=\"\(charset)\""], url: nil)
    }

    /// An unknown name is an error of its own, and no charset is guessed.
    @Test(arguments: [
        "unheard-of", "", "utf-8//IGNORE", "//TRANSLIT", "../../../tmp/evil", "INTERNAL", "UCS-4-INTERNAL", "char",
        "wchar_t", "UTF-7", "ISO-2022-JP-3", "IBM1364", "utf-8\0", "shift_jis ", String(repeating: "a", count: 10_000),
    ]) func unknownNames(_ name: String) throws {
        #expect(Charset(named: name) == nil)
        guard !name.isEmpty, name != "shift_jis " else { return }
        let error = try #require(throws: NetworkError.self) {
            try StringSerializer().serialize(Data("a".utf8), response: response(charset: name))
        }
        #expect((error.embeddedError as? StringSerializer.UnknownCharset)?.name == String(name.prefix(64)))
        #expect(error.code == "decoding_error" && error.description.utf8.count < 200)
    }

    @Test(
        "Bytes that are not text in their character set are an error and no other text",
        arguments: [
            ("shift_jis", [0x41, 0x81]), ("shift_jis", [0x82, 0x20]), ("euc-jp", [0xA4]), ("gb2312", [0xFF]),
            ("gbk", [0x81, 0x20]), ("gb18030", [0x81, 0x30]), ("big5", [0xFF, 0xFF]), ("euc-kr", [0xFE]),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46]), ("iso-2022-jp", [0x80]), ("windows-1252", [0x81]),
            ("iso-8859-3", [0xA5]), ("utf-8", [0xC3]), ("us-ascii", [0x80]), ("windows-874", [0xFF]),
            ("utf-16le", [0x00, 0xD8]),
        ] as [(String, [UInt8])])
    func malformedText(_ name: String, bytes: [UInt8]) throws {
        #expect(try #require(Charset(named: name)).text(Data(bytes)) == nil)
    }

    @Test("No bytes trap or hang")
    func randomBytes() throws {
        var generator = SeededGenerator(state: 16)
        for name in Charset.all.sorted() {
            let charset = try #require(Charset(named: name))
            for _ in 0..<200 {
                let count = Int.random(in: 0...40, using: &generator)
                _ = try charset.text(generator.bytes(count))
            }
            #expect(try charset.text(Data()) == "")
        }
    }
}
