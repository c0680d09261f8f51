import NetCore
import Testing

@Suite struct ResponseSerializerTests {
    private struct User: Decodable, Sendable, Equatable { let id: Int }

    private func response(_ contentType: String? = nil, status: Int = 200) -> TransportResponse {
        TransportResponse(
            status: status, headers: HTTPHeaders(contentType.map { [.contentType($0)] } ?? []),
            url: URL(string: "https://a.example/"))
    }

    private func decoded<Value: Decodable & Sendable>(
        _ type: Value.Type, _ text: String, at path: String? = nil, decoder: any BodyDecoder = .json, status: Int = 200,
        contentType: String? = "application/json"
    ) throws -> Value {
        try DecodableSerializer(type, decoder: decoder, keyPath: path)
            .serialize(Data(text.utf8), response: response(contentType, status: status))
    }

    @Test func decodesJSON() throws {
        #expect(try decoded(User.self, #"{"id": 3}"#) == User(id: 3))
        #expect(try decoded(User.self, #"{"id": 3}"#, contentType: nil) == User(id: 3))
        #expect(try decoded([User].self, #"[{"id": 3}]"#) == [User(id: 3)] && decoded(Int.self, "7") == 7)
        #expect(try decoded(JSONValue.self, "[1]") == [1] && decoded(User?.self, "null") == nil)
    }

    @Test func decoderOfTheSerializer() throws {
        let date = try decoded([Date].self, #"["1970-01-01T00:00:01Z"]"#, decoder: .iso8601)
        #expect(date == [Date(timeIntervalSince1970: 1)])
        let list = try PropertyListEncoder().encode([1, 2])
        let serializer = DecodableSerializer([Int].self, decoder: PropertyListDecoder())
        #expect(try serializer.serialize(list, response: response()) == [1, 2])
    }

    /// Seed 000.
    @Test func emptyBodyIsNoData() {
        #expect(throws: NetworkError.noData) { try decoded(User.self, "") }
        #expect(throws: NetworkError.noData) { try decoded([User].self, "") }
        #expect(throws: NetworkError.noData) { try decoded(JSONValue.self, "") }
    }

    @Test func optionalIsNilWithoutABody() throws {
        func decoded<Value: Decodable & Sendable>(_: Value?.Type) throws -> Value? { try self.decoded(Value?.self, "") }
        #expect(try decoded(User?.self) == nil && decoded([User]?.self) == nil && decoded(JSONValue?.self) == nil)
        #expect(try decoded(Data?.self) == nil && decoded(String?.self) == nil && decoded(EmptyResponse?.self) == nil)
        #expect(
            try self.decoded(User?.self, "{", status: 204) == nil, "no content, even if the transport delivers some")
    }

    @Test func optionalIsDecodedFromABody() throws {
        #expect(try decoded(User?.self, #"{"id": 3}"#) == User(id: 3))
        #expect(try decoded([User]?.self, #"[{"id": 3}]"#) == [User(id: 3)])
        #expect(try decoded(Data?.self, "x") == Data("x".utf8) && decoded(EmptyResponse?.self, "x") == EmptyResponse())
        #expect(throws: NetworkError.self) { try decoded(User?.self, "{}") }
    }

