import NetCore
import Testing

@Suite struct CallTests {
    private func builder(_ url: String = "https://a.example/p") throws -> Call { Call(url: try NetCoreTests.url(url)) }

    private func contentType(of call: Call) throws -> String? {
        try call.urlRequest().value(forHTTPHeaderField: "Content-Type")
    }

    @Test(arguments: [
        ("https://a.example/p", "https://a.example/p?b=2"), ("https://a.example", "https://a.example?b=2"),
        ("https://a.example/p?", "https://a.example/p?b=2"), ("https://a.example/p?a=1", "https://a.example/p?a=1&b=2"),
        ("https://a.example/p?a=1&", "https://a.example/p?a=1&b=2"),
        ("https://a.example/p?a=%2B%20#frag?x", "https://a.example/p?a=%2B%20&b=2"),
        ("https://a.example/a%20b/%2F#f", "https://a.example/a%20b/%2F?b=2"),
    ]) func queryIsAppendedToTheOneOfTheURL(_ url: String, expected: String) throws {
        var builder = try builder(url)
        builder.query = ["b": 2]
        #expect(try builder.urlRequest().url?.absoluteString == expected)
    }

    @Test func urlWithoutParametersIsUnchanged() throws {
        for (url, query) in [("https://a.example/p?a=+#f", [:]), ("https://a.example/p#f", ["a": Int?.none])] {
            var call = try builder(url)
            call.query = query
            #expect(try call.urlRequest().url?.absoluteString == url)
        }
    }

    @Test(arguments: ["", "GE T", "GET\r\nX: y", "GÉT", "a/b", "\u{0}"])
    func invalidMethodIsRefused(_ method: String) throws {
        var builder = try builder()
        builder.method = HTTPMethod(rawValue: method)
        let error = #expect(throws: RequestBuildingError.self) { try builder.urlRequest() }
        #expect(error?.message.contains { $0.isNewline } == false)
    }

    @Test(arguments: [
        HTTPHeader(name: "X", value: "s3cr3t\r\nY: 1"), HTTPHeader(name: "X", value: "s3cr3t\n1"),
        HTTPHeader(name: "X", value: "s3cr3t\r1"), HTTPHeader(name: "X", value: "s3cr3t\u{0}1"),
        HTTPHeader(name: "X Y", value: "s3cr3t"), HTTPHeader(name: "X:\r\n", value: "s3cr3t"),
        HTTPHeader(name: "", value: "s3cr3t"), HTTPHeader(name: "Ü", value: "s3cr3t"),
    ]) func invalidHeaderIsRefused(_ header: HTTPHeader) throws {
        var builder = try builder()
        builder.headers = HTTPHeaders([.accept("a/b"), header])
        let error = #expect(throws: RequestBuildingError.self) { try builder.urlRequest() }
        #expect(error?.message.contains("s3cr3t") == false && error?.message.contains { $0.isNewline } == false)
    }

    @Test func contentTypeIsThatOfTheEncoderUnlessSet() throws {
        var builder = try builder()
        builder.method = .post
        try builder.setBody(["a": 1], encoder: .json)
        #expect(try contentType(of: builder) == "application/json" && builder.body?.data == Data(#"{"a":1}"#.utf8))
        #expect(try builder.urlRequest().httpBody == nil, "bodies are sent beside the request")
        builder.headers = ["content-type": "application/vnd.api+json"]
        #expect(try builder.urlRequest().allHTTPHeaderFields == ["content-type": "application/vnd.api+json"])
        try builder.setBody(["a": 1], encoder: PropertyListEncoder())
        builder.headers = [:]
        #expect(try contentType(of: builder) == "application/x-plist")
    }

