import NetCore
import Testing

@Suite struct RequestConfigTests {
    private struct Filter: Codable, Sendable { var maxAge = 9, since = Date(timeIntervalSince1970: 86_400) }

    private func decoded(_ json: String) throws -> RequestConfig {
        try JSONDecoder().decode(RequestConfig.self, from: Data(json.utf8))
    }

    private func decoded(_ config: RequestConfig, by encoder: JSONEncoder = JSONEncoder()) throws -> RequestConfig {
        try JSONDecoder().decode(RequestConfig.self, from: encoder.encode(config))
    }

    private func config() throws -> RequestConfig {
        RequestConfig(
            url: try url("https://a.example/search?x=1"), method: .post,
            queryParameters: [
                "q": "a b", "since": Date(timeIntervalSince1970: 0), "id": UInt64.max, "filter": Filter(),
                "none": Int?.none,
            ],
            bodyParameters: [
                "name": "ä", "born": Date(timeIntervalSince1970: 0), "price": Decimal(string: "12345678901234567.89"),
                "data": Data([1, 2]), "filter": Filter(), "none": Int?.none, "list": [1.5, 2],
            ],
            headers: ["Authorization": "Bearer t", "X-A": "1"],
            cachePolicy: CachePolicy(useCache: true, storeCache: false, expireTime: Date(timeIntervalSince1970: 5)),
            retryCount: 2, timeout: 2.5)
    }

    @Test(arguments: zip([JSONEncoder.json, .iso8601, .snakeCase], [JSONDecoder.json, .iso8601, .snakeCase]))
    func decodedConfigMakesTheSameRequest(_ encoder: JSONEncoder, decoder: JSONDecoder) throws {
        let config = try config()
        let copy = try decoder.decode(RequestConfig.self, from: encoder.encode(config))
        let (before, after) = (try Call(config, encoder: encoder), try Call(copy, encoder: encoder))
        let (expected, request) = (try before.urlRequest(), try after.urlRequest())
        #expect(request == expected && request.allHTTPHeaderFields == expected.allHTTPHeaderFields)
        #expect(request.httpMethod == "POST" && request.timeoutInterval == 2.5)
        #expect(try json(after.body) == json(before.body))
        #expect(copy.cachePolicy == config.cachePolicy && copy.retryCount == 2 && copy.headers == config.headers)
    }

    @Test func queryDoesNotDependOnTheDateStrategyOfTheEncoder() throws {
        let config = try config()
        let expected = try Call(config, encoder: .json).urlRequest().url
        #expect(
            expected?.query
                == "x=1&filter%5BmaxAge%5D=9&filter%5Bsince%5D=1970-01-02T00%3A00%3A00Z&id=18446744073709551615&q=a%20b"
                + "&since=1970-01-01T00%3A00%3A00Z")
        let millis = JSONEncoder()
        millis.dateEncodingStrategy = .millisecondsSince1970
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        let copies = [try decoded(config), try decoder.decode(RequestConfig.self, from: millis.encode(config))]
        for copy in copies { #expect(try Call(copy, encoder: .json).urlRequest().url == expected) }
    }

