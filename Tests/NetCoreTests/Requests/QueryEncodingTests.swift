import NetCore
import Testing

@Suite struct QueryEncodingTests {
    /// A change of the defaults, and the query of some ``parameters``.
    struct Convention: Sendable, CustomTestStringConvertible {
        let names: [String]
        let query: String
        let change: @Sendable (inout QueryEncoding) -> Void

        /// - Parameter query: the query with unescaped brackets.
        init(
            _ names: String..., query: String, _ change: @escaping @Sendable (inout QueryEncoding) -> Void = { _ in }
        ) {
            self.names = names
            self.query = query.replacingOccurrences(of: "[", with: "%5B").replacingOccurrences(of: "]", with: "%5D")
            self.change = change
        }

        var testDescription: String { query }
    }

    private struct Filter: Encodable, Sendable {
        let maxAge = 9, since = Date(timeIntervalSince1970: 86_400), isNew = true
        let owner: String? = nil, size: Int? = nil
    }

    private static let parameters: [String: any Encodable & Sendable] = [
        "tag": ["b", "a,c"], "nested": [[1, 2], [3]], "filter": Filter(), "on": true, "off": [false],
        "date": Date(timeIntervalSince1970: 0.5), "data": Data([0xFB, 0xFF, 0]), "nothing": Int?.none,
        "nulls": [1, nil, 2] as [Int?], "space": "a b+c", "path": "/a?b", "half": 0.5, "whole": 2.0,
        "float": Float(0.1), "objects": [["k": 1], ["k": 2]], "empty": [Int](), "largeNumberID": UInt64.max,
        "price": Decimal(string: "1.50"),
    ]

    static let conventions = [
        Convention(
            "tag", "nested", "objects", "empty",
            query: "nested=1&nested=2&nested=3&objects[k]=1&objects[k]=2&tag=b&tag=a%2Cc"),
        Convention(
            "tag", "nested", "objects", "empty",
            query: "nested[][]=1&nested[][]=2&nested[][]=3&objects[][k]=1&objects[][k]=2&tag[]=b&tag[]=a%2Cc"
        ) { $0.arrays = .brackets },
        Convention(
            "tag", "nested", "objects", "empty",
            query: "nested[0][0]=1&nested[0][1]=2&nested[1][0]=3&objects[0][k]=1&objects[1][k]=2&tag[0]=b&tag[1]=a%2Cc"
        ) { $0.arrays = .indices },
        Convention("objects", query: "objects[0].k=1&objects[1].k=2") { ($0.arrays, $0.nesting) = (.indices, .dots) },
        Convention(
            "tag", "empty", "nulls", "off", query: "nulls=1,2&off=false&tag=b,a%2Cc"
        ) { $0.arrays = .commaSeparated },
        Convention("filter", query: "filter[isNew]=true&filter[maxAge]=9&filter[since]=1970-01-02T00%3A00%3A00Z"),
        Convention(
            "filter", query: "filter.isNew=true&filter.maxAge=9&filter.since=1970-01-02T00%3A00%3A00Z"
        ) { $0.nesting = .dots },
        Convention(
            "on", "off", "filter", query: "filter.isNew=1&filter.maxAge=9&filter.since=86400&off=0&on=1"
        ) { ($0.booleans, $0.nesting, $0.dates) = (.numeric, .dots, .secondsSince1970) },
        Convention(
            "half", "whole", "float", "largeNumberID", "price",
            query: "float=0.1&half=0.5&largeNumberID=18446744073709551615&price=1.5&whole=2"),
        Convention(
            "half", "whole", "float", "largeNumberID", "price",
            query: "float=0.1&half=0.5&largeNumberID=18446744073709551615&price=1.5&whole=2.0"
        ) { $0.wholeNumbers = .decimal },
        Convention("date", query: "date=1970-01-01T00%3A00%3A00Z"),
        Convention("date", query: "date=0.5") { $0.dates = .secondsSince1970 },
        Convention("date", query: "date=500") { $0.dates = .millisecondsSince1970 },
        Convention("date", query: "date=-978307199.5") { $0.dates = .secondsSinceReferenceDate },
        Convention("date", query: "date=01.01.70%2000%3A00%3A00.5") { $0.dates = .formatted("dd.MM.yy HH:mm:ss.S") },
        Convention("data", query: "data=%2B%2F8A"),
        Convention("data", query: "data=-_8A") { $0.data = .base64URL },
        Convention("data", query: "data=fbff00") { $0.data = .hex },
        Convention(
            "nothing", "nulls", "filter",
            query: "filter.isNew=true&filter.maxAge=9&filter.since=86400&nulls[0]=1&nulls[1]=2"
        ) { ($0.arrays, $0.nesting, $0.dates) = (.indices, .dots, .secondsSince1970) },
        Convention(
            "nothing", "nulls", "filter",
            query: "filter.isNew=true&filter.maxAge=9&filter.owner&filter.since=86400&filter.size&nothing&nulls[0]=1"
                + "&nulls[1]&nulls[2]=2"
        ) { ($0.arrays, $0.nesting, $0.dates, $0.nilValues) = (.indices, .dots, .secondsSince1970, .nameOnly) },
        Convention("nothing", "nulls", query: "nothing=&nulls=1,,2") {
            ($0.nilValues, $0.arrays) = (.empty, .commaSeparated)
        },
        Convention("nothing", "nulls", query: "nothing=null&nulls=1&nulls=null&nulls=2") { $0.nilValues = .null },
        Convention("space", "path", query: "path=%2Fa%3Fb&space=a%20b%2Bc"),
        Convention("space", "path", query: "path=/a?b&space=a+b%2Bc") {
            ($0.spaces, $0.encodesSlashes) = (.plus, false)
        },
        Convention("tag", "nested", query: "nested=1&nested=2&nested=3&tag=a%2Cc&tag=b") { $0.sorting = .pairs },
        Convention(
            "filter", "largeNumberID",
            query: "filter[is_new]=true&filter[max_age]=9&filter[since]=86400&large_number_id=18446744073709551615"
        ) { ($0.keys, $0.dates) = (.snakeCase, .secondsSince1970) },
        Convention("filter", query: "Filter[IsNew]=true&Filter[MaxAge]=9&Filter[Since]=86400") {
            ($0.keys, $0.dates) = (.capitalized, .secondsSince1970)
        },
    ]

