import NetCache
import Testing

@Suite("CachePolicyInterceptor") struct CachePolicyInterceptorTests {
    private static let readAndWrite = CachePolicy(useCache: true, storeCache: true)
    private let clock = HandClock()
    private let cache: NetworkCache
    private let origin = ScriptedOrigin()
    init() { cache = NetworkCache(clock: clock) }

    @Test func secondRequestIsAnsweredFromTheCache() async throws {
        origin.give(200, ["X-Name": "value"])
        let first = try await get()
        #expect((first.text, first.response.headers["X-Name"]) == ("1", "value"))
        #expect(first.response.headers["Cache-Status"] == "Networking; fwd=uri-miss; stored")
        #expect(first.response.body.isReplayable)
        let second = try await get()
        #expect((second.text, second.response.status) == ("1", 200))
        #expect(second.response.url?.absoluteString == "https://example.com/users")
        #expect(second.response.headers["Cache-Status"] == "Networking; hit")
        #expect((second.response.headers["Content-Length"], origin.count) == ("1", 1))
    }

    @Test func requestWithoutAPolicyReadsAndStoresNothing() async throws {
        _ = try await get()
        #expect(try await get(policy: nil).text == "2")
        cache.clear()
        _ = try await get(policy: nil)
        #expect(cache.entryCount == 0)
    }

    @Test(arguments: ["HEAD", "POST", "PUT", "DELETE", "PROPFIND"]) func onlyGETIsCached(method: String) async throws {
        _ = try await get()
        #expect(try await (get(method: method).text, origin.count) == (method == "HEAD" ? "" : "2", 2))
        cache.clear()
        _ = try await get(method: method)
        #expect(cache.entryCount == 0)
    }

    @Test(arguments: ["Range", "if-none-match", "If-Modified-Since", "Accept-Encoding"])
    func rangeAndConditionalRequestsBypassTheCache(header: String) async throws {
        _ = try await get()
        #expect(try await (get(headers: [header: "x"]).text, cache.entryCount) == ("2", 1))
    }

    @Test func methodsKeyedByBodyAreCachedByBody() async throws {
        func post(_ body: String) async throws -> String {
            try await get(method: "POST", body: HTTPBody(body), keyed: [.post]).text
        }
        #expect(try await (post("{a}"), post("{b}"), post("{a}")) == ("1", "2", "1"))
        #expect(try await get(method: "PUT", keyed: [.post]).text == "3")
        #expect(try await post("{a}") == "4", "a successful PUT removes what is stored for its URL")
    }

    @Test(arguments: [201, 203, 204, 206, 301, 304, 404, 500]) func onlyStatus200IsStored(status: Int) async throws {
        origin.give(status)
        _ = try await get()
        #expect(cache.entryCount == 0)
    }

    @Test(arguments: [
        ("Cache-Control", "no-store", 0), ("Cache-Control", "No-Store", 0),
        ("Cache-Control", "max-age=60, no-store", 0), ("Cache-Control", "private,no-store,max-age=1", 0),
        ("Cache-Control", "no-store=\"x\"", 0), ("Cache-Control", " no-store ", 0), ("Cache-Control", "max-age=0", 1),
        ("Cache-Control", "no-cache", 1), ("Cache-Control", "private", 1), ("Cache-Control", "x-no-store", 1),
        ("Cache-Control", "no-storey", 1), ("Cache-Control", "", 1), ("Vary", "*", 0), ("Vary", "Accept, *", 0),
        ("Content-Type", "text/plain; charset=iso-8859-1", 0), ("Content-Type", "text/html;charset=\"UTF-16\"", 0),
        ("Content-Type", "text/plain; charset=utf-8", 1), ("Content-Type", "text/plain; charset=\"UTF-8\"; x=y", 1),
        ("Content-Type", "application/json", 1), ("Content-Type", "image/png", 1),
    ]) func noStoreVaryAnyAndOtherCharsetsForbidStoring(field: String, value: String, stored: Int) async throws {
        origin.give(200, [field: value])
        _ = try await get()
        #expect(cache.entryCount == stored)
    }