    /// The query encoding of the client, or of the config, applies to a decoded config.
    @Test(arguments: [true, false], [true, false])
    func queryEncodingAppliesWhenTheConfigIsSent(isForm: Bool, areTheConfigs: Bool) throws {
        let parameters: [String: any Encodable & Sendable] = [
            "since": Date(timeIntervalSinceReferenceDate: 123.456), "filter": Filter(), "whole": 2.0, "on": [true],
            "data": Data([0xFF]), "none": Int?.none,
        ]
        var encoding = QueryEncoding.alamofire
        (encoding.data, encoding.nilValues) = (.hex, .null)
        var config = RequestConfig(url: try url(), method: .post)
        if isForm { config.contentType = .formURLEncoded }
        config[keyPath: isForm ? \RequestConfig.bodyParameters : \.queryParameters] = parameters
        if areTheConfigs { config.options.queryEncoding = encoding }
        let client = areTheConfigs ? QueryEncoding.default : encoding
        var copy = config
        for encoder in [JSONEncoder.json, .iso8601] {
            copy = try decoded(copy, by: encoder)
            for config in [config, copy] {
                let builder = try Call(config, encoder: .json, queryEncoding: client)
                let query = try builder.urlRequest().url?.query
                let text = isForm ? builder.body?.data.map { String(decoding: $0, as: UTF8.self) } : query
                #expect(
                    text == "data=ff&filter%5BmaxAge%5D=9&filter%5Bsince%5D=-978220800.0&none=null&on%5B%5D=1"
                        + "&since=123.456&whole=2.0")
            }
        }
    }

    @Test func dateInADecodedForm() throws {
        let config = RequestConfig(url: try url(), method: .post, body: Filter(), contentType: .formURLEncoded)
        let builder = try Call(decoded(config), encoder: .json, queryEncoding: .alamofire)
        #expect(builder.body?.data == Data("maxAge=9&since=-978220800.0".utf8))
    }

    private func json(_ body: HTTPBody?) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: #require(body?.data))
    }

    @Test func encodingOfADecodedConfigIsStable() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let once = try decoded(config())
        #expect(try encoder.encode(decoded(once)) == encoder.encode(once))
    }

    @Test func missingMembersAreDecodedAsDefaults() throws {
        let config = try decoded(#"{"url": "https://a.example/", "unknown": 1}"#)
        #expect(config.url.absoluteString == "https://a.example/" && config.method == .get && config.body == nil)
        #expect(config.queryParameters.isEmpty && config.bodyParameters.isEmpty && config.headers.isEmpty)
        #expect(config.cachePolicy == nil && config.retryCount == 0 && config.timeout == nil && !config.allowsBodyOnGet)
        #expect(throws: DecodingError.self) { try decoded("{}") }
    }

    @Test func allowsBodyOnGetIsEncodedOnlyIfTrue() throws {
        var config = try config()
        #expect(try !text(of: config).contains("allowsBodyOnGet"))
        config.allowsBodyOnGet = true
        #expect(try decoded(config).allowsBodyOnGet)
    }

    private func text(of config: RequestConfig) throws -> String {
        String(decoding: try JSONEncoder().encode(config), as: UTF8.self)
    }

    @Test(arguments: zip([JSONEncoder.json, .iso8601, .snakeCase], [JSONDecoder.json, .json, .snakeCase]))
    func decodedConfigHasTheSameBody(_ encoder: JSONEncoder, decoder: JSONDecoder) throws {
        let url = try url()
        encoder.outputFormatting = .sortedKeys
        let bodies: [any Encodable & Sendable] = [
            [1, 2], [Filter()], Filter(), "text", JSONValue.string("text"), Data([0, 255]), JSONValue.null,
            ["born": Date(timeIntervalSince1970: 5)],
        ]
        let types: [RequestContentType] = [
            .clientEncoder, .json, .custom("application/vnd.api+json"), .custom("text/csv"),
        ]
        var configs = bodies.flatMap { body in
            types.map { RequestConfig(url: url, method: .post, body: body, contentType: $0) }
        }
        for body in [Filter(), ["a": 1], Data("a=1".utf8)] as [any Encodable & Sendable] {
            configs.append(RequestConfig(url: url, method: .post, body: body, contentType: .formURLEncoded))
        }
        var form = RequestConfig(url: url, method: .post, bodyParameters: ["since": Date(timeIntervalSince1970: 0)])
        form.contentType = .formURLEncoded
        for config in configs + [form] {
            let before = try Call(config, encoder: encoder)
            let after = try Call(decoder.decode(RequestConfig.self, from: encoder.encode(config)), encoder: encoder)
            #expect(after.body?.data != nil && after.body?.data == before.body?.data)
            #expect(after.contentType == before.contentType)
        }
        #expect(try Call(form, encoder: encoder).body?.data == Data("since=1970-01-01T00%3A00%3A00Z".utf8))
    }

    @Test func bodyAndParametersTogetherAreRefused() throws {
        var config = try config()
        config.body = [1]
        #expect(throws: RequestBuildingError.twoBodies) { try Call(config, encoder: .json) }
        config.bodyParameters = [:]
        #expect(try Call(config, encoder: .json).body?.data == Data("[1]".utf8))
    }

    @Test func contentTypesAreEncodedByName() throws {
        var config = try config()
        #expect(try !text(of: config).contains("contentType"))
        config.contentType = .custom("a/b")
        #expect(try text(of: config).contains(#""contentType":"custom:a\/b""#))
        config.contentType = RequestContentType { _, _ in .init(.empty, contentType: "a/b") }
        #expect(throws: EncodingError.self) { try text(of: config) }
        #expect(throws: DecodingError.self) { try decoded(#"{"url": "https://a.example/", "contentType": "xml"}"#) }
    }

    private let variable = ["X-B": "2", "X-A": "1"]
    private let headers: HTTPHeaders = ["X-A": "1", "X-B": "2"]
    private let anyURL = URL(fileURLWithPath: "/")

    @Test func headersOfConfigs() {
        let configs = [
            RequestConfig(url: anyURL, headers: headers), RequestConfig(url: anyURL, headers: HTTPHeaders(variable)),
            RequestConfig(url: anyURL, headers: ["X-A": "1", "X-B": "2"]),
            RequestConfig(url: anyURL, headers: [HTTPHeader(name: "X-A", value: "1"), .init(name: "X-B", value: "2")]),
            RequestConfig(url: anyURL, bodyParameters: ["a": 1, "c": "x"], headers: ["X-A": "1", "X-B": "2"]),
            RequestConfig(url: anyURL, body: [1], headers: ["X-A": "1", "X-B": "2"]),
        ]
        for config in configs { #expect(config.headers == headers) }
        #expect(RequestConfig(url: anyURL).headers.isEmpty && RequestConfig(url: anyURL, headers: [:]).headers.isEmpty)
        #expect(RequestConfig(url: anyURL, headers: [.accept("a/b")]).headers["Accept"] == "a/b")
    }

    @Test func headersOfRequests() {
        let requests: [Request<EmptyResponse>] = [
            Request(path: "/", headers: HTTPHeaders(variable)), Request(path: "/", headers: headers),
            Request(path: "/", headers: ["X-A": "1", "X-B": "2"]),
        ]
        for request in requests { #expect(request.headers == headers) }
        #expect(Request<EmptyResponse>(path: "/", headers: [.accept("a/b")]).headers["Accept"] == "a/b")
    }

    /// In a literal of `HTTPHeaders` the last field of a name wins. A dictionary would trap.
    @Test func lastFieldOfALiteralWins() {
        #expect(RequestConfig(url: anyURL, headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
        #expect(RequestConfig(url: anyURL, body: [1], headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
        #expect(
            RequestConfig(url: anyURL, bodyParameters: ["a": 1], headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
        #expect(Request<EmptyResponse>(path: "/", headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
    }
}
