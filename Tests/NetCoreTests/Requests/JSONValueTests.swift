import NetCore
import Testing

@Suite struct JSONValueTests {
    private func decoded(_ json: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
    }

    private func json(_ value: some Encodable & Sendable, by encoder: some BodyEncoder = .json) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: encoder.encode(value))
    }

    private func encoded(_ value: JSONValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func literalsAndAccessors() {
        let value: JSONValue = [
            "name": "Leia", "age": 19, "height": 1.5, "ok": true, "tags": ["a", 1, nil], "ship": nil,
        ]
        #expect(value["name"]?.stringValue == "Leia" && value["ok"]?.boolValue == true)
        #expect(value["age"]?.intValue == 19 && value["age"]?.doubleValue == 19)
        #expect(value["height"]?.doubleValue == 1.5 && value["height"]?.intValue == nil)
        #expect(value["tags"]?[1]?.intValue == 1 && value["tags"]?[2] == .null && value["ship"] == .null)
        let repeated: JSONValue = ["a": 1, "a": 2]
        #expect(repeated == .object(["a": 2]), "the last member of a name wins")
    }

    @Test func missingMembersAndOtherTypesAreNil() {
        let value: JSONValue = ["list": [1]]
        #expect(value["missing"] == nil && value[0] == nil)
        #expect(value["list"]?[1] == nil && value["list"]?[-1] == nil && value["list"]?["a"] == nil)
        #expect(value.stringValue == nil && value.intValue == nil && value.doubleValue == nil && value.boolValue == nil)
        #expect(JSONValue.bool(true).intValue == nil && JSONValue.integer(1).boolValue == nil)
    }

    @Test(arguments: [
        "null", "true", "false", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1.5", "0.1", "1e+300",
        #""""#, #""ä\n\"\\😀""#, "[]", "{}", #"[1,[2,[null,"x"]],{"a":{"b":[]}}]"#,
        // More digits than a double has.
        "9223372036854775808", "18446744073709551615", "12345678901234567.89", "-12345678901234567.89",
        "0.12345678901234567891",
    ]) func roundTripKeepsAllDigits(_ json: String) throws { #expect(try encoded(decoded(json)) == json) }

    @Test func numbersHaveTheSimplestCase() throws {
        #expect(try decoded("[1, 1.0, 0.1, 1e20]") == [.integer(1), .integer(1), .number(0.1), .number(1e20)])
        #expect(try decoded("18446744073709551615") == .decimal(Decimal(UInt64.max)))
        #expect(try decoded("18446744073709551615").doubleValue == 0x1p64)
        #expect(try decoded("[true, 1, 0]") == [true, 1, 0], "a number is not a Boolean")
    }

    @Test func invalidJSONAndNumbersAreRefused() {
        for text in ["", "[", "{1:2}", "nul", "1e999", "NaN"] {
            #expect(throws: DecodingError.self) { try decoded(text) }
        }
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try encoded(.number(value)) }
            #expect(throws: EncodingError.self) { try JSONValue(encoding: value) }
        }
    }

    @Test func deepNestingIsReadOrRefused() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try encoded(decoded(nested(400))) == nested(400))
        #expect(throws: DecodingError.self) { try decoded(nested(100_000)) }
    }

    @Test func keyStrategiesDoNotChangeNames() throws {
        let json = #"{"user_name":{"first_name":"Leia"}}"#
        let value = try JSONDecoder.snakeCase.decode(JSONValue.self, from: Data(json.utf8))
        #expect(value == ["user_name": ["first_name": "Leia"]])
        #expect(try JSONEncoder.snakeCase.encode(["userName": JSONValue.null]) == Data(#"{"userName":null}"#.utf8))
    }

    @Test func encodableValues() throws {
        struct Pilot: Encodable {
            let name = "Leia", ship = String?.none, born = Date(timeIntervalSince1970: 0)
        }
        #expect(try JSONValue(encoding: Pilot()) == ["name": "Leia", "born": "1970-01-01T00:00:00Z"])
        #expect(try JSONValue(encoding: [1, 2]) == [1, 2] && JSONValue(encoding: "x") == "x")
        #expect(try JSONValue(encoding: Int?.none) == nil as JSONValue)
    }

    @Test func propertyListRoundTrip() throws {
        let value: JSONValue = ["a": [1, "x", true], "b": ["c": 1.5]]
        let data = try PropertyListEncoder().encode(value)
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == value)
        let parameters = try PropertyListEncoder().encode(Parameters(["a": 1, "b": ["c": "d"]]))
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: parameters) == ["a": 1, "b": ["c": "d"]])
    }

    private struct Filter: Encodable, Sendable { let minimumAge = 9, since = Date(timeIntervalSince1970: 0) }

    private typealias Values = [String: any Encodable & Sendable]

    @Test func parametersOfDifferentTypes() throws {
        let values: Values = [
            "text": "a", "number": 1, "half": 0.5, "flag": true, "list": [1, 2], "nested": ["a": ["b": 1]],
            "none": Int?.none, "url": try url(),
        ]
        let expected: JSONValue = [
            "text": "a", "number": 1, "half": 0.5, "flag": true, "list": [1, 2], "nested": ["a": ["b": 1]],
            "none": nil, "url": "https://a.example/",
        ]
        #expect(try json(Parameters(values)) == expected && json(Parameters([:])) == [:])
    }

    @Test func strategiesOfTheEncoderApplyAtAllDepths() throws {
        let values: Values = [
            "date": Date(timeIntervalSince1970: 0), "dates": [Date(timeIntervalSince1970: 1)], "data": Data([1, 2]),
            "filter": Filter(),
        ]
        #expect(
            try json(Parameters(values), by: .iso8601) == [
                "date": "1970-01-01T00:00:00Z", "dates": ["1970-01-01T00:00:01Z"], "data": "AQI=",
                "filter": ["minimumAge": 9, "since": "1970-01-01T00:00:00Z"],
            ])
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.count)
        }
        let expected: JSONValue = ["date": 0, "dates": [1], "data": 2, "filter": ["minimumAge": 9, "since": 0]]
        #expect(try json(Parameters(values), by: encoder) == expected)
    }

    @Test func keyStrategyAppliesToPropertiesNotToParameterNames() throws {
        #expect(
            try json(Parameters(["userName": 1, "filter": Filter()]), by: .snakeCase) == [
                "userName": 1, "filter": ["minimum_age": 9, "since": "1970-01-01T00:00:00Z"],
            ])
    }

    private struct Pilot: Codable, Equatable { var firstName = "Leia", born = Date(timeIntervalSince1970: 0) }

    @Test func encodersOfJSON() throws {
        #expect(try json(Pilot(), by: .json) == ["firstName": "Leia", "born": -978_307_200])
        #expect(try json(Pilot(), by: .iso8601) == ["firstName": "Leia", "born": "1970-01-01T00:00:00Z"])
        #expect(try json(Pilot(), by: .snakeCase) == ["first_name": "Leia", "born": "1970-01-01T00:00:00Z"])
        #expect(JSONEncoder().contentType == "application/json")
        #expect(PropertyListEncoder().contentType == "application/x-plist")
    }

    @Test func decodersAreTheInverseOfEncoders() throws {
        let pairs: [(any BodyEncoder, any BodyDecoder)] = [
            (.json, .json), (.iso8601, .iso8601), (.snakeCase, .snakeCase),
            (PropertyListEncoder(), PropertyListDecoder()),
        ]
        for (encoder, decoder) in pairs {
            #expect(try decoder.decode(Pilot.self, from: encoder.encode(Pilot())) == Pilot())
        }
    }

    /// A shared coder would share one caller's strategies with all others.
    @Test func staticCodersAreNewEachTime() {
        JSONEncoder.json.dateEncodingStrategy = .millisecondsSince1970
        if case .millisecondsSince1970 = JSONEncoder.json.dateEncodingStrategy { Issue.record("shared") }
    }
}
