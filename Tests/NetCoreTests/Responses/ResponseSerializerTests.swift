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
        _ type: Value.Type, _ text: String, decoder: any BodyDecoder = .json
    ) throws -> Value {
        try DecodableSerializer(type, decoder: decoder).serialize(Data(text.utf8), response: response())
    }

    @Test func decodesJSON() throws {
        #expect(try decoded(User.self, #"{"id": 3}"#) == User(id: 3))
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
        // Status 204 has no content, even if the transport delivers some.
        #expect(try DecodableSerializer(User?.self).serialize(Data("{".utf8), response: response(status: 204)) == nil)
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
}
