import NetCore
import Testing

@Suite struct ResponseKeyPathTests {
    private struct User: Decodable, Sendable, Equatable { let firstName: String }

    private func decoded<Value: Decodable & Sendable>(
        _ type: Value.Type, _ text: String, at path: String?, decoder: any BodyDecoder = .json, status: Int = 200
    ) throws -> Value {
        let response = TransportResponse(status: status, headers: [.contentType("application/json")], url: nil)
        return try DecodableSerializer(type, decoder: decoder, keyPath: path)
            .serialize(Data(text.utf8), response: response)
    }

    @Test func escapedAndEmptyComponents() {
        #expect(ResponseKeyPath("").components == [] && ResponseKeyPath("data.user").components == ["data", "user"])
        #expect(ResponseKeyPath(#"@odata\.next.a\\b.."#).components == ["@odata.next", #"a\b"#, "", ""])
    }

    @Test func valuesBelowKeysAndIndices() throws {
        let text = #"{"a": {"b": [null, {"x": [1]}, {"firstName": "Leia"}], "0": true, "c.d": 7, "": 8}}"#
        #expect(try decoded(User.self, text, at: "a.b.2") == User(firstName: "Leia"))
        #expect(try decoded(Int.self, text, at: "a.b.1.x.0") == 1)
        #expect(try decoded(Bool.self, text, at: "a.0"), "digits are a key of an object")
        #expect(try decoded(Int.self, text, at: #"a.c\.d"#) == 7 && decoded(Int.self, text, at: "a.") == 8)
        #expect(try decoded([String: JSONValue].self, text, at: "a").count == 4)
        #expect(try decoded(JSONValue.self, text, at: "a.b.1") == ["x": [1]])
        #expect(try decoded(JSONValue.self, text, at: "") == decoded(JSONValue.self, text, at: nil))
    }

    @Test func keyStrategyOfTheDecoder() throws {
        let text = #"{"user_data": {"the_users": [{"first_name": "Leia"}]}}"#
        for path in ["user_data.the_users.0", "userData.theUsers.0", "user_data.theUsers.0"] {
            #expect(try decoded(User.self, text, at: path, decoder: .snakeCase) == User(firstName: "Leia"), "\(path)")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            AnyKey(stringValue: "\(path.count)\(path[path.count - 1].stringValue)")
        }
        #expect(try decoded(Int.self, #"{"a": {"b": 3}}"#, at: "a.b", decoder: decoder) == 3)
        #expect(try decoded(Int.self, #"{"a": {"b": 3}}"#, at: "1a.2b", decoder: decoder) == 3)
    }

    @Test func valueStrategiesOfTheDecoder() throws {
        let date = try decoded(Date.self, #"{"at": ["1970-01-01T00:00:01Z"]}"#, at: "at.0", decoder: .iso8601)
        #expect(date == Date(timeIntervalSince1970: 1))
        #expect(try decoded(Data.self, #"{"d": "AQI="}"#, at: "d") == Data([1, 2]))
        #expect(try decoded(String.self, #"{"s": "text"}"#, at: "s") == "text")
        #expect(try decoded(URL.self, #"{"u": "https://a.example"}"#, at: "u").host == "a.example")
        let ages = try decoded([String: Int].self, #"{"user_ages": {"a_b": 1}}"#, at: "userAges", decoder: .snakeCase)
        #expect(ages == ["a_b": 1])
    }

    @Test func propertyListDecoder() throws {
        let list = try PropertyListEncoder().encode(["data": ["users": [["firstName": "Leia"]]]])
        let user = try DecodableSerializer(User.self, decoder: PropertyListDecoder(), keyPath: "data.users.0")
            .serialize(list, response: TransportResponse(status: 200, url: nil))
        #expect(user == User(firstName: "Leia"))
    }

    @Test func nullAndEmptyBody() throws {
        #expect(try decoded(User?.self, #"{"user": null}"#, at: "user") == nil)
        #expect(try decoded(User?.self, "", at: "user") == nil)
        #expect(try decoded(User?.self, "", at: "user", status: 204) == nil)
        #expect(try decoded(EmptyResponse.self, "{}", at: "user") == EmptyResponse())
        #expect(throws: NetworkError.noData) { try decoded(User.self, "", at: "user") }
    }

    @Test(arguments: [
        (#"{"data": {"id": 1}}"#, "missing key 'user' at data"), ("{}", "missing key 'data' at the top level"),
        (#"{"data": null}"#, "expected object at data, found null"),
        (#"{"data": "S3CR3T"}"#, "expected object at data, found string"),
        ("[1]", "expected object at the top level, found array"),
        (#"{"data": {"user": {}}}"#, "missing key 'firstName' at data.user"),
        (#"{"data": {"user": 1}}"#, "expected object at data.user, found number"),
        ("{", "malformed data at the top level"),
    ]) func errorNamesThePathThatExists(_ text: String, _ summary: String) throws {
        let error = try #require(throws: NetworkError.self) { try decoded(User.self, text, at: "data.user") }
        let description = NetworkFailure(cause: error).description
        #expect(error.code == "decoding_error" && description.contains(summary), "\(description)")
        #expect(!description.contains("S3CR3T"))
    }

    @Test func indexBeyondTheEnd() throws {
        let error = try #require(throws: NetworkError.self) { try decoded(Int.self, #"{"a": [1, null]}"#, at: "a.2") }
        #expect(NetworkFailure(cause: error).description.contains("expected Int at a[2]"))
        for (text, path) in [("[]", "99999999999999999999"), ("[1]", "9223372036854775807")] {
            #expect(throws: NetworkError.self) { try decoded(Int.self, text, at: path) }
        }
    }
}
