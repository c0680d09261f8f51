import NetCore
import Testing

/// Inputs and outputs of Alamofire 5.12.0's own tests (`Tests/ParameterEncoderTests.swift`, `URLEncodedFormEncoderTests`).
@Suite struct AlamofireQueryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let parameters: any Encodable & Sendable
        let query: String
        let change: @Sendable (inout QueryEncoding) -> Void

        /// - Parameter query: the query with unescaped brackets.
        init(
            _ parameters: any Encodable & Sendable, _ query: String,
            _ change: @escaping @Sendable (inout QueryEncoding) -> Void = { _ in }
        ) {
            self.parameters = parameters
            self.query = query.replacingOccurrences(of: "[", with: "%5B").replacingOccurrences(of: "]", with: "%5D")
            self.change = change
        }

        var testDescription: String { query }
    }

    private static func indexed(_ parameters: any Encodable & Sendable, _ query: String) -> Case {
        Case(parameters, query) { $0.arrays = .indices }
    }

    static let cases: [Case] = [
        Case(["a": "a"], "a=a"), Case(["a": Decimal(1.0)], "a=1"), Case(["a": 1.0], "a=1.0"),
        Case(["a": Decimal(string: "1.123456")], "a=1.123456"), Case(["a": Float(1.0)], "a=1.0"),
        Case(["a": Int8(1)], "a=1"), Case(["a": UInt64(1)], "a=1"), Case(["a": ["b": "b"]], "a[b]=b"),
        Case(["a": ["b": "b"]], "a.b=b") { $0.nesting = .dots },
        Case(EncodableStruct(), "five[a]=a&four[]=1&four[]=2&four[]=3&one=one&seven[a]=a&six[a][b]=b&three=1&two=2"),
        Case(
            ManuallyEncodableStruct(),
            "root[][][]=1&root[][][]=2&root[][][]=3&root[][]=1&root[][]=2&root[][]=3&root[][a][string]=string"),
        Case(EncodableSuperclass(), "one=one&three=1&two=2"),
        Case(EncodableSubclass(), "five[a]=a&five[b]=b&four[]=1&four[]=2&four[]=3&one=one&three=1&two=2"),
        indexed(["foo": [EncodableSuperclass()]], "foo[0][one]=one&foo[0][three]=1&foo[0][two]=2"),
        indexed(EncodableSubclass(), "five[a]=a&five[b]=b&four[0]=1&four[1]=2&four[2]=3&one=one&three=1&two=2"),
        indexed(
            EncodableStruct(), "five[a]=a&four[0]=1&four[1]=2&four[2]=3&one=one&seven[a]=a&six[a][b]=b&three=1&two=2"),
        indexed(
            ManuallyEncodableStruct(),
            "root[0][0]=1&root[0][1]=2&root[0][2]=3&root[1][a][string]=string&root[2][0][0]=1&root[2][0][1]=2"
                + "&root[2][0][2]=3"),
        indexed(["foo": [["bar": 2], ["qux": 3], ["quy": 4]]], "foo[0][bar]=2&foo[1][qux]=3&foo[2][quy]=4"),
        indexed(["foo": [["bar": true], ["qux": false], ["quy": true]]], "foo[0][bar]=1&foo[1][qux]=0&foo[2][quy]=1"),
        Case(["array": [1, 2]], "array=1&array=2") { $0.arrays = .repeated },
        Case(["bool": true], "bool=true") { $0.booleans = .literal },
        Case(["data": Data("data".utf8)], "data=ZGF0YQ%3D%3D"), Case(["date": date], "date=123.456"),
        Case(["date": date], "date=978307323.456") { $0.dates = .secondsSince1970 },
        Case(["date": date], "date=978307323456.0") { $0.dates = .millisecondsSince1970 },
        Case(["date": date], "date=2001-01-01T00%3A02%3A03Z") { $0.dates = .iso8601 },
        Case(
            ["date": date], "date=2001-01-01%2000%3A02%3A03.4560"
        ) { $0.dates = .formatted("yyyy-MM-dd HH:mm:ss.SSSS") },
        Case(["oneTwoThree": "oneTwoThree"], "one_two_three=oneTwoThree") { $0.keys = .snakeCase },
        Case(["oneTwoThree": "oneTwoThree"], "one-two-three=oneTwoThree") { $0.keys = .kebabCase },
        Case(["oneTwoThree": "oneTwoThree"], "OneTwoThree=oneTwoThree") { $0.keys = .capitalized },
        Case(["oneTwoThree": "oneTwoThree"], "onetwothree=oneTwoThree") { $0.keys = .lowercased },
        Case(["oneTwoThree": "oneTwoThree"], "ONETWOTHREE=oneTwoThree") { $0.keys = .uppercased },
        Case(["a": nil] as [String: String?], ""), Case(OptionalEncodableStruct(), "one=one"),
        Case(["a": nil] as [String: String?], "a=null") { $0.nilValues = .null },
        Case(OptionalEncodableStruct(), "one=one&two=null") { $0.nilValues = .null },
        Case(["a": nil] as [String: String?], "a=") { $0.nilValues = .empty },
        Case(OptionalEncodableStruct(), "one=one&two=") { $0.nilValues = .empty },
        Case(["spaces": "replace with spaces"], "spaces=replace+with+spaces") { $0.spaces = .plus },
        Case(["allowed": "?/"], "allowed=%3F%2F") { $0.encodesSlashes = true },
        Case(["reserved": ":#[]@!$&'()*+,;="], "reserved=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        Case(["illegal": " \"#%<>[]\\^`{}|"], "illegal=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
        Case(["foo&bar": "baz&qux", "foobar": "bazqux"], "foo%26bar=baz%26qux&foobar=bazqux"),
        Case(["?foo?": "?bar?"], "?foo?=?bar?"), Case(["foo": "/bar/baz/qux"], "foo=/bar/baz/qux"),
        Case([" foo ": " bar "], "%20foo%20=%20bar%20"), Case(["+foo+": "+bar+"], "%2Bfoo%2B=%2Bbar%2B"),
        Case(["percent%": "%25"], "percent%25=%2525"),
        Case(
            ["french": "français", "japanese": "日本語", "arabic": "العربية", "emoji": "😃"],
            "arabic=%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9&emoji=%F0%9F%98%83&french=fran%C3%A7ais"
                + "&japanese=%E6%97%A5%E6%9C%AC%E8%AA%9E"),
    ]

    private static let date = Date(timeIntervalSinceReferenceDate: 123.456)

    @Test(arguments: cases) func queryIsThatOfAlamofire(_ test: Case) throws {
        var encoding = QueryEncoding.alamofire
        test.change(&encoding)
        #expect(try QueryEncoding.Encoder.encode(object: test.parameters, as: encoding) == test.query)
    }

    @Test func arraysAndStringsAtTheRootAreRefused() {
        for root in [[1], "string"] as [any Encodable & Sendable] {
            #expect(throws: EncodingError.self) { try QueryEncoding.Encoder.encode(object: root, as: .alamofire) }
        }
    }
}

private struct EncodableStruct: Encodable, Sendable {
    let one = "one", two = 2, three = true, four = [1, 2, 3]
    let five = ["a": "a"], six = ["a": ["b": "b"]]
    let seven = Nested()
    struct Nested: Encodable, Sendable { let a = "a" }
}

private struct OptionalEncodableStruct: Encodable, Sendable {
    let one = "one"
    let two: String? = nil
}

private class EncodableSuperclass: Encodable, @unchecked Sendable { let one = "one", two = 2, three = true }

/// Two containers of one encoder.
private final class EncodableSubclass: EncodableSuperclass, @unchecked Sendable {
    let four = [1, 2, 3], five = ["a": "a", "b": "b"]
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
        let (a, b) = (["string": "string"], [1, 2, 3])
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