    @Test(arguments: ["{", #"{"id": "3"}"#, "{}", "null", " "]) func mismatchIsADecodingError(_ text: String) {
        let error = #expect(throws: NetworkError.self) { try decoded(User.self, text) }
        #expect(error?.code == "decoding_error" && error?.embeddedError is DecodingError)
    }

    @Test func dataAndStringAreNotDecoded() throws {
        #expect(try decoded(Data.self, #""eA==""#) == Data(#""eA==""#.utf8))
        #expect(try decoded(Data.self, "").isEmpty && decoded(String.self, "").isEmpty)
        #expect(try decoded(String.self, #""x""#) == #""x""# && decoded([UInt8].self, "[1]") == [1])
        #expect(try decoded([String].self, #"["x"]"#) == ["x"])
    }

    @Test func emptyResponseVoidAndDataIgnoreTheBody() throws {
        for text in ["", "{}", "[1]", "not JSON"] {
            #expect(try decoded(EmptyResponse.self, text) == EmptyResponse())
            try VoidSerializer().serialize(Data(text.utf8), response: response())
            #expect(try DataSerializer().serialize(Data(text.utf8), response: response()) == Data(text.utf8))
        }
    }

    @Test(
        arguments: [
            (nil, "ä€", [0xC3, 0xA4, 0xE2, 0x82, 0xAC]), ("text/plain", "ä", [0xC3, 0xA4]),
            ("text/plain; charset=utf-8", "ä", [0xC3, 0xA4]),
            ("text/plain; format=flowed; Charset=\"UTF-8\" ", "ä", [0xC3, 0xA4]),
            ("text/html;charset=ISO-8859-1", "ä", [0xE4]), ("text/html; charset=latin1", "ä", [0xE4]),
            ("text/html; charset=iso-8859-2", "ł", [0xB3]), ("text/html; charset=windows-1250", "€", [0x80]),
            ("text/html; charset=windows-1251", "Й", [0xC9]), ("text/html; charset=windows-1252", "€", [0x80]),
            ("text/html; charset=us-ascii", "a", [0x61]), ("text/html; charset=utf-16", "ä", [0xFE, 0xFF, 0x00, 0xE4]),
            ("text/html; charset=utf-16le", "ä", [0xE4, 0x00]), ("text/html; charset=utf-16be", "ä", [0x00, 0xE4]),
            ("text/html; charset", "ä", [0xC3, 0xA4]), ("text/html; charset=", "ä", [0xC3, 0xA4]),
            ("text/html; stray; \"; charset=koi8-r", "д", [0xC4]),
        ] as [(String?, String, [UInt8])])
    func textIsDecodedByItsCharset(_ contentType: String?, text: String, bytes: [UInt8]) throws {
        #expect(try StringSerializer().serialize(Data(bytes), response: response(contentType)) == text)
        #expect(try DecodableSerializer(String.self).serialize(Data(bytes), response: response(contentType)) == text)
    }

    @Test func encodingOfTheSerializerWinsOverTheCharset() throws {
        let head = response("text/plain; charset=utf-8")
        #expect(try StringSerializer(encoding: .isoLatin1).serialize(Data([0xE4]), response: head) == "ä")
    }

    @Test func invalidTextIsADecodingError() {
        for (type, bytes) in [("text/plain", [0xFF]), ("text/plain; charset=us-ascii", [0xE4])] as [(String, [UInt8])] {
            let error = #expect(throws: NetworkError.self) {
                try StringSerializer().serialize(Data(bytes), response: response(type))
            }
            #expect(error?.code == "decoding_error")
        }
    }

    private struct Pilot: Decodable, Sendable, Equatable { let firstName: String }

    @Test func escapedAndEmptyComponents() {
        #expect(ResponseKeyPath("").components == [] && ResponseKeyPath("data.user").components == ["data", "user"])
        #expect(ResponseKeyPath(#"@odata\.next.a\\b.."#).components == ["@odata.next", #"a\b"#, "", ""])
    }

    @Test func valuesBelowKeysAndIndices() throws {
        let text = #"{"a": {"b": [null, {"x": [1]}, {"firstName": "Leia"}], "0": true, "c.d": 7, "": 8}}"#
        #expect(try decoded(Pilot.self, text, at: "a.b.2") == Pilot(firstName: "Leia"))
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
            #expect(try decoded(Pilot.self, text, at: path, decoder: .snakeCase) == Pilot(firstName: "Leia"), "\(path)")
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
        let user = try DecodableSerializer(Pilot.self, decoder: PropertyListDecoder(), keyPath: "data.users.0")
            .serialize(list, response: TransportResponse(status: 200, url: nil))
        #expect(user == Pilot(firstName: "Leia"))
    }

    @Test func nullAndEmptyBody() throws {
        #expect(try decoded(Pilot?.self, #"{"user": null}"#, at: "user") == nil)
        #expect(try decoded(Pilot?.self, "", at: "user") == nil)
        #expect(try decoded(Pilot?.self, "", at: "user", status: 204) == nil)
        #expect(try decoded(EmptyResponse.self, "{}", at: "user") == EmptyResponse())
        #expect(throws: NetworkError.noData) { try decoded(Pilot.self, "", at: "user") }
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
        let error = try #require(throws: NetworkError.self) { try decoded(Pilot.self, text, at: "data.user") }
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