    @Test(arguments: conventions)
    func conventionsApplyToQueriesFormsAndDecodedParameters(_ convention: Convention) throws {
        var encoding = QueryEncoding.default
        convention.change(&encoding)
        let parameters = Self.parameters.filter { convention.names.contains($0.key) }
        #expect(parameters.count == convention.names.count)
        #expect(try QueryEncoding.Encoder.encode(parameters, as: encoding) == convention.query)
        #expect(try QueryEncoding.Encoder.encode(object: Parameters(parameters), as: encoding) == convention.query)
        // Stored as JSON, and read again.
        let stored = try parameters.mapValues { try ParameterValue(encoding: $0).stored }
        let read = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(stored))
            .mapValues { try ParameterValue(stored: $0).parameter }
        #expect(try QueryEncoding.Encoder.encode(read, as: encoding) == convention.query)
        #expect(try JSONDecoder().decode(QueryEncoding.self, from: JSONEncoder().encode(encoding)) == encoding)
    }

    @Test(arguments: [
        ("oneTwoThree", "one_two_three"), ("_oneTwo_", "_one_two_"), ("myURLProperty", "my_url_property"),
        ("userID", "user_id"), ("useHTTP2Server", "use_http2_server"), ("aBC9dE", "a_bc_9d_e"), ("A", "a"),
        ("ABTest", "a_b_test"), ("x", "x"), ("", ""), ("größeÄndern", "größe_ändern"),
        ("already_there", "already_there"),
    ]) func keyCasesSplitWordsAsJSONEncoder(key: String, snake: String) throws {
        func name(_ keys: QueryEncoding.KeyCase) throws -> String {
            var encoding = QueryEncoding.default
            encoding.keys = keys
            let query = try QueryEncoding.Encoder.encode([key: 1], as: encoding)
            return String(query.dropLast(2)).removingPercentEncoding ?? query
        }
        #expect(try name(.snakeCase) == snake && name(.kebabCase).replacingOccurrences(of: "-", with: "_") == snake)
        #expect(try name(.uppercased) == key.uppercased() && name(.lowercased) == key.lowercased())
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(try encoder.encode(OneMember(key: key)) == Data("{\"\(snake)\":1}".utf8))
    }

    private struct OneMember: Encodable {
        let key: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: AnyKey(stringValue: key))
        }
    }

    /// Earlier versions encoded all parameters by way of JSON.
    @Test func numbersAreWrittenAsInJSON() throws {
        let doubles = [
            0, -0.0, 1, -1.5, 1e15, 1e16, 0x1p53, 0x1p60, 1e18, 1e19, 1e20, 1e-7, 123456.789, .pi,
            .greatestFiniteMagnitude,
        ]
        for value in doubles {
            let expected: String =
                switch try JSONValue(encoding: value) {
                case .integer(let integer): String(integer)
                case .number(let number): String(number)
                default: "?"
                }
            #expect(
                try QueryEncoding.Encoder.encode(["n": value])
                    == "n=\(expected.replacingOccurrences(of: "+", with: "%2B"))")
        }
    }

    @Test func missingSettingsAreDecodedAsDefaults() throws {
        let encoding = try JSONDecoder().decode(QueryEncoding.self, from: Data(#"{"arrays": "indices"}"#.utf8))
        var expected = QueryEncoding()
        expected.arrays = .indices
        #expect(encoding == expected)
    }

    @Test func parametersLikeStoredMarkersRoundTrip() throws {
        let parameters: [String: any Encodable & Sendable] = [
            "a": ["$date": 1], "b": ["$other": "x"], "c": ["$date": ["$data": 2.0]], "d": ["$object": ["$date": 1]],
        ]
        let query = try QueryEncoding.Encoder.encode(parameters, as: .alamofire)
        let stored = try parameters.mapValues { try ParameterValue(encoding: $0).stored }
        let read = try stored.mapValues { try ParameterValue(stored: $0).parameter }
        #expect(try QueryEncoding.Encoder.encode(read, as: .alamofire) == query)
        // An object that only looks like a marker.
        #expect(try ParameterValue(stored: ["$date": "today"]).parameter as? JSONValue == ["$date": "today"])
    }

    @Test func storedValuesAreEncodedWithTheirTypes() throws {
        let value = try ParameterValue(
            stored: ParameterValue(encoding: ["at": [Date(timeIntervalSince1970: 0)]]).stored)
        #expect(try JSONEncoder.iso8601.encode(value) == Data(#"{"at":["1970-01-01T00:00:00Z"]}"#.utf8))
        #expect(try ParameterValue(stored: 1).parameter as? JSONValue == 1)
    }
}
