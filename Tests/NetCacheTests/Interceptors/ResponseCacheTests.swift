import NetTesting
import Testing

@testable import NetCache

@Suite("ResponseCache") struct ResponseCacheTests {
    private let lab = CacheLab()
    private var origin: ScriptedOrigin { lab.origin }

    @Test func freshResponseIsServed() async throws {
        let first = try await lab.store(["Cache-Control": "max-age=60", "X-Name": "value"])
        #expect((first.text, first.cacheStatus) == ("1", "Networking; fwd=uri-miss; ttl=60; stored"))
        #expect(first.headers["Age"] == nil)
        await lab.clock.advance(by: 59)
        let second = try await lab.send()
        #expect((second.text, second.status, second.headers["X-Name"]) == ("1", 200, "value"))
        #expect((second.headers["Age"], second.cacheStatus) == ("59", "Networking; hit; ttl=1"))
        await lab.clock.advance(by: 1)
        #expect(try await (lab.send().cacheStatus, origin.count) == ("Networking; fwd=stale; ttl=60; stored", 2))
    }

    @Test func cacheStatusIsAppended() async throws {
        origin.give(200, ["Cache-Control": "max-age=60", "Cache-Status": "CDN; hit"])
        #expect(try await lab.send().cacheStatus == "CDN; hit, Networking; fwd=uri-miss; ttl=60; stored")
        #expect(try await lab.send().cacheStatus == "CDN; hit, Networking; hit; ttl=60")
    }

    @Test(arguments: [("App", "App; "), ("no token", "Networking; ")])
    func cacheStatusUsesTheConfiguredName(name: String, prefix: String) async throws {
        let lab = CacheLab(rules: CacheRules { $0.name = name })
        #expect(try await lab.send().cacheStatus?.hasPrefix(prefix) == true)
    }

    @Test func headIsAnsweredByAStoredGETAndIsNotStored() async throws {
        try await lab.store(["Cache-Control": "max-age=60", "Content-Length": "1"])
        let head = try await lab.send(method: "HEAD")
        #expect((head.text, head.headers["Content-Length"], origin.count) == ("", "1", 1))
        try await lab.send("/b", method: "HEAD")
        #expect(try await lab.send("/b").text == "3")
    }

    @Test func headResponseRefreshesOrRemovesTheStoredGET() async throws {
        try await lab.store(["Cache-Control": "max-age=10", "ETag": "\"1\"", "Content-Length": "1"])
        await lab.clock.advance(by: 11)
        let new: HTTPHeaders = ["Cache-Control": "max-age=100", "ETag": "\"1\"", "Content-Length": "1", "X": "new"]
        try await lab.exchange(200, new, method: "HEAD")
        let refreshed = try await lab.send()
        #expect((refreshed.cacheStatus, refreshed.text) == ("Networking; hit; ttl=100", "1"))
        #expect(refreshed.headers["X"] == "new")
        await lab.clock.advance(by: 101)
        try await lab.exchange(200, ["ETag": "\"2\""], method: "HEAD")
        #expect(try await lab.send().cacheStatus?.contains("uri-miss") == true)
    }

    @Test(arguments: [("POST", 200), ("PUT", 204), ("DELETE", 301), ("PATCH", 201), ("PROPPATCH", 207)])
    func unsafeMethodsInvalidate(method: String, status: Int) async throws {
        let store = LossyStore()
        let lab = CacheLab(store: store)
        lab.origin.give(200, ["Cache-Control": "max-age=60"])
        try await lab.send(partition: "alice")
        try await lab.send("/a", ["Accept": "x"])
        let answer = try await lab.exchange(status, ["Cache-Control": "max-age=60"], method: method)
        #expect(answer.cacheStatus == "Networking; fwd=method")
        #expect(store.memory.entryCount == 0, "before the caller has the response")
        lab.origin.give(200, ["Cache-Control": "max-age=60"])
        #expect(try await lab.send(partition: "alice").text == "4", "whosever it is")
        #expect(try await lab.send().text == "5")
    }