    @Test(arguments: [HTTPMethod.get, .head, "get"]) func bodyOnGetIsRefusedUnlessAllowed(_ method: HTTPMethod) throws {
        var builder = try builder()
        builder.method = method
        try builder.setBody(["a": "s3cr3t"], encoder: .json)
        let error = #expect(throws: RequestBuildingError.self) { try builder.urlRequest() }
        #expect(error?.message.hasPrefix("A \(method.rawValue.uppercased()) request has a body") == true)
        #expect(error?.message.contains("allowsBodyOnGet") == true && error?.message.contains("s3cr3t") == false)
        builder.allowsBodyOnGet = true
        #expect(try contentType(of: builder) == "application/json")
        builder.allowsBodyOnGet = false
        builder.body = .empty
        #expect(throws: Never.self, "nothing is sent as the body") { try builder.urlRequest() }
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete, "QUERY", "PROPFIND"])
    func otherMethodsMayHaveABody(_ method: HTTPMethod) throws {
        var builder = try builder()
        builder.method = method
        try builder.setBody(["a": 1], encoder: .json)
        #expect(try builder.urlRequest().httpMethod == method.rawValue)
    }

    @Test func allowsBodyOnGetOfConfigsRequestsAndEndpoints() throws {
        struct Search: Endpoint {
            var allowsBodyOnGet = false
            let path = "/search", body = ["q": "x"], baseURL = URL(fileURLWithPath: "/")
        }
        let url = try url()
        var config = RequestConfig(url: url, bodyParameters: ["q": "x"])
        var request = Request<EmptyResponse>(absoluteURL: url, body: ["q": "x"])
        for allows in [false, true] {
            (config.allowsBodyOnGet, request.allowsBodyOnGet) = (allows, allows)
            let builders = [
                try Call(config, encoder: .json), try Call(request, environment: nil, encoder: .json),
                try Call(Search(allowsBodyOnGet: allows), environment: nil, encoder: .json),
            ]
            for builder in builders { #expect(((try? builder.urlRequest()) != nil) == allows) }
        }
    }

    @Test func noContentTypeWithoutABody() throws {
        let builder = try Call(RequestConfig(url: url(), bodyParameters: [String: JSONValue]()), encoder: .json)
        #expect(builder.body == nil)
        #expect(try builder.urlRequest().allHTTPHeaderFields ?? [:] == [:])
    }

    @Test func invalidNumbersAreEncodingErrors() throws {
        var builder = try builder()
        #expect(throws: NetworkError.encodingError(CancellationError())) {
            try builder.setBody(["a": Double.nan], encoder: .json)
        }
    }

    @Test func invalidTimeoutIsTheDefault() throws {
        var builder = try builder()
        for (timeout, sent) in [(nil, 60), (0, 60), (-1, 60), (.nan, 60), (0.25, 0.25)] as [(TimeInterval?, Double)] {
            builder.timeout = timeout
            #expect(try builder.urlRequest().timeoutInterval == sent)
        }
    }

    private func request(_ parameters: [String: any Encodable & Sendable]) throws -> Request<EmptyResponse> {
        Request(
            method: .post, absoluteURL: try url("https://a.example/p?x=a%20b"), query: parameters,
            queryItems: [URLQueryItem(name: "my[Key]", value: "a b/c"), URLQueryItem(name: "k", value: nil)],
            queryObject: Parameters(parameters), body: Parameters(parameters), contentType: .formURLEncoded)
    }

    @Test func queryEncodingAppliesToQueryAndForm() throws {
        var encoding = QueryEncoding.alamofire
        (encoding.spaces, encoding.keys) = (.plus, .snakeCase)
        var request = try request(["aB": [true], "c": "d e"])
        let expected = "a_b%5B%5D=1&c=d+e"
        let url = "https://a.example/p?x=a%20b&\(expected)&my%5BKey%5D=a+b/c&k&\(expected)"
        let client = try Call(request, environment: nil, encoder: .json, queryEncoding: encoding)
        var call = try Call(request, environment: nil, encoder: .json)
        call.changeOptions { $0.queryEncoding = encoding }
        request.options.queryEncoding = encoding
        let own = try Call(request, environment: nil, encoder: .json, queryEncoding: .default)
        for builder in [client, call, own] {
            #expect(try builder.urlRequest().url?.absoluteString == url && builder.body?.data == Data(expected.utf8))
            #expect(try contentType(of: builder) == "application/x-www-form-urlencoded")
        }
    }

    /// A form that the client's encoding refuses may be valid with the call's.
    @Test func formIsEncodedWithTheFinalQueryEncoding() throws {
        var commas = QueryEncoding.default
        commas.arrays = .commaSeparated
        var request = try request([:])
        (request.queryObject, request.body) = (nil, ["a": [[1]]])
        var builder = try Call(request, environment: nil, encoder: .json, queryEncoding: commas)
        let error = #expect(throws: NetworkError.self) { try builder.urlRequest() }
        #expect(error?.kind == .encodingFailed)
        builder.changeOptions { $0.queryEncoding = .default }
        #expect(try builder.urlRequest().url != nil && builder.body?.data == Data("a=1".utf8))
    }

    @Test func bodySetLaterReplacesTheForm() throws {
        var request = try request(["a": 1])
        request.rawBody = HTTPBody("raw")
        var builder = try Call(request, environment: nil, encoder: .json)
        builder.changeOptions { $0.queryEncoding = .alamofire }
        #expect(builder.body?.data == Data("raw".utf8))
        request.rawBody = nil
        builder = try Call(request, environment: nil, encoder: .json)
        builder.body = nil
        builder.changeOptions { $0.queryEncoding = .alamofire }
        #expect(builder.body == nil)
    }
}
