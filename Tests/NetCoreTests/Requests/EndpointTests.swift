import NetCore
import Testing

@Suite struct EndpointTests {
    private struct Staging: NetworkEnvironment {
        let baseURL = base("https://a.example/v1")
        let defaultHeaders = ["Content-Type": "application/json", "Accept": "application/json", "X-API-Key": "secret"]
    }

    private struct Plain: Endpoint { var path: String { "/plain" } }

    private func built(_ endpoint: some Endpoint) throws -> Call {
        try Call(endpoint, environment: Staging(), encoder: .json)
    }

    private func sentURL(_ endpoint: some Endpoint) throws -> String? {
        try built(endpoint).urlRequest().url?.absoluteString
    }

    @Test func defaultsOfAnEndpoint() throws {
        let request = try built(Plain()).urlRequest()
        #expect(request.url?.absoluteString == "https://a.example/v1/plain" && request.httpMethod == "GET")
        let hasEmptyAnswer = Plain.Response.self == EmptyResponse.self
        #expect(hasEmptyAnswer)
    }

    @Test func endpointWithoutABaseURLIsRefused() {
        let error = #expect(throws: RequestBuildingError.self) { try Call(Plain(), environment: nil, encoder: .json) }
        #expect(error?.message.contains("base URL") == true)
    }

    @Test func absoluteURLAsAPathIsRefused() {
        struct Whole: Endpoint { let path = "https://b.example/users" }
        let error = #expect(throws: RequestBuildingError.self) { try built(Whole()) }
        #expect(error?.message.contains("Request(absoluteURL:)") == true)
    }

    @Test func queryHasParametersThenItems() throws {
        struct Search: Endpoint {
            let path = "/search"
            let queryParameters = ["q": "a+b & c=ä/%", "page": "2"]
            let queryItems = [URLQueryItem(name: "tag", value: "x"), URLQueryItem(name: "tag", value: "y")]
        }
        let query = "page=2&q=a%2Bb%20%26%20c%3D%C3%A4%2F%25&tag=x&tag=y"
        #expect(try sentURL(Search()) == "https://a.example/v1/search?\(query)")
    }

    @Test func baseURLAndQueryItemsMayBeOptional() throws {
        struct Definite: Endpoint {
            let path = "x", baseURL = base("https://b.example"), queryItems = [URLQueryItem(name: "a", value: "1")]
        }
        struct Optional: Endpoint {
            let path = "x", baseURL = URL(string: "https://b.example")
            let queryItems: [URLQueryItem]? = [URLQueryItem(name: "a", value: "1")]
        }
        #expect(try sentURL(Definite()) == "https://b.example/x?a=1")
        #expect(try sentURL(Optional()) == "https://b.example/x?a=1")
    }

