import NetCore
import TestLab
import Testing

struct QueryEncoderTests {
    private struct Filter: Encodable, Sendable { let age = 9, tags = ["a", "b"], none = String?.none }

    @Test(arguments: [
        (["q": "a+b"], "q=a%2Bb"), (["q": "a&b=c"], "q=a%26b%3Dc"), (["q": "100%"], "q=100%25"),
        (["q": "a b"], "q=a%20b"), (["q": "a/b?c#d"], "q=a%2Fb%3Fc%23d"), (["q": "🧡"], "q=%F0%9F%A7%A1"),
        (["q": "ä"], "q=%C3%A4"), (["q": "-._~"], "q=-._~"),
        (["q": "!*'();:@$,[]"], "q=%21%2A%27%28%29%3B%3A%40%24%2C%5B%5D"),
        (["q": "\r\n\u{0}\t"], "q=%0D%0A%00%09"), (["a b&": "1"], "a%20b%26=1"), (["q": ""], "q="),
        (["b": "2", "a": "1", "B": "3"], "B=3&a=1&b=2"), ([:], ""),
    ]) func textsArePercentEncoded(_ parameters: [String: String], query: String) throws {
        #expect(try QueryEncoding.Encoder.encode(parameters) == query)
    }

    @Test func valuesOfEachType() throws {
        let parameters: [String: any Encodable & Sendable] = [
            "date": Date(timeIntervalSince1970: 0), "false": false, "filter": Filter(), "half": 0.5,
            "id": UInt64.max, "list": ["x", "y"], "negative": -1, "nothing": Int?.none, "nulls": [1, nil, 2] as [Int?],
            "object": ["k": ["n": 1]], "price": Decimal(string: "12345678901234567.89"), "true": true,
            "url": URL(string: "https://a.example/?b"),
        ]
        let items = try QueryEncoding.Encoder.items(of: parameters).map { "\($0.name)=\($0.value ?? "")" }
        #expect(
            items == [
                "date=1970-01-01T00:00:00Z", "false=false", "filter[age]=9", "filter[tags]=a", "filter[tags]=b",
                "half=0.5", "id=18446744073709551615", "list=x", "list=y", "negative=-1", "nulls=1", "nulls=2",
                "object[k][n]=1", "price=12345678901234567.89", "true=true", "url=https://a.example/?b",
            ])
        let query = try QueryEncoding.Encoder.encode(["filter": Filter()])
        #expect(query == "filter%5Bage%5D=9&filter%5Btags%5D=a&filter%5Btags%5D=b")
    }

    @Test func itemsKeepTheirOrderAndMayLackAValue() {
        let items = [("b", "2"), ("a b", nil), ("a", "")].map { URLQueryItem(name: $0, value: $1) }
        #expect(QueryEncoding.Encoder.encode(items: items) == "b=2&a%20b&a=")
    }

    @Test func errorNamesTheParameterAndThePath() throws {
        struct Range: Encodable { var from = 1.0, to = Double.nan }
        let json: JSONValue = .object(["limits": .array([.integer(1), .number(.nan)])])
        let cases: [(String, any Encodable & Sendable, String)] = [
            ("price", Double.nan, "cannot encode the Double nan at price"),
            ("price", -Float.infinity, "cannot encode the Double -inf at price"),
            ("prices", [1, Double.infinity], "cannot encode the Double inf at prices[1]"),
            ("range", Range(), "cannot encode the Double nan at range.to"),
            ("since", Date(timeIntervalSinceReferenceDate: .nan), "cannot encode the Double nan at since"),
            ("filter", json, "cannot encode the Double nan at filter.limits[1]"),
            ("float", Float.infinity, "cannot encode the Double inf at float"),
            ("json", JSONValue.number(.nan), "cannot encode the Double nan at json"),
            ("list", [["k": JSONValue.number(.nan)]], "cannot encode the Double nan at list[0].k"),
        ]
        for (name, value, text) in cases {
            #expect(throws: EncodingError.self) { try QueryEncoding.Encoder.encode(["a": 1, name: value]) }
            let builder = try Call(RequestConfig(url: url(), queryParameters: ["a": 1, name: value]), encoder: .json)
            let error = #expect(throws: NetworkError.self) { try builder.urlRequest() }
            #expect(error?.description == "encoding_error: " + text)
        }
        var encoding = QueryEncoding.default
        encoding.arrays = .commaSeparated
        for value in [[[1], [2]], [["k": 1]]] as [any Encodable & Sendable] {
            let error = #expect(throws: EncodingError.self) {
                try QueryEncoding.Encoder.encode(["ids": value], as: encoding)
            }
            #expect(error.map { NetworkError($0).description }?.hasSuffix(" at ids") == true)
        }
    }

    /// Decoded by Foundation's parser.
    @Test(arguments: 0..<8) func randomTextsRoundTrip(_ seed: UInt64) throws {
        var texts = RandomTexts(seed: seed)
        for _ in 0..<250 {
            let pairs = (0..<3).map { _ in (texts.next(), texts.next()) }
            let parameters = Dictionary(pairs, uniquingKeysWith: { $1 })
            let query = try QueryEncoding.Encoder.encode(parameters)
            #expect(query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            // Foundation's parser removes a byte-order mark at the start of a text.
            if pairs.contains(where: { [$0, $1].contains { $0.unicodeScalars.first == "\u{FEFF}" } }) { continue }
            let url = try #require(try url("https://a.example/p#f").appending(encodedQuery: query))
            let items = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems)
            #expect(Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 }) == parameters)
        }
    }

    /// Decoded by a parser that reads a `+` as a space (`application/x-www-form-urlencoded`).
    @Test(.requires(.python3)) func pythonDecodesTheQuery() async throws {
        var texts = RandomTexts(seed: 42)
        let parameters = (0..<2000).map { _ in
            Dictionary((0..<3).map { _ in (texts.next(), texts.next()) }, uniquingKeysWith: { $1 })
        }
        let lines = try parameters.map { try QueryEncoding.Encoder.encode($0) }.joined(separator: "\n")
        let script = """
            import sys, json, urllib.parse
            queries = sys.stdin.read().split("\\n")
            print(json.dumps([dict(urllib.parse.parse_qsl(q, keep_blank_values=True, strict_parsing=True)) for q in queries]))
            """
        let answer = try await ProcessRunner.run("python3", ["-c", script], input: Data(lines.utf8)).checked()
        #expect(try JSONDecoder().decode([[String: String]].self, from: answer.output) == parameters)
    }
}

/// Texts of random characters.
private struct RandomTexts {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15) }

    mutating func next() -> String {
        let special = Array(
            "+&%= /?#;[]@!$'()*,:\"<>\\^`{|}~\u{0}\r\n\t\u{7F}äß€🧡👩‍👩‍👧\u{FEFF}\u{202E}%20%zz".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: text.append(Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &generator)))
            case 1: text.append(special.randomElement(using: &generator) ?? " ")
            case 2: text.append(Unicode.Scalar(UInt32.random(in: 0...0xD7FF, using: &generator)) ?? " ")
            default: text.append(Unicode.Scalar(UInt32.random(in: 0xE000...0x10FFFF, using: &generator)) ?? " ")
            }
        }
        return String(text)
    }
}
