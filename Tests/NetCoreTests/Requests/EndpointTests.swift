import NetCore
import Testing

@Suite struct EndpointTests {
    private struct Staging: NetworkEnvironment {
        let baseURL = URL(fileURLWithPath: "/").appending("https://a.example/v1")
        var defaultHeaders: [String: String] {
            ["Content-Type": "application/json", "Accept": "application/json", "X-API-Key": "secret"]
        }
        var timeout: TimeInterval { 7 }
    }

    private struct Plain: Endpoint { var path: String { "/plain" } }

    private func built(_ endpoint: some Endpoint, encoder: any BodyEncoder = .json) throws -> Call {
        try Call(endpoint, environment: Staging(), encoder: encoder)
    }

    @Test func onlyThePathIsNeeded() throws {
        let request = try built(Plain()).urlRequest()
        #expect(request.url?.absoluteString == "https://a.example/v1/plain")
        #expect(request.httpMethod == "GET")
        let hasEmptyAnswer = Plain.Response.self == EmptyResponse.self
        #expect(hasEmptyAnswer)
    }

    @Test func withoutABaseURLItIsRefused() {
        let error = #expect(throws: RequestBuildingError.self) { try Call(Plain(), environment: nil, encoder: .json) }
        #expect(error?.message.contains("base URL") == true)
    }

    @Test func aWholeURLIsNoPath() {
        struct Whole: Endpoint { let path = "https://b.example/users" }
        let error = #expect(throws: RequestBuildingError.self) { try built(Whole()) }
        #expect(error?.message.contains("Request(absoluteURL:)") == true)
    }

    @Test func queryHasParametersThenItems() throws {
        struct Search: Endpoint {
            var path: String { "/search" }
            var queryParameters: [String: String] { ["q": "a+b & c=ä/%", "page": "2"] }
            var queryItems: [URLQueryItem] { [.init(name: "tag", value: "x"), .init(name: "tag", value: "y")] }
        }
        #expect(
            try built(Search()).urlRequest().url?.absoluteString
                == "https://a.example/v1/search?page=2&q=a%2Bb%20%26%20c%3D%C3%A4%2F%25&tag=x&tag=y")
    }

    @Test func bothSpellingsOfBaseURLAndItemsAreSeen() throws {
        struct Definite: Endpoint {
            var path: String { "x" }
            var baseURL: URL { URL(fileURLWithPath: "/").appending("https://b.example") }
            var queryItems: [URLQueryItem] { [.init(name: "a", value: "1")] }
        }
        struct Optional: Endpoint {
            var path: String { "x" }
            var baseURL: URL? { URL(string: "https://b.example") }
            var queryItems: [URLQueryItem]? { [.init(name: "a", value: "1")] }
        }
        #expect(try built(Definite()).urlRequest().url?.absoluteString == "https://b.example/x?a=1")
        #expect(try built(Optional()).urlRequest().url?.absoluteString == "https://b.example/x?a=1")
    }

    @Test func bodyIsEncodedAndItsTypeWinsOverTheEnvironment() throws {
        struct Login: Endpoint {
            var path: String { "/login" }
            var method: HTTPMethod { .post }
            var body: (any Encodable & Sendable)? { ["user": "Leia & Luke", "note": "a+b"] }
            var contentType: RequestContentType { .formURLEncoded }
        }
        let builder = try built(Login())
        #expect(builder.body?.data == Data("note=a%2Bb&user=Leia%20%26%20Luke".utf8))
        #expect(
            try builder.urlRequest().value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    }

    @Test func headersOfTheEndpointWin() throws {
        struct Custom: Endpoint {
            var path: String { "/x" }
            var headers: [String: String] { ["accept": "text/csv", "X-Upload-Token": "abc123"] }
        }
        let request = try built(Custom()).urlRequest()
        #expect(request.value(forHTTPHeaderField: "Accept") == "text/csv")
        #expect(request.value(forHTTPHeaderField: "X-Upload-Token") == "abc123")
    }

    @Test func aBodyMayBeOfAnyEncodableType() throws {
        struct Create<Body: Encodable & Sendable>: Endpoint {
            var path: String { "/users" }
            var method: HTTPMethod { .post }
            let body: Body
        }
        #expect(try built(Create(body: ["name": "Leia"])).body?.data == Data(#"{"name":"Leia"}"#.utf8))
        #expect(try built(Create(body: Int?.some(7))).body?.data == Data("7".utf8))
        #expect(try built(Create(body: Int?.none)).body == nil)
        #expect(try built(Create(body: Data("raw".utf8))).body?.data == Data("raw".utf8))
        #expect(try built(Create(body: JSONValue.null)).body?.data == Data("null".utf8))
    }

    @Test func queryParametersMayHaveOtherValuesThanText() throws {
        struct Page: Endpoint {
            var path: String { "/x" }
            var queryParameters: [String: Int] { ["page": 2, "limit": 10] }
            var pathComponents: [String] { ["a/b"] }
        }
        #expect(try built(Page()).urlRequest().url?.absoluteString == "https://a.example/v1/a%2Fb?limit=10&page=2")
    }

    /// Code that has an `any Endpoint` sees its members as these types, whatever the conforming type declares.
    @Test func anyEndpointHasPlainTypes() throws {
        struct Typed: Endpoint {
            var path: String { "/x" }
            var headers: HTTPHeaders { ["X-A": "1"] }
            var body: Int { 7 }
            var baseURL: URL { URL(fileURLWithPath: "/") }
        }
        let endpoints: [any Endpoint] = [Typed(), Plain()]
        let headers: [[String: String]] = endpoints.map(\.headers)
        #expect(headers == [["X-A": "1"], [:]])
        #expect(endpoints[0].headers["X-A"] == "1")
        #expect(endpoints.map { $0.body as? Int } == [7, nil])
        #expect(endpoints.map { $0.baseURL?.isFileURL } == [true, nil])
        #expect(endpoints.map(\.method) == [.get, .get])
        #expect(try built(Typed()).headers["X-A"] == "1")
    }

    @Test func anEnvironmentMayHaveHTTPHeadersAndAWholeTimeout() {
        struct Typed: NetworkEnvironment {
            let baseURL = URL(fileURLWithPath: "/")
            let defaultHeaders: HTTPHeaders = ["X-A": "1"]
            let timeout = 7
        }
        let environment: any NetworkEnvironment = Typed()
        #expect(environment.defaultHeaders == ["X-A": "1"] && environment.timeout == 7)
    }

    @Test func componentsGoInPlaceOfThePath() throws {
        struct File: Endpoint {
            let name: String
            var path: String { "" }
            var pathComponents: [String]? { ["files", name] }
        }
        #expect(
            try built(File(name: "a/b.txt")).urlRequest().url?.absoluteString == "https://a.example/v1/files/a%2Fb.txt")
    }
}

