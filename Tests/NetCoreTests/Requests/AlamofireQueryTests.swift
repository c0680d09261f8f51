import NetCore
import Testing

/// Inputs and outputs of Alamofire 5.12.0's own tests (`Tests/ParameterEncoderTests.swift`, `URLEncodedFormEncoderTests`).
@Suite struct AlamofireQueryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let parameters: any Encodable & Sendable
        let query: String
        var change: @Sendable (inout QueryEncoding) -> Void = { _ in }

        var testDescription: String { query }
    }

    static let cases: [Case] = [
        Case(parameters: ["a": "a"], query: "a=a"),
        Case(parameters: ["a": Decimal(1.0)], query: "a=1"),
        Case(parameters: ["a": Decimal(string: "1.123456")], query: "a=1.123456"),
        Case(parameters: ["a": 1.0], query: "a=1.0"),
        Case(parameters: ["a": Float(1.0)], query: "a=1.0"),
        Case(parameters: ["a": Int8(1)], query: "a=1"),
        Case(parameters: ["a": UInt64(1)], query: "a=1"),
        Case(parameters: ["a": ["b": "b"]], query: "a%5Bb%5D=b"),
        Case(parameters: ["a": ["b": "b"]], query: "a.b=b") { $0.nesting = .dots },
        Case(
            parameters: EncodableStruct(),
            query:
                "five%5Ba%5D=a&four%5B%5D=1&four%5B%5D=2&four%5B%5D=3&one=one&seven%5Ba%5D=a&six%5Ba%5D%5Bb%5D=b&three=1&two=2"
        ),
        Case(
            parameters: ManuallyEncodableStruct(),
            query: "root%5B%5D%5B%5D%5B%5D=1&root%5B%5D%5B%5D%5B%5D=2&root%5B%5D%5B%5D%5B%5D=3&root%5B%5D%5B%5D=1"
                + "&root%5B%5D%5B%5D=2&root%5B%5D%5B%5D=3&root%5B%5D%5Ba%5D%5Bstring%5D=string"),
        Case(parameters: EncodableSuperclass(), query: "one=one&three=1&two=2"),
        Case(
            parameters: EncodableSubclass(),
            query: "five%5Ba%5D=a&five%5Bb%5D=b&four%5B%5D=1&four%5B%5D=2&four%5B%5D=3&one=one&three=1&two=2"),
        Case(
            parameters: ["foo": [EncodableSuperclass()]],
            query: "foo%5B0%5D%5Bone%5D=one&foo%5B0%5D%5Bthree%5D=1&foo%5B0%5D%5Btwo%5D=2"
        ) { $0.arrays = .indices },
        Case(
            parameters: EncodableSubclass(),
            query: "five%5Ba%5D=a&five%5Bb%5D=b&four%5B0%5D=1&four%5B1%5D=2&four%5B2%5D=3&one=one&three=1&two=2"
        ) { $0.arrays = .indices },
        Case(
            parameters: EncodableStruct(),
            query:
                "five%5Ba%5D=a&four%5B0%5D=1&four%5B1%5D=2&four%5B2%5D=3&one=one&seven%5Ba%5D=a&six%5Ba%5D%5Bb%5D=b&three=1&two=2"
        ) { $0.arrays = .indices },
        Case(
            parameters: ManuallyEncodableStruct(),
            query:
                "root%5B0%5D%5B0%5D=1&root%5B0%5D%5B1%5D=2&root%5B0%5D%5B2%5D=3&root%5B1%5D%5Ba%5D%5Bstring%5D=string"
                + "&root%5B2%5D%5B0%5D%5B0%5D=1&root%5B2%5D%5B0%5D%5B1%5D=2&root%5B2%5D%5B0%5D%5B2%5D=3"
        ) { $0.arrays = .indices },
        Case(
            parameters: ["foo": [["bar": 2], ["qux": 3], ["quy": 4]]],
            query: "foo%5B0%5D%5Bbar%5D=2&foo%5B1%5D%5Bqux%5D=3&foo%5B2%5D%5Bquy%5D=4"
        ) { $0.arrays = .indices },
        Case(
            parameters: ["foo": [["bar": true], ["qux": false], ["quy": true]]],
            query: "foo%5B0%5D%5Bbar%5D=1&foo%5B1%5D%5Bqux%5D=0&foo%5B2%5D%5Bquy%5D=1"
        ) { $0.arrays = .indices },
        Case(parameters: ["array": [1, 2]], query: "array=1&array=2") { $0.arrays = .repeated },
        Case(parameters: ["bool": true], query: "bool=true") { $0.booleans = .literal },
        Case(parameters: ["data": Data("data".utf8)], query: "data=ZGF0YQ%3D%3D"),
        Case(parameters: ["date": date], query: "date=123.456"),
        Case(parameters: ["date": date], query: "date=978307323.456") { $0.dates = .secondsSince1970 },
        Case(parameters: ["date": date], query: "date=978307323456.0") { $0.dates = .millisecondsSince1970 },
        Case(parameters: ["date": date], query: "date=2001-01-01T00%3A02%3A03Z") { $0.dates = .iso8601 },
        Case(parameters: ["date": date], query: "date=2001-01-01%2000%3A02%3A03.4560") {
            $0.dates = .formatted("yyyy-MM-dd HH:mm:ss.SSSS")
        },
        Case(parameters: ["oneTwoThree": "oneTwoThree"], query: "one_two_three=oneTwoThree") { $0.keys = .snakeCase },
        Case(parameters: ["oneTwoThree": "oneTwoThree"], query: "one-two-three=oneTwoThree") { $0.keys = .kebabCase },
        Case(parameters: ["oneTwoThree": "oneTwoThree"], query: "OneTwoThree=oneTwoThree") { $0.keys = .capitalized },
        Case(parameters: ["oneTwoThree": "oneTwoThree"], query: "onetwothree=oneTwoThree") { $0.keys = .lowercased },
        Case(parameters: ["oneTwoThree": "oneTwoThree"], query: "ONETWOTHREE=oneTwoThree") { $0.keys = .uppercased },
        Case(parameters: ["a": nil] as [String: String?], query: ""),
        Case(parameters: OptionalEncodableStruct(), query: "one=one"),
        Case(parameters: ["a": nil] as [String: String?], query: "a=null") { $0.nilValues = .null },
        Case(parameters: OptionalEncodableStruct(), query: "one=one&two=null") { $0.nilValues = .null },
        Case(parameters: ["a": nil] as [String: String?], query: "a=") { $0.nilValues = .empty },
        Case(parameters: OptionalEncodableStruct(), query: "one=one&two=") { $0.nilValues = .empty },
        Case(parameters: ["spaces": "replace with spaces"], query: "spaces=replace+with+spaces") { $0.spaces = .plus },
        Case(parameters: ["allowed": "?/"], query: "allowed=%3F%2F") { $0.encodesSlashes = true },
        Case(
            parameters: ["reserved": ":#[]@!$&'()*+,;="],
            query: "reserved=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        Case(parameters: ["illegal": " \"#%<>[]\\^`{}|"], query: "illegal=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
        Case(parameters: ["foo&bar": "baz&qux", "foobar": "bazqux"], query: "foo%26bar=baz%26qux&foobar=bazqux"),
        Case(parameters: ["?foo?": "?bar?"], query: "?foo?=?bar?"),
        Case(parameters: ["foo": "/bar/baz/qux"], query: "foo=/bar/baz/qux"),
        Case(parameters: [" foo ": " bar "], query: "%20foo%20=%20bar%20"),
        Case(parameters: ["+foo+": "+bar+"], query: "%2Bfoo%2B=%2Bbar%2B"),
        Case(parameters: ["percent%": "%25"], query: "percent%25=%2525"),
        Case(
            parameters: ["french": "français", "japanese": "日本語", "arabic": "العربية", "emoji": "😃"],
            query: "arabic=%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9&emoji=%F0%9F%98%83&french=fran%C3%A7ais"
                + "&japanese=%E6%97%A5%E6%9C%AC%E8%AA%9E"),
    ]

    private static let date = Date(timeIntervalSinceReferenceDate: 123.456)

    @Test(arguments: cases)
    func queryIsThatOfAlamofire(_ test: Case) throws {
        var encoding = QueryEncoding.alamofire
        test.change(&encoding)
        #expect(try QueryEncoder.encode(object: test.parameters, as: encoding) == test.query)
    }

    @Test func arraysAndStringsAtTheRootAreRefused() {
        for root in [[1], "string"] as [any Encodable & Sendable] {
            #expect(throws: EncodingError.self) { try QueryEncoder.encode(object: root, as: .alamofire) }
        }
    }
}

