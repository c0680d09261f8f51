import NetTesting
import Testing

@testable import NetCache

@Suite("Variants and users") struct VariantTests {
    private let store = NetworkCache()
    private let lab: CacheLab
    private var origin: ScriptedOrigin { lab.origin }
    init() { lab = CacheLab(store: store) }

    @Test func variantsAreStoredSeparately() async throws {
        origin.give(200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language, Referer"])
        #expect(try await lab.send("/a", ["Accept-Language": "de"]).text == "1")
        let other = try await lab.send("/a", ["Accept-Language": "en"])
        #expect(other.text == "2")
        #expect(other.cacheStatus == "Networking; fwd=vary-miss; ttl=60; stored; detail=accept-language")
        #expect(try await lab.send("/a", ["Accept-Language": "de", "Referer": "1"]).text == "3")
        #expect(try await (lab.send().text, lab.send("/a", ["accept-language": "de"]).text) == ("4", "1"))
        #expect(try await lab.send("/a", ["Accept-Language": "en"]).text == "2")
        #expect(try await lab.send("/a", ["Referer": "1", "Accept-Language": "de"]).text == "3")
        #expect(try await (lab.send("/a", ["From": "x"]).text, store.entryCount) == ("4", 4))
    }

    @Test(arguments: [
        ("Accept-Language", "de, en;q=0.5", "DE,  en;q=0.5", true), ("Accept-Language", "en, de", "de, en", true),
        ("Accept-Language", "de;q=1, en;q=0.5", "en;q=1, de;q=0.5", false), ("Accept-Language", "de", "de, en", false),
        ("Accept-Charset", "utf-8, x", "X, UTF-8", true), ("Referer", "1,2", " 1 , 2 ", true),
        ("Referer", "1,2", "2,1", false), ("Referer", "a", "A", false), ("Referer", "\"1, 2\"", "\"1,2\"", false),
        ("Referer", "", "", true),
    ])
    func equivalentValuesSelectOneVariant(field: String, first: String, second: String, isSame: Bool) async throws {
        try await lab.store(["Cache-Control": "max-age=60", "Vary": field], to: [field: first])
        #expect(try await lab.send("/a", [field: second]).text == (isSame ? "1" : "2"))
    }

    @Test func newestMatchingVariantIsServed() async throws {
        try await lab.store(["Cache-Control": "max-age=60", "Vary": "Referer"], to: ["Referer": "1", "From": "1"])
        try await lab.store(["Cache-Control": "max-age=60", "Vary": "From"], to: ["Referer": "2", "From": "1"])
        #expect(try await lab.send("/a", ["Referer": "1", "From": "1"]).text == "2")
    }

    @Test func variantsAreRevalidatedSeparately() async throws {
        for (language, tag) in [("de", "\"d\""), ("en", "\"e\"")] {
            let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "Vary": "Accept-Language", "ETag": tag]
            try await lab.store(headers, to: ["Accept-Language": language])
        }
        await lab.clock.advance(by: 11)
        origin.give(304, ["Cache-Control": "max-age=10", "Vary": "Accept-Language"])
        #expect(try await lab.send("/a", ["Accept-Language": "de"]).text == "1")
        #expect(origin.header("If-None-Match") == "\"d\"")
        #expect(try await lab.send("/a", ["Accept-Language": "en"]).text == "2")
        #expect(origin.header("If-None-Match") == "\"e\"")
        #expect(try await (lab.send("/a", ["Accept-Language": "de"]).text, origin.count) == ("1", 4))
    }

    /// The server decides how many values of a field there are.
    @Test func variantsOfAKeyAreLimited() async throws {
        for number in 0..<100 {
            try await lab.store(["Cache-Control": "max-age=60", "Vary": "X"], "\(number)", to: ["X": "\(number)"])
        }
        #expect(try await (lab.send("/a", ["X": "99"]).text, lab.send("/a", ["X": "36"]).text) == ("99", "36"))
        #expect(try await lab.send("/a", ["X": "35"], loading: .returnCacheDataDontLoad).status == 504)
    }