@Suite struct RequestContentTypeTests {
    private struct Value: Codable, Sendable {
        var name = "Leia"
        var tags = ["a", "b"]
        var nested = ["age": 19]
    }

    private func body(_ type: RequestContentType, _ value: (any Encodable & Sendable)?) throws -> (String, String)? {
        try type.encode(value, by: .json).map {
            (String(decoding: $0.body.data ?? Data(), as: UTF8.self), $0.contentType)
        }
    }

    @Test func formHasListsAndNestedValues() throws {
        let form = try body(.formURLEncoded, Value())
        #expect(form?.0 == "name=Leia&nested%5Bage%5D=19&tags=a&tags=b")
        #expect(form?.1 == "application/x-www-form-urlencoded")
    }

    @Test func withoutAValueThereIsNoBody() throws {
        for type in [RequestContentType.json, .formURLEncoded, .clientEncoder, .custom("a/b")] {
            #expect(try body(type, nil) == nil)
        }
    }

    @Test func dataIsSentAsItIs() throws {
        #expect(try body(.json, Data("{}".utf8))?.0 == "{}")
        #expect(try body(.json, Data("{}".utf8))?.1 == "application/json")
        #expect(try body(.custom("a/b"), Data("x".utf8))?.1 == "a/b")
    }

    @Test(
        arguments: [
            (.clientEncoder, "a \"ä\"", "text/plain; charset=utf-8"), (.json, #""a \"ä\"""#, "application/json"),
            (.custom("text/csv"), "a \"ä\"", "text/csv"),
            (.custom("application/vnd.api+json"), #""a \"ä\"""#, "application/vnd.api+json"),
        ] as [(RequestContentType, String, String)])
    func textIsSentAsItIsUnlessItIsJSON(type: RequestContentType, text: String, contentType: String) throws {
        let body = try body(type, "a \"ä\"")
        #expect(body?.0 == text)
        #expect(body?.1 == contentType)
        // Other values that are a text in JSON are no texts.
        #expect(try self.body(.clientEncoder, JSONValue.string("a"))?.0 == #""a""#)
        #expect(try self.body(.clientEncoder, URL(string: "a"))?.1 == "application/json")
        #expect(throws: NetworkError.self) { try self.body(.formURLEncoded, "a=b") }
    }

    @Test func anEmptyTextIsABody() throws {
        let body = try RequestContentType.clientEncoder.encode("", by: PropertyListEncoder())
        #expect(body?.body.length == 0)
        #expect(body?.contentType == "text/plain; charset=utf-8")
    }

    @Test func jsonIsJSONWhateverTheClientSpeaks() throws {
        let body = try RequestContentType.json.encode(["a": 1], by: PropertyListEncoder())
        #expect(body?.body.data == Data(#"{"a":1}"#.utf8))
        #expect(body?.contentType == "application/json")
    }

    @Test func listIsNoForm() {
        let error = #expect(throws: NetworkError.self) { try body(.formURLEncoded, [1, 2]) }
        #expect(error?.kind == .encodingFailed)
    }
}

extension URL {
    /// A URL from text without a forced unwrapping in every test.
    fileprivate func appending(_ text: String) -> URL { URL(string: text) ?? self }
}
