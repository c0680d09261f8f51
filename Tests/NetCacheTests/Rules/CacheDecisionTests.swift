import Testing

@testable import NetCache

@Suite("CacheDecision") struct CacheDecisionTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func decide(
        _ response: HTTPHeaders?, to request: [String: String] = [:], age: TimeInterval = 0, status: Int = 200,
        loading: URLRequest.CachePolicy = .useProtocolCachePolicy, rules: CacheRules = CacheRules(),
        method: String = "GET"
    ) throws -> String {
        let wants = try #require(
            CacheRequest(
                CacheLab.request("/a", method: method, request, loading: loading), partition: nil, body: nil,
                rules: rules))
        let entries = response.map { headers in
            var headers = headers
            headers["Date"] = HTTPDate.string(from: Self.now - age)
            return [
                HTTPCacheEntry(
                    id: "1", status: status, headers: headers, responseURL: nil, requestHeaders: [:],
                    requestTime: Self.now - age, responseTime: Self.now - age)
            ]
        }
        switch wants.decision(for: entries ?? [], rules: rules, now: Self.now) {
        case .reuse(_, let reuse): return "\(reuse)"
        case .revalidate(_, let reason): return "revalidate \(reason.rawValue)"
        case .complete: return "complete"
        case .forward(let reason, let stale): return "forward \(reason.rawValue)" + (stale == nil ? "" : " with stale")
        case .gatewayTimeout: return "gateway timeout"
        }
    }

    @Test(arguments: [
        ("max-age=5", 5.0, "fresh"), ("max-age=5", 6, "revalidate request"), ("max-age=0", 1, "revalidate request"),
        ("min-fresh=5", 5, "fresh"), ("min-fresh=6", 5, "revalidate request"),
        ("no-cache", 0, "revalidate request"), ("no-store", 0, "forward request"), ("only-if-cached", 0, "fresh"),
        ("only-if-cached", 11, "gateway timeout"), ("only-if-cached, no-cache", 0, "gateway timeout"),
        ("max-stale", 99, "stale"), ("max-stale=5", 15, "stale"), ("max-stale=5", 16, "revalidate stale"),
        ("max-stale=x", 11, "revalidate stale"), ("max-stale, max-age=12", 12, "stale"),
        ("max-stale, max-age=12", 13, "revalidate stale"), ("max-stale, min-fresh=1", 11, "revalidate stale"),
        ("max-stale, only-if-cached", 99, "stale"), ("no-cache, max-stale", 0, "revalidate request"),
        ("no-store, only-if-cached", 0, "gateway timeout"),
    ]) func requestDirectivesDecide(directives: String, age: Double, decision: String) throws {
        let response: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "1"]
        #expect(try decide(response, to: ["Cache-Control": directives], age: age) == decision)
    }

    @Test(arguments: ["must-revalidate", "no-cache"])
    func mustRevalidateAndNoCacheForbidStaleResponses(directive: String) throws {
        let response: HTTPHeaders = [
            "Cache-Control": "max-age=10, stale-while-revalidate=99, \(directive)", "ETag": "1",
        ]
        #expect(try decide(response, to: ["Cache-Control": "max-stale"], age: 11) == "revalidate stale")
        #expect(try decide(response, age: 11) == "revalidate stale")
        #expect(try decide(response, age: 11, loading: .returnCacheDataDontLoad) == "gateway timeout")
    }

    @Test(arguments: ["proxy-revalidate", "s-maxage=10"])
    func sharedCacheDirectivesForbidStaleOnlyInSharedCaches(directive: String) throws {
        let response: HTTPHeaders = ["Cache-Control": "max-age=10, \(directive)", "ETag": "1"]
        #expect(try decide(response, to: ["Cache-Control": "max-stale"], age: 11) == "stale")
        #expect(try decide(response, to: ["Cache-Control": "max-stale"], age: 11, rules: .shared) == "revalidate stale")
    }

    @Test func staleWhileRevalidateEndsWithItsWindow() throws {
        let response: HTTPHeaders = ["Cache-Control": "max-age=10, stale-while-revalidate=5"]
        #expect(try (decide(response, age: 9), decide(response, age: 15)) == ("fresh", "whileRevalidating"))
        #expect(try decide(response, age: 16) == "forward stale with stale")
        #expect(try decide(response, to: ["Cache-Control": "max-age=99"], age: 12) == "forward stale with stale")
        #expect(try decide(response, to: ["Cache-Control": "min-fresh=1"], age: 12) == "forward stale with stale")
    }

    @Test func urlRequestCachePoliciesDecide() throws {
        let response: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "1"]
        for reload in [URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData] {
            #expect(try decide(response, loading: reload) == "forward request")
        }
        #expect(try decide(response, loading: .reloadRevalidatingCacheData) == "revalidate request")
        #expect(try decide(response, age: 1e9, loading: .returnCacheDataElseLoad) == "stale")
        #expect(try decide(nil, loading: .returnCacheDataElseLoad) == "forward uri-miss")
        #expect(try decide(nil, loading: .returnCacheDataDontLoad) == "gateway timeout")
        #expect(try decide(response, age: 99, loading: .returnCacheDataDontLoad) == "stale")
        let immutable: HTTPHeaders = ["Cache-Control": "max-age=10, immutable", "ETag": "1"]
        #expect(try decide(immutable, age: 5, loading: .reloadRevalidatingCacheData) == "fresh")
        #expect(try decide(immutable, age: 11, loading: .reloadRevalidatingCacheData) == "revalidate stale")
        #expect(try decide(immutable, to: ["Cache-Control": "no-cache"], age: 5) == "revalidate request")
    }

    @Test(arguments: ["If-Match", "If-Unmodified-Since"]) func ifMatchBypassesTheCache(name: String) throws {
        #expect(try decide(["Cache-Control": "max-age=10"], to: [name: "x"]) == "forward bypass")
    }

    @Test func storedPartServesRangesWithinIt() throws {
        let part: HTTPHeaders = [
            "Cache-Control": "max-age=10", "Content-Range": "bytes 10-19/100", "Content-Length": "10", "ETag": "\"1\"",
        ]
        func decide(_ range: String?, _ headers: HTTPHeaders = part, _ more: [String: String] = [:]) throws -> String {
            var request = more
            request["Range"] = range
            return try self.decide(headers, to: request, status: 206)
        }
        #expect(try (decide("bytes=10-19"), decide("bytes=12-15")) == ("fresh", "fresh"))
        #expect(try (decide("bytes=9-15"), decide("bytes=15-20")) == ("forward partial", "forward partial"))
        #expect(try (decide("bytes=15-"), decide("bytes=-90")) == ("forward partial", "forward partial"))
        #expect(try (decide(nil), decide("bytes=12-15", part, ["If-Range": "\"1\""])) == ("forward partial", "fresh"))
        #expect(try decide("bytes=12-15", part, ["If-Range": "\"2\""]) == "forward partial")
        for (field, value) in [("Content-Length", "9"), ("Content-Encoding", "gzip")] {
            var unclear = part
            unclear[field] = value
            #expect(try decide("bytes=12-15", unclear) == "forward partial", "which bytes it holds is anybody's guess")
        }
    }

    @Test func storedPrefixIsCompleted() throws {
        var start: HTTPHeaders = ["Cache-Control": "max-age=10", "Content-Range": "bytes 0-9/100", "ETag": "\"1\""]
        #expect(try decide(start, status: 206) == "complete")
        #expect(try decide(start, to: ["Cache-Control": "only-if-cached"], status: 206) == "gateway timeout")
        #expect(try decide(start, to: ["If-None-Match": "\"1\""], status: 206) == "forward partial")
        #expect(try decide(start, status: 206, method: "HEAD") == "forward partial")
        start["ETag"] = "W/\"1\""
        #expect(try decide(start, status: 206) == "forward partial")
        start["ETag"] = nil
        #expect(try decide(start, status: 206) == "forward partial")
    }

    @Test func multipleRangesAreForwarded() throws {
        #expect(try decide(["Cache-Control": "max-age=10"], to: ["Range": "bytes=0-1,3-4"]) == "forward partial")
        #expect(
            try decide(["Cache-Control": "max-age=10"], to: ["Range": "bytes=4-3"]) == "fresh", "malformed: no Range")
        #expect(try decide(["Cache-Control": "max-age=10"], to: ["Range": "bytes=0-1,3-4"], status: 404) == "fresh")
    }
}
