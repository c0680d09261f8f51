import NetCore
import Testing

@Suite struct JSONValueTests {
    private func decoded(_ json: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
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
    }
}
