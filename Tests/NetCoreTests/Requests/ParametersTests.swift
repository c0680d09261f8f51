import NetCore
import Testing

@Suite struct ParametersTests {
    private struct Filter: Encodable, Sendable { let minimumAge = 9, since = Date(timeIntervalSince1970: 0) }

    private typealias Values = [String: any Encodable & Sendable]

    private func json(_ values: Values, _ encoder: JSONEncoder = .json) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: encoder.encode(Parameters(values)))
    }

    @Test func valuesOfDifferentTypes() throws {
        let values: Values = [
            "text": "a", "number": 1, "half": 0.5, "flag": true, "list": [1, 2], "nested": ["a": ["b": 1]],
            "none": Int?.none, "url": try url(),
        ]
        let expected: JSONValue = [
            "text": "a", "number": 1, "half": 0.5, "flag": true, "list": [1, 2], "nested": ["a": ["b": 1]],
            "none": nil, "url": "https://a.example/",
        ]
        #expect(try json(values) == expected && json([:]) == [:])
    }

    @Test func strategiesOfTheEncoderApplyAtAllDepths() throws {
        let values: Values = [
            "date": Date(timeIntervalSince1970: 0), "dates": [Date(timeIntervalSince1970: 1)], "data": Data([1, 2]),
            "filter": Filter(),
        ]
        #expect(
            try json(values, .iso8601) == [
                "date": "1970-01-01T00:00:00Z", "dates": ["1970-01-01T00:00:01Z"], "data": "AQI=",
                "filter": ["minimumAge": 9, "since": "1970-01-01T00:00:00Z"],
            ])
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.count)
        }
        #expect(
            try json(values, encoder) == ["date": 0, "dates": [1], "data": 2, "filter": ["minimumAge": 9, "since": 0]])
    }

    @Test func keyStrategyAppliesToPropertiesNotToParameterNames() throws {
        #expect(
            try json(["userName": 1, "filter": Filter()], .snakeCase) == [
                "userName": 1, "filter": ["minimum_age": 9, "since": "1970-01-01T00:00:00Z"],
            ])
    }

    @Test func propertyListEncoder() throws {
        let data = try PropertyListEncoder().encode(Parameters(["a": 1, "b": ["c": "d"]]))
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == ["a": 1, "b": ["c": "d"]])
    }
}