    @Test func noStoreAndNoCacheInTheRequestAreObeyed() async throws {
        _ = try await get(headers: ["Cache-Control": "no-store"])
        #expect(cache.entryCount == 0)
        _ = try await get()
        #expect(try await get(headers: ["Cache-Control": "no-cache"]).text == "3")
        #expect(try await get().text == "3", "what came is stored")
    }

    @Test func streamedResponseIsServedButNotStored() async throws {
        let streamed = try await get(delivery: .streamed)
        #expect((streamed.text, cache.entryCount) == ("1", 0))
        _ = try await get()
        #expect(try await get(delivery: .streamed).text == "2")
    }

    @Test func bodyOverTheLimitIsNotStored() async throws {
        origin.give(200, [:], "answer")
        let error = NetworkError.responseTooLarge(limit: 3)
        await #expect(throws: error) { try await get(delivery: .collected(limit: 3), reading: 3) }
        #expect(cache.entryCount == 0)
    }

    @Test func ownersHaveSeparateEntries() async throws {
        #expect(try await (get(partition: "alice").text, get(partition: "bob").text) == ("1", "2"))
        #expect(try await (get().text, get(headers: ["Authorization": "Bearer A"]).text) == ("3", "4"))
        #expect(try await get(headers: ["Authorization": "Bearer B"]).text == "5")
        #expect(try await (get(headers: ["Cookie": "id=A"]).text, get(partition: "alice").text) == ("6", "1"))
        #expect(try await (get(headers: ["authorization": "Bearer A"]).text, origin.count) == ("4", 6))
    }

    @Test func variantsHaveSeparateEntries() async throws {
        origin.give(200, ["Vary": "Accept-Language, Accept-Encoding"])
        for _ in 0..<2 {
            #expect(try await get(headers: ["Accept-Language": "de"]).text == "1")
            #expect(try await (get(headers: ["Accept-Language": "en"]).text, get().text) == ("2", "3"))
        }
    }

    @Test func varyThatAppearsLaterSelectsVariants() async throws {
        _ = try await get(headers: ["Accept": "text/csv"])
        origin.give(200, ["Vary": "Accept"])
        _ = try await get(policy: CachePolicy(useCache: false, storeCache: true), headers: ["Accept": "text/csv"])
        #expect(try await get(headers: ["Accept": "application/json"]).text == "3")
        #expect(try await get(headers: ["Accept": "text/csv"]).text == "2")
    }

    @Test func unsafeMethodInvalidatesAllOwners() async throws {
        #expect(try await (get().text, get(partition: "alice").text) == ("1", "2"))
        origin.give(200, ["Vary": "Accept"])
        #expect(try await get(headers: ["Accept": "a/b"], partition: "bob").text == "3")
        _ = try await get(method: "DELETE")
        #expect(try await (get().text, get(partition: "alice").text) == ("5", "6"))
        #expect(try await get(headers: ["Accept": "a/b"], partition: "bob").text == "7")
    }

    @Test func varyByAuthorizationIsStored() async throws {
        origin.give(200, ["Vary": "Authorization"])
        _ = try await get(headers: ["Authorization": "Bearer A"])
        _ = try await get(partition: "alice")
        #expect(cache.entryCount == 3, "two responses, and the list of their keys")
        #expect(try await get(partition: "alice").text == "2")
    }

    private func get(
        policy: CachePolicy? = readAndWrite, method: String = "GET", headers: [String: String] = [:],
        body: HTTPBody? = nil, partition: String? = nil, delivery: RequestContext.Delivery = .collected(limit: 1000),
        keyed: Set<HTTPMethod> = [], reading limit: Int = 1000
    ) async throws -> (text: String, response: TransportResponse) {
        var request = URLRequest(url: try #require(URL(string: "https://example.com/users")))
        (request.httpMethod, request.allHTTPHeaderFields) = (method, headers)
        var context = RequestContext(clock: clock)
        (context.cachePolicy, context.partition, context.delivery) = (policy, partition, delivery)
        let next = Next(body: body, context: context) { [origin] in try await origin.answer($0, context: $2) }
        let response = try await CachePolicyInterceptor(cache: cache, methodsKeyedByBody: keyed).intercept(
            request, next: next)
        return (String(decoding: try await response.body.collect(upTo: limit), as: UTF8.self), response)
    }
}
