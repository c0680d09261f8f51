import Testing

@testable import NetCore

private struct Box<Value: Decodable & Sendable>: Decodable, Sendable { let v: Value }
private struct Item: Decodable { let owner: Owner }
private struct Owner: Decodable { let age: Int }
private enum Role: String, Decodable { case admin }
private struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        _ = (try values.decode(Int.self), try values.decode(Int.self))
    }
}

@Suite struct DecodingMismatchTests {
    private func error<Value: Decodable & Sendable>(
        _ type: Value.Type, _ json: String, contentType: String? = "application/json",
        decoder: any BodyDecoder = JSONDecoder()
    ) throws -> NetworkError {
        let headers = contentType.map { HTTPHeaders(["Content-Type": $0]) } ?? HTTPHeaders()
        let response = TransportResponse(status: 200, headers: headers, url: nil, body: HTTPBody(json))
        return try #require(throws: NetworkError.self) {
            try DecodableSerializer(type, decoder: decoder).serialize(Data(json.utf8), response: response)
        }
    }

    private func text(_ error: NetworkError) -> String { error.localizedDescription(in: english) }

    private func summary<Value: Decodable & Sendable>(_ type: Value.Type, _ json: String) throws -> String {
        try error(type, json).description
    }

    @Test func namesPathExpectedAndFoundType() throws {
        let json = #"{"items": [{"owner": {"age": 1}}, {"owner": {"age": "s3cr3t"}}]}"#
        let error = try error([String: [Item]].self, json)
        #expect(error.description == "decoding_error: expected Int at items[1].owner.age, found string")
        #expect(
            text(error)
                == "The response could not be decoded. At items[1].owner.age, Int was expected, but string was found.")
        #expect(
            error.failureReason(in: Locale(identifier: "de"))
                == "Bei items[1].owner.age wurde Int erwartet, aber string gefunden.")
        #expect(NetworkFailure(error).description == "decoding_error, expected Int at items[1].owner.age, found string")
        // The error itself is the decoder's, with its path and its words.
        let inner = try #require(error.embeddedError as? DecodingError)
        guard case .typeMismatch(let type, let context) = inner else { throw inner }
        #expect(type == Int.self && context.codingPath.count == 4)
        #expect(context.debugDescription.contains("Expected to decode Int"))
    }

    @Test(arguments: [
        ("1", "number"), ("true", "boolean"), ("null", "null"), ("[1]", "array"), (#"{"a": 1}"#, "object"),
    ]) func namesTheFoundType(_ json: String, _ found: String) throws {
        let text = try summary(Box<String>.self, #"{"v": \#(json)}"#)
        #expect(text == "decoding_error: expected String at v, found \(found)")
    }

    @Test func namesPathsOfContainers() throws {
        #expect(try summary(Box<[Int]>.self, #"{"v": 1}"#) == "decoding_error: expected array at v, found number")
        #expect(try summary(Box<Owner>.self, #"{"v": []}"#) == "decoding_error: expected object at v, found array")
        #expect(try summary([Int].self, "{}") == "decoding_error: expected array at the top level, found object")
        #expect(try summary(Box<Pair>.self, #"{"v": [1]}"#) == "decoding_error: expected Int at v[1]")
        // Keys that are numbers are not indices.
        let numbers = try summary(Box<[Int: Int]>.self, #"{"v": {"1": "x"}}"#)
        #expect(numbers == "decoding_error: expected Int at v.1, found string")
    }

    @Test func namesTheMissingKey() throws {
        let error = try error(Box<[Owner]>.self, #"{"v": [{"name": "s3cr3t"}]}"#)
        #expect(error.description == "decoding_error: missing key 'age' at v[0]")
        #expect(text(error) == "The response could not be decoded. At v[0], the key age is missing.")
        #expect(text(try self.error(Owner.self, "{}")).hasSuffix("At the top level, the key age is missing."))
    }

    @Test func namesTheTypeOfAnUnfitValue() throws {
        let texts = try [summary(Box<Role>.self, #"{"v": "s3cr3t"}"#), summary(Box<UUID>.self, #"{"v": "s3cr3t"}"#)]
        #expect(texts == ["Role", "UUID"].map { "decoding_error: the value does not fit \($0) at v" })
        // Foundation calls this "not valid JSON", and names no path.
        let number = try error(Box<UInt8>.self, #"{"v": 300}"#)
        #expect(number.description.hasPrefix("decoding_error: the value does not fit "))
        #expect(text(number).contains("the value does not fit the expected type"))
    }

    @Test func namesAContentTypeOtherThanJSON() throws {
        let html = try error(Owner.self, "<html>s3cr3t", contentType: "Text/HTML; charset=utf-8")
        #expect(html.description == "decoding_error: malformed data at the top level; the response is text/html")
        #expect(
            text(html)
                == "The response could not be decoded. The data is malformed. The response is text/html, not JSON.")
        for contentType in ["application/json", "application/problem+json", nil, ""] {
            let error = try error(Owner.self, "<html>", contentType: contentType)
            #expect(error.description == "decoding_error: malformed data at the top level")
        }
        let forged = try error(Owner.self, "<", contentType: "text/\u{202E}x" + String(repeating: "y", count: 1000))
        #expect(forged.description.count < 200 && !forged.description.unicodeScalars.contains("\u{202E}"))
    }

    /// Another decoder reads another format, so the text does not mention JSON.
    @Test func contentTypeIsNotNamedForOtherDecoders() throws {
        let plist = try error(Owner.self, "x", contentType: "application/x-plist", decoder: PropertyListDecoder())
        #expect(!plist.description.contains("x-plist"))
    }
}
