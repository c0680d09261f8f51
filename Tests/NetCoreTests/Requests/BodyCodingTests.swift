import NetCore
import Testing

@Suite struct BodyCodingTests {
    private struct Pilot: Codable, Equatable { var firstName = "Leia", born = Date(timeIntervalSince1970: 0) }

    private func json(_ encoder: some BodyEncoder) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: encoder.encode(Pilot()))
    }

    @Test func encodersOfJSON() throws {
        #expect(try json(.json) == ["firstName": "Leia", "born": -978_307_200])
        #expect(try json(.iso8601) == ["firstName": "Leia", "born": "1970-01-01T00:00:00Z"])
        #expect(try json(.snakeCase) == ["first_name": "Leia", "born": "1970-01-01T00:00:00Z"])
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
