import NetCore
import Testing

@Suite struct RequestConfigTests {
    private struct Filter: Codable, Sendable {
        var maxAge = 9
        var since = Date(timeIntervalSince1970: 86_400)
    }

    private func config() throws -> RequestConfig {
        RequestConfig(
            url: try #require(URL(string: "https://a.example/search?x=1")),
            method: .post,
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

    @Test(arguments: [JSONEncoder.json, .iso8601, .snakeCase], [JSONDecoder.json, .iso8601, .snakeCase])
    func comesBackAsTheSameRequest(_ encoder: JSONEncoder, decoder: JSONDecoder) throws {
        let config = try config()
        // Dates in the cache policy are the decoder's own affair.
        guard encoder.dateEncodingStrategy.isISO == decoder.dateDecodingStrategy.isISO,
            encoder.keyEncodingStrategy.isSnake == decoder.keyDecodingStrategy.isSnake
        else { return }
        let copy = try decoder.decode(RequestConfig.self, from: encoder.encode(config))

        let before = try Call(config, encoder: encoder)
        let after = try Call(copy, encoder: encoder)
        #expect(try after.urlRequest() == before.urlRequest())
        #expect(try after.urlRequest().allHTTPHeaderFields == before.urlRequest().allHTTPHeaderFields)
        #expect(try after.urlRequest().httpMethod == "POST")
        #expect(try after.urlRequest().timeoutInterval == 2.5)
        #expect(try json(after.body) == json(before.body))
        #expect(copy.cachePolicy == config.cachePolicy)
        #expect(copy.retryCount == 2)
        #expect(copy.headers == config.headers)
    }

    /// What is stored says nothing of how dates look in a query: that is always the same.
    @Test func queryDoesNotDependOnTheEncoder() throws {
        let config = try config()
        let expected = try Call(config, encoder: .json).urlRequest().url
        #expect(
            expected?.query
                == "x=1&filter%5BmaxAge%5D=9&filter%5Bsince%5D=1970-01-02T00%3A00%3A00Z&id=18446744073709551615&q=a%20b"
                + "&since=1970-01-01T00%3A00%3A00Z")
        let millis = JSONEncoder()
        millis.dateEncodingStrategy = .millisecondsSince1970
        for encoder in [JSONEncoder(), millis] {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = encoder === millis ? .millisecondsSince1970 : .deferredToDate
            let copy = try decoder.decode(RequestConfig.self, from: encoder.encode(config))
            #expect(try Call(copy, encoder: .json).urlRequest().url == expected)
        }
    }

    /// What is stored leaves dates, data and numbers to the conventions of the client that sends it, or to the config's own.
    @Test(arguments: [true, false], [true, false])
    func conventionsApplyWhenItIsSent(isForm: Bool, areTheConfigs: Bool) throws {
        let parameters: [String: any Encodable & Sendable] = [
            "since": Date(timeIntervalSinceReferenceDate: 123.456), "filter": Filter(), "whole": 2.0, "on": [true],
            "data": Data([0xFF]), "none": Int?.none,
        ]
        var encoding = QueryEncoding.alamofire
        encoding.data = .hex
        encoding.nilValues = .null
        var config = RequestConfig(url: try #require(URL(string: "https://a.example/")), method: .post)
        if isForm {
            config.bodyParameters = parameters
            config.contentType = .formURLEncoded
        } else {
            config.queryParameters = parameters
        }
        if areTheConfigs { config.options.queryEncoding = encoding }
        let client = areTheConfigs ? QueryEncoding.default : encoding
        var copy = config
        for encoder in [JSONEncoder.json, .iso8601] {
            copy = try JSONDecoder().decode(RequestConfig.self, from: encoder.encode(copy))
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

    @Test func aFormOfAValueKeepsItsDates() throws {
        let url = try #require(URL(string: "https://a.example/"))
        let config = RequestConfig(url: url, method: .post, body: Filter(), contentType: .formURLEncoded)
        let copy = try JSONDecoder().decode(RequestConfig.self, from: JSONEncoder().encode(config))
        let builder = try Call(copy, encoder: .json, queryEncoding: .alamofire)
        #expect(builder.body?.data == Data("maxAge=9&since=-978220800.0".utf8))
    }

    private func json(_ body: HTTPBody?) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: #require(body?.data))
    }

    @Test func twiceThereAndBackIsTheSame() throws {
        let once = try JSONDecoder().decode(RequestConfig.self, from: JSONEncoder().encode(try config()))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let first = try encoder.encode(once)
        #expect(try encoder.encode(JSONDecoder().decode(RequestConfig.self, from: first)) == first)
    }

    @Test func olderPayloadsGetDefaults() throws {
        let config = try JSONDecoder().decode(
            RequestConfig.self, from: Data(#"{"url": "https://a.example/", "unknown": 1}"#.utf8))
        #expect(config.url.absoluteString == "https://a.example/")
        #expect(config.method == .get)
        #expect(config.queryParameters.isEmpty && config.bodyParameters.isEmpty && config.headers.isEmpty)
        #expect(config.cachePolicy == nil && config.retryCount == 0 && config.timeout == nil)
        #expect(!config.allowsBodyOnGet && config.body == nil)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RequestConfig.self, from: Data("{}".utf8)) }
    }

    @Test func bodyOnGetIsWrittenOnlyIfItIsAllowed() throws {
        var config = try config()
        #expect(try !text(of: config).contains("allowsBodyOnGet"))
        config.allowsBodyOnGet = true
        let copy = try JSONDecoder().decode(RequestConfig.self, from: JSONEncoder().encode(config))
        #expect(copy.allowsBodyOnGet)
    }

    private func text(of config: RequestConfig) throws -> String {
        String(decoding: try JSONEncoder().encode(config), as: UTF8.self)
    }

    @Test(arguments: [JSONEncoder.json, .iso8601, .snakeCase])
    func bodiesComeBackAsTheSameBytes(_ encoder: JSONEncoder) throws {
        let url = try #require(URL(string: "https://a.example/"))
        encoder.outputFormatting = .sortedKeys
        let decoder = JSONDecoder()
        if encoder.keyEncodingStrategy.isSnake { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        let bodies: [any Encodable & Sendable] = [
            [1, 2], [Filter()], Filter(), "text", JSONValue.string("text"), Data([0, 255]), JSONValue.null,
            ["born": Date(timeIntervalSince1970: 5)],
        ]
        let types: [RequestContentType] = [
            .clientEncoder, .json, .custom("application/vnd.api+json"), .custom("text/csv"),
        ]
        for body in bodies {
            for type in types {
                let config = RequestConfig(url: url, method: .post, body: body, contentType: type)
                try expectSame(config, encoder, decoder)
            }
        }
        for body in [Filter(), ["a": 1], Data("a=1".utf8)] as [any Encodable & Sendable] {
            let config = RequestConfig(url: url, method: .post, body: body, contentType: .formURLEncoded)
            try expectSame(config, encoder, decoder)
        }
        var form = RequestConfig(url: url, method: .post, bodyParameters: ["since": Date(timeIntervalSince1970: 0)])
        form.contentType = .formURLEncoded
        try expectSame(form, encoder, decoder)
        #expect(try Call(form, encoder: encoder).body?.data == Data("since=1970-01-01T00%3A00%3A00Z".utf8))
    }

    private func expectSame(_ config: RequestConfig, _ encoder: JSONEncoder, _ decoder: JSONDecoder) throws {
        let copy = try decoder.decode(RequestConfig.self, from: encoder.encode(config))
        let before = try Call(config, encoder: encoder)
        let after = try Call(copy, encoder: encoder)
        #expect(after.body?.data != nil && after.body?.data == before.body?.data)
        #expect(after.contentType == before.contentType)
    }

    @Test func bodyAndParametersTogetherAreRefused() throws {
        var config = try config()
        config.body = [1]
        #expect(throws: RequestBuildingError.twoBodies) { try Call(config, encoder: .json) }
        config.bodyParameters = [:]
        #expect(try Call(config, encoder: .json).body?.data == Data("[1]".utf8))
    }

    @Test func contentTypesAreWrittenByName() throws {
        var config = try config()
        #expect(try !text(of: config).contains("contentType"))
        config.contentType = .custom("a/b")
        #expect(try text(of: config).contains(#""contentType":"custom:a\/b""#))
        config.contentType = RequestContentType { _, _ in .init(.empty, contentType: "a/b") }
        #expect(throws: EncodingError.self) { try text(of: config) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                RequestConfig.self, from: Data(#"{"url": "https://a.example/", "contentType": "xml"}"#.utf8))
        }
    }

    @Test func jsonValuesMixInLiterals() throws {
        let config = RequestConfig(
            url: URL(string: "https://a.example/")!,
            bodyParameters: ["name": "Leia", "tags": ["pilot", 1, nil] as JSONValue, "ship": ["id": 3]])
        let body = try Call(config, encoder: .json).body
        #expect(try json(body) == ["name": "Leia", "tags": ["pilot", 1, nil], "ship": ["id": 3]])
    }
}

extension JSONEncoder.DateEncodingStrategy {
    fileprivate var isISO: Bool { if case .iso8601 = self { true } else { false } }
}

extension JSONDecoder.DateDecodingStrategy {
    fileprivate var isISO: Bool { if case .iso8601 = self { true } else { false } }
}

extension JSONEncoder.KeyEncodingStrategy {
    fileprivate var isSnake: Bool { if case .convertToSnakeCase = self { true } else { false } }
}

extension JSONDecoder.KeyDecodingStrategy {
    fileprivate var isSnake: Bool { if case .convertFromSnakeCase = self { true } else { false } }
}