    @Test func varyByAFieldOfAnInnerInterceptorIsNotStored() async throws {
        origin.give(200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"])
        let refused = try await send(adding: "Accept-Language")
        #expect(refused.headers["Cache-Status"] == "Networking; fwd=uri-miss; detail=vary-unseen")
        origin.give(200, ["Cache-Control": "max-age=60"])
        #expect(try await send(adding: "Accept-Language").headers["Cache-Status"]?.hasSuffix("storing") == true)
    }

    @Test(arguments: ["Authorization", "Cookie", "X-API-Key"])
    func credentialsOfAnInnerInterceptorAreNotStored(name: String) async throws {
        origin.give(200, ["Cache-Control": "max-age=60"])
        let refused = try await send(adding: name)
        #expect(refused.headers["Cache-Status"] == "Networking; fwd=uri-miss; detail=hidden-credentials")
        #expect(store.entryCount == 0)
        #expect(try await send(adding: name, partition: "me").headers["Cache-Status"]?.hasSuffix("storing") == true)
        #expect(try await send(adding: name, partition: "me").headers["Cache-Status"]?.contains("hit") == true)
    }

    @Test func responseToHiddenCredentialsLeavesTheStoredOne() async throws {
        try await lab.store(["Cache-Control": "max-age=10", "ETag": "\"1\""])
        await lab.clock.advance(by: 11)
        origin.give(304, ["X-User": "secret", "Cache-Control": "max-age=60"])
        #expect(try await send(adding: "Cookie").headers["X-User"] == "secret")
        #expect(try await lab.exchange(304).headers["X-User"] == nil)
        origin.give(200, ["Cache-Control": "no-store"])
        await lab.clock.advance(by: 60)
        _ = try await send(adding: "Cookie")
        #expect(try await lab.exchange(304).text == "1")
    }

    @Test func acceptEncodingSelectsAVariant() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"])
        #expect(try await (lab.send().text, lab.send("/a", ["Accept-Encoding": "gzip"]).text) == ("1", "2"))
        #expect(try await lab.send().text == "1")
    }

    @Test func sharedCacheServesPublicResponsesToAll() async throws {
        let lab = CacheLab(rules: .shared)
        let refused = try await lab.store(to: ["Authorization": "A"])
        #expect(refused.cacheStatus == "Networking; fwd=uri-miss; detail=authorization")
        let mine = try await lab.store(["Cache-Control": "private, max-age=60"])
        #expect(mine.cacheStatus == "Networking; fwd=uri-miss; detail=private")
        let open: HTTPHeaders = ["Cache-Control": "max-age=0, s-maxage=60"]
        #expect(try await lab.store(open, to: ["Authorization": "A"]).text == "3")
        #expect(try await (lab.send("/a", ["Authorization": "B"]).text, lab.send().text) == ("3", "3"))
        #expect(try await lab.send(partition: "me").text == "4", "a partition is kept")
    }

    @Test func sharedCacheRefusesHiddenCredentials() async throws {
        let cache = ResponseCache(store: store, rules: .shared)
        origin.give(200, ["Cache-Control": "max-age=60"])
        let response = try await send(adding: "Authorization", cache: cache)
        #expect(response.headers["Cache-Status"]?.contains("authorization") == true)
    }

    private func send(
        adding name: String, partition: String? = nil, cache: ResponseCache? = nil
    ) async throws -> TransportResponse {
        var context = RequestContext(clock: lab.clock)
        context.partition = partition
        let next = lab.next(context, interceptors: [AddingInterceptor(name: name, value: "secret")])
        var response = try await (cache ?? lab.cache).intercept(CacheLab.request("/a"), next: next)
        response.body = HTTPBody(try await response.body.collect(upTo: 100))
        return response
    }
}

private struct AddingInterceptor: HTTPInterceptor {
    let name, value: String

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        request.setValue(value, forHTTPHeaderField: name)
        return try await next(request)
    }
}