    @Test func failedOrSafeMethodsDoNotInvalidate() async throws {
        try await lab.store()
        for (method, status) in [("POST", 500), ("PUT", 404), ("OPTIONS", 200), ("TRACE", 200)] {
            try await lab.exchange(status, method: method)
        }
        #expect(try await lab.send().text == "1")
    }

    @Test func locationsAreInvalidatedOnTheSameOriginOnly() async throws {
        for path in ["/a", "/b", "/c", "/d"] { try await lab.store(["Cache-Control": "max-age=60"], at: path) }
        for (location, content) in [
            ("b", "https://EXAMPLE.com:443/c"), ("https://other.example/d", "http://example.com/d"),
        ] {
            try await lab.exchange(201, ["Location": location, "Content-Location": content], at: "/x", method: "POST")
        }
        origin.give(200, ["Cache-Control": "max-age=60"])
        #expect(try await (lab.send("/a").text, lab.send("/d").text, lab.send("/b").text) == ("1", "4", "7"))
        #expect(try await lab.send("/c").text == "8")
    }

    @Test func responseDuringAPUTIsNotStored() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"])
        let old = try await lab.response()
        try await lab.send(method: "PUT")
        _ = try await old.body.collect(upTo: 100)
        #expect(try await lab.send().text == "3")
    }

    @Test func invalidateRemovesOneURLOrAll() async throws {
        try await lab.store()
        try await lab.send("/a", ["Authorization": "x"])
        try await lab.send("/b")
        await lab.cache.invalidate(for: CacheLab.request("/a"))
        #expect(try await (lab.send("/b").text, lab.send("/a", ["Authorization": "x"]).text) == ("3", "4"))
        #expect(try await lab.send().text == "5")
        let onItsWay = try await lab.response("/c")
        await lab.cache.invalidateAll()
        _ = try await onItsWay.body.collect(upTo: 100)
        #expect(try await (lab.send("/b").text, lab.send("/c").text) == ("7", "8"))
    }

    @Test func reloadSendsCacheControl() async throws {
        try await lab.store(["Cache-Control": "max-age=60", "ETag": "\"1\""])
        #expect(try await lab.send(loading: .reloadIgnoringLocalCacheData).text == "2")
        #expect((origin.header("Cache-Control"), origin.header("If-None-Match")) == ("no-cache", nil))
        #expect(try await lab.send().text == "2", "what came is stored")
        try await lab.send(loading: .reloadRevalidatingCacheData)
        #expect(origin.header("Cache-Control") == "max-age=0" && origin.header("If-None-Match") == "\"1\"")
        try await lab.send("/a", ["cache-control": "max-age=1"], loading: .reloadIgnoringLocalCacheData)
        #expect(origin.header("Cache-Control") == "max-age=1")
    }

    @Test func fieldsNamedByNoCacheAreNotServed() async throws {
        origin.give(200, ["Cache-Control": "max-age=60, no-cache=\"X-Secret\"", "X-Secret": "1", "ETag": "\"1\""])
        #expect(try await (lab.send().headers["X-Secret"], lab.send().headers["X-Secret"]) == ("1", nil))
        origin.give(304, ["ETag": "\"1\"", "X-Secret": "2"])
        #expect(try await lab.send("/a", ["Cache-Control": "no-cache"]).headers["X-Secret"] == "2")
    }

    @Test func newerUnstorableResponseRemovesTheOldOne() async throws {
        for status in [200, 404] {
            try await lab.store(at: "/\(status)")
            let headers: HTTPHeaders = ["Cache-Control": "no-store"]
            try await lab.exchange(status, headers, at: "/\(status)", loading: .reloadIgnoringLocalCacheData)
            #expect(try await lab.send("/\(status)", loading: .returnCacheDataDontLoad).status == 504, "\(status)")
        }
        for status in [500, 503, 429] {
            try await lab.store(at: "/\(status)")
            for directive in [nil, "private", "max-age=60"] {
                let headers: HTTPHeaders = directive.map { ["Cache-Control": $0] } ?? [:]
                try await lab.exchange(status, headers, at: "/\(status)", loading: .reloadIgnoringLocalCacheData)
                #expect(try await lab.send("/\(status)").status == 200, "\(status) \(headers)")
            }
        }
    }

    @Test func cachePolicyIsObeyed() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"])
        let readOnly = CachePolicy(useCache: true, storeCache: false)
        #expect(try await lab.send(policy: readOnly).cacheStatus == "Networking; fwd=uri-miss; detail=policy")
        #expect(try await (lab.send().text, lab.send(policy: readOnly).text) == ("2", "2"))
        #expect(try await lab.send(policy: .networkOnly).text == "3")
        #expect(try await lab.send(policy: CachePolicy(useCache: false, storeCache: true)).text == "4")
        #expect(try await lab.send().text == "4")
    }

    @Test func expireTimeOverridesOnlyFreshness() async throws {
        let hour = CachePolicy(useCache: true, storeCache: true, expireTime: lab.clock.now.addingTimeInterval(3600))
        try await lab.exchange(200, ["Cache-Control": "max-age=0"], policy: hour)
        try await lab.exchange(302, ["Location": "/"], at: "/status", policy: hour)
        await lab.clock.advance(by: 3599)
        #expect(try await (lab.send(policy: hour).text, lab.send().text, lab.send("/status").status) == ("1", "1", 302))
        await lab.clock.advance(by: 2)
        #expect(try await lab.send().cacheStatus?.contains("fwd=stale") == true)
        try await lab.exchange(200, ["Cache-Control": "no-store, max-age=60"], at: "/no-store", policy: hour)
        #expect(try await lab.send("/no-store").cacheStatus?.contains("uri-miss") == true)
        let later = CachePolicy(useCache: true, storeCache: true, expireTime: lab.clock.now.addingTimeInterval(3600))
        try await lab.exchange(200, ["Cache-Control": "no-cache", "ETag": "\"1\""], at: "/no-cache", policy: later)
        #expect(try await lab.send("/no-cache", policy: later).cacheStatus?.contains("fwd=stale") == true)
    }

    @Test func getWithABodyBypassesTheCache() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"])
        #expect(try await lab.send(body: HTTPBody("{}")).cacheStatus == "Networking; fwd=bypass")
        #expect(try await lab.send(body: HTTPBody(pulling: { nil })).cacheStatus == "Networking; fwd=bypass")
        #expect(try await lab.send(body: .empty).cacheStatus?.hasSuffix("stored") == true)
    }

    @Test func methodsKeyedByBodyAreCachedByBody() async throws {
        let lab = CacheLab(rules: CacheRules { $0.methodsKeyedByBody = [.post, "QUERY"] })
        lab.origin.give(200, ["Cache-Control": "max-age=60"])
        func send(_ method: String, _ body: String, _ type: String = "x") async throws -> String {
            try await lab.send(method: method, ["Content-Type": type], body: HTTPBody(body)).text
        }
        #expect(try await (send("POST", "{a}"), send("POST", "{b}"), send("POST", "{a}", "y")) == ("1", "2", "3"))
        #expect(try await (send("QUERY", "{a}"), send("POST", "{a}"), send("POST", "{b}")) == ("4", "1", "2"))
        #expect(try await send("QUERY", "{a}") == "4")
        #expect(try await lab.send().text == "5", "GET is another")
        #expect(try await lab.send(method: "POST").text == "6", "and so is no body")
        let streamed = try await lab.send(method: "POST", body: HTTPBody(pulling: { nil }))
        #expect(streamed.cacheStatus == "Networking; fwd=bypass")
        // A range has no meaning for another method, and conditions are the server's.
        let range = ["Content-Type": "x", "Range": "bytes=0-0"]
        let whole = try await lab.send(method: "QUERY", range, body: HTTPBody("{a}"))
        #expect(whole.status == 200 && whole.text == "4")
        for field in ["If-None-Match", "If-Modified-Since"] {
            let response = try await lab.send(
                method: "QUERY", ["Content-Type": "x", field: "*"], body: HTTPBody("{a}"))
            #expect(response.status == 200 && response.text != "4", "\(field)")
        }
    }
}