private struct EncodableStruct: Encodable, Sendable {
    let one = "one"
    let two = 2
    let three = true
    let four = [1, 2, 3]
    let five = ["a": "a"]
    let six = ["a": ["b": "b"]]
    let seven = Nested()

    struct Nested: Encodable, Sendable { let a = "a" }
}

private struct OptionalEncodableStruct: Encodable, Sendable {
    let one = "one"
    let two: String? = nil
}

private class EncodableSuperclass: Encodable, @unchecked Sendable {
    let one = "one"
    let two = 2
    let three = true
}

/// Two containers of one encoder.
private final class EncodableSubclass: EncodableSuperclass, @unchecked Sendable {
    let four = [1, 2, 3]
    let five = ["a": "a", "b": "b"]

    private enum CodingKeys: String, CodingKey { case four, five }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(four, forKey: .four)
        try container.encode(five, forKey: .five)
    }
}

private struct ManuallyEncodableStruct: Encodable, Sendable {
    private enum RootKey: String, CodingKey { case root }
    private enum TypeKeys: String, CodingKey { case a, b }

    func encode(to encoder: any Encoder) throws {
        let a = ["string": "string"]
        let b = [1, 2, 3]
        var container = encoder.container(keyedBy: RootKey.self)
        var members = container.nestedContainer(keyedBy: TypeKeys.self, forKey: .root)
        try members.encode(a, forKey: .a)
        var elements = container.nestedUnkeyedContainer(forKey: .root)
        try elements.encode(b)
        var nestedMembers = elements.nestedContainer(keyedBy: TypeKeys.self)
        try nestedMembers.encode(a, forKey: .a)
        var nestedElements = elements.nestedUnkeyedContainer()
        try nestedElements.encode(b)
    }
}
