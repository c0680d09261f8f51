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

    @Test func literalsMixAtAnyDepth() {
        let value: JSONValue = [
            "name": "Leia", "age": 19, "height": 1.5, "ok": true, "tags": ["a", 1, nil], "ship": nil,
        ]
        #expect(value["name"]?.stringValue == "Leia")
        #expect(value["age"]?.intValue == 19)
        #expect(value["age"]?.doubleValue == 19)
        #expect(value["height"]?.doubleValue == 1.5)
        #expect(value["height"]?.intValue == nil)
        #expect(value["ok"]?.boolValue == true)
        #expect(value["tags"]?[1]?.intValue == 1)
        #expect(value["tags"]?[2] == .null)
        #expect(value["ship"] == .null)
    }

    @Test func whatIsNotThereIsNil() {
        let value: JSONValue = ["list": [1]]
        #expect(value["missing"] == nil)
        #expect(value["list"]?[1] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value[0] == nil)
        #expect(value["list"]?["a"] == nil)
        #expect(value.stringValue == nil && value.intValue == nil && value.doubleValue == nil && value.boolValue == nil)
        #expect(JSONValue.bool(true).intValue == nil && JSONValue.integer(1).boolValue == nil)
    }

    @Test func laterMemberOfALiteralStands() {
        let value: JSONValue = ["a": 1, "a": 2]
        #expect(value == .object(["a": 2]))
    }

    @Test(arguments: [
        "null", "true", "false", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1.5", "0.1", "1e+300",
        #""""#, #""ä\n\"\\😀""#, "[]", "{}", #"[1,[2,[null,"x"]],{"a":{"b":[]}}]"#,
        // More digits than a double has: they must not be rounded.
        "9223372036854775808", "18446744073709551615", "12345678901234567.89", "-12345678901234567.89",
        "0.12345678901234567891",
    ])
    func anyJSONComesBackAsItWas(_ json: String) throws { #expect(try encoded(decoded(json)) == json) }

    @Test func numbersAreInTheSimplestCase() throws {
        #expect(try decoded("[1, 1.0, 0.1, 1e20]") == [.integer(1), .integer(1), .number(0.1), .number(1e20)])
        #expect(try decoded("18446744073709551615") == .decimal(Decimal(UInt64.max)))
        #expect(try decoded("18446744073709551615").doubleValue == 0x1p64)
        #expect(try decoded("[true, 1, 0]") == [true, 1, 0], "a number is no truth value")
    }

    @Test func whatIsNoJSONIsRefused() {
        for json in ["", "[", "{1:2}", "nul", "1e999", "NaN"] {
            #expect(throws: DecodingError.self) { try decoded(json) }
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

    @Test func keyStrategiesLeaveNamesAlone() throws {
        let json = #"{"user_name":{"first_name":"Leia"}}"#
        let value = try JSONDecoder.snakeCase.decode(JSONValue.self, from: Data(json.utf8))
        #expect(value == ["user_name": ["first_name": "Leia"]])
        #expect(try JSONEncoder.snakeCase.encode(["userName": JSONValue.null]) == Data(#"{"userName":null}"#.utf8))
    }

    @Test func encodablesBecomeValues() throws {
        struct Pilot: Encodable {
            let name = "Leia"
            let born = Date(timeIntervalSince1970: 0)
            let ship: String? = nil
        }
        #expect(try JSONValue(encoding: Pilot()) == ["name": "Leia", "born": "1970-01-01T00:00:00Z"])
        #expect(try JSONValue(encoding: [1, 2]) == [1, 2])
        #expect(try JSONValue(encoding: "x") == "x")
        #expect(try JSONValue(encoding: Int?.none) == nil as JSONValue)
    }

    @Test func otherCodersWorkToo() throws {
        let value: JSONValue = ["a": [1, "x", true], "b": ["c": 1.5]]
        let data = try PropertyListEncoder().encode(value)
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == value)
    }
}