    @Test func contentTypeOfTheBodyWinsOverTheEnvironment() throws {
        struct Login: Endpoint {
            let path = "/login", method = HTTPMethod.post, contentType = RequestContentType.formURLEncoded
            var body: (any Encodable & Sendable)? { ["user": "Leia & Luke", "note": "a+b"] }
        }
        let call = try built(Login())
        #expect(call.body?.data == Data("note=a%2Bb&user=Leia%20%26%20Luke".utf8))
        #expect(try call.urlRequest().value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    }

    @Test func headersOfTheEndpointWinOverTheEnvironment() throws {
        struct Custom: Endpoint { let path = "/x", headers = ["accept": "text/csv", "X-Upload-Token": "abc123"] }
        let request = try built(Custom()).urlRequest()
        #expect(["Accept", "X-Upload-Token"].map { request.value(forHTTPHeaderField: $0) } == ["text/csv", "abc123"])
    }

    @Test func bodyOfAnyEncodableType() throws {
        struct Create<Body: Encodable & Sendable>: Endpoint {
            let path = "/users", method = HTTPMethod.post
            let body: Body
        }
        #expect(try built(Create(body: ["name": "Leia"])).body?.data == Data(#"{"name":"Leia"}"#.utf8))
        #expect(try built(Create(body: Int?.some(7))).body?.data == Data("7".utf8))
        #expect(try built(Create(body: Int?.none)).body == nil)
        #expect(try built(Create(body: Data("raw".utf8))).body?.data == Data("raw".utf8))
        #expect(try built(Create(body: JSONValue.null)).body?.data == Data("null".utf8))
    }

    @Test func queryParametersOfNumbersAndPathComponents() throws {
        struct File: Endpoint {
            let path = "/x", queryParameters = ["page": 2, "limit": 10], pathComponents = ["files", "a/b.txt"]
        }
        struct Optional: Endpoint { let path = "", pathComponents: [String]? = ["files", "a/b.txt"] }
        #expect(try sentURL(File()) == "https://a.example/v1/files/a%2Fb.txt?limit=10&page=2")
        #expect(try sentURL(Optional()) == "https://a.example/v1/files/a%2Fb.txt")
    }

    /// The members of an `any Endpoint` have these types, even if the conforming type declares others.
    @Test func memberTypesOfAnyEndpoint() throws {
        struct Typed: Endpoint {
            let path = "/x", body = 7, baseURL = URL(fileURLWithPath: "/")
            let headers: HTTPHeaders = ["X-A": "1"]
        }
        let endpoints: [any Endpoint] = [Typed(), Plain()]
        let headers: [[String: String]] = endpoints.map(\.headers)
        #expect(headers == [["X-A": "1"], [:]])
        #expect(endpoints[0].headers["X-A"] == "1" && endpoints.map { $0.body as? Int } == [7, nil])
        #expect(endpoints.map { $0.baseURL?.isFileURL } == [true, nil] && endpoints.map(\.method) == [.get, .get])
        #expect(try built(Typed()).headers["X-A"] == "1")
    }

    @Test func environmentWithHTTPHeadersAndIntegerTimeout() {
        struct Typed: NetworkEnvironment {
            let baseURL = URL(fileURLWithPath: "/"), timeout = 7
            let defaultHeaders: HTTPHeaders = ["X-A": "1"]
        }
        let environment: any NetworkEnvironment = Typed()
        #expect(environment.defaultHeaders == ["X-A": "1"] && environment.timeout == 7)
    }
}

@Suite struct RequestContentTypeTests {
    private struct Value: Codable, Sendable { var name = "Leia", tags = ["a", "b"], nested = ["age": 19] }

    private func body(_ type: RequestContentType, _ value: (any Encodable & Sendable)?) throws -> (String, String)? {
        try type.encode(value, by: .json).map {
            (String(decoding: $0.body.data ?? Data(), as: UTF8.self), $0.contentType)
        }
    }

    @Test func formHasListsAndNestedValues() throws {
        let form = try #require(try body(.formURLEncoded, Value()))
        #expect(form == ("name=Leia&nested%5Bage%5D=19&tags=a&tags=b", "application/x-www-form-urlencoded"))
        let error = #expect(throws: NetworkError.self) { try body(.formURLEncoded, [1, 2]) }
        #expect(error?.kind == .encodingFailed)
    }

    @Test func noBodyWithoutAValue() throws {
        for type in [RequestContentType.json, .formURLEncoded, .clientEncoder, .custom("a/b")] {
            #expect(try body(type, nil) == nil)
        }
    }

    @Test func dataIsNotEncoded() throws {
        #expect(try #require(try body(.json, Data("{}".utf8))) == ("{}", "application/json"))
        #expect(try body(.custom("a/b"), Data("x".utf8))?.1 == "a/b")
    }

    @Test(arguments: [
        (RequestContentType.clientEncoder, "a \"ä\"", "text/plain; charset=utf-8"),
        (.json, #""a \"ä\"""#, "application/json"),
        (.custom("text/csv"), "a \"ä\"", "text/csv"),
        (.custom("application/vnd.api+json"), #""a \"ä\"""#, "application/vnd.api+json"),
    ]) func textIsEncodedOnlyAsJSON(type: RequestContentType, text: String, contentType: String) throws {
        #expect(try #require(try body(type, "a \"ä\"")) == (text, contentType))
        // Other types that JSON writes as strings are encoded.
        #expect(try self.body(.clientEncoder, JSONValue.string("a"))?.0 == #""a""#)
        #expect(try self.body(.clientEncoder, URL(string: "a"))?.1 == "application/json")
        #expect(throws: NetworkError.self) { try self.body(.formURLEncoded, "a=b") }
    }

    @Test func emptyTextAndJSONWithAnotherClientEncoder() throws {
        let text = try RequestContentType.clientEncoder.encode("", by: PropertyListEncoder())
        #expect(text?.body.length == 0 && text?.contentType == "text/plain; charset=utf-8")
        let json = try RequestContentType.json.encode(["a": 1], by: PropertyListEncoder())
        #expect(json?.body.data == Data(#"{"a":1}"#.utf8) && json?.contentType == "application/json")
    }
}

private func base(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }
