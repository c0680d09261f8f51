import NetTesting
import Testing

@testable import NetCache

@Suite("Validation") struct ValidationTests {
    private let lab = CacheLab()
    private var origin: ScriptedOrigin { lab.origin }

    private func store(_ headers: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"1\""]) async throws {
        try await lab.store(headers)
        await lab.clock.advance(by: 11)
    }

    @Test func a304RefreshesTheStoredResponse() async throws {
        let modified = lab.date(-99)
        try await store(["Cache-Control": "max-age=10", "ETag": "\"1\"", "Last-Modified": modified, "Age": "3"])
        origin.give(304, ["ETag": "\"1\"", "Cache-Control": "max-age=20", "X": "new", "Content-Length": "0"])
        let reply = try await lab.send()
        #expect(origin.header("If-None-Match") == "\"1\"" && origin.header("If-Modified-Since") == modified)
        #expect((reply.status, reply.text, reply.headers["X"]) == (200, "1", "new"))
        #expect(reply.headers["Content-Length"] == nil)
        #expect(reply.cacheStatus == "Networking; fwd=stale; fwd-status=304; ttl=20; stored")
        await lab.clock.advance(by: 19)
        let hit = try await lab.send()
        #expect((hit.cacheStatus, hit.headers["Age"], hit.headers["X"]) == ("Networking; hit; ttl=1", "19", "new"))
        #expect(origin.count == 2)
    }

    @Test func a200ReplacesTheStoredResponse() async throws {
        try await store()
        origin.give(200, ["Cache-Control": "max-age=10", "ETag": "\"2\""])
        #expect(try await (lab.send().text, lab.send().text) == ("2", "2"))
        await lab.clock.advance(by: 11)
        try await lab.send()
        #expect(origin.header("If-None-Match") == "\"2\"")
    }

    @Test(arguments: [[:], ["ETag": "W/\"1\""], ["Last-Modified": "L"]] as [[String: String]])
    func a304WithAWeakETagOrNoneMatches(headers: [String: String]) async throws {
        try await store(["Cache-Control": "max-age=10", "ETag": "\"1\"", "Last-Modified": "L"])
        origin.give(304, HTTPHeaders(headers))
        #expect(try await (lab.send().text, origin.count) == ("1", 2))
    }

    @Test(arguments: [["ETag": "\"2\""], ["Last-Modified": "M"]] as [[String: String]])
    func a304WithAnotherValidatorRepeatsTheRequest(headers: [String: String]) async throws {
        try await store(["Cache-Control": "max-age=10", "ETag": "\"1\"", "Last-Modified": "L"])
        origin.give(.init(status: 304, headers: HTTPHeaders(headers)), .init(status: 200, headers: ["ETag": "\"2\""]))
        let reply = try await lab.send()
        #expect((reply.status, reply.text) == (200, "3"))
        #expect((origin.header("If-None-Match"), origin.header("If-Modified-Since")) == (nil, nil))
    }

    @Test func lastModifiedIsAValidator() async throws {
        try await store(["Cache-Control": "max-age=10", "Last-Modified": "L"])
        origin.give(304, [:])
        #expect(try await lab.send().text == "1")
        #expect((origin.header("If-Modified-Since"), origin.header("If-None-Match")) == ("L", nil))
    }

    @Test func missingBodyIsFetchedAgain() async throws {
        let store = LossyStore()
        let lab = CacheLab(store: store)
        try await lab.store(["Cache-Control": "max-age=10", "ETag": "\"1\""])
        store.losesBodies.withLock { $0 = true }
        #expect(try await lab.send().text == "2")
        await lab.clock.advance(by: 11)
        lab.origin.give(.init(status: 304, headers: [:]), .init(status: 200, headers: [:]))
        #expect(try await (lab.send().text, lab.origin.header("If-None-Match")) == ("4", nil))
    }

    @Test func freshResponseAnswersConditionalRequests() async throws {
        origin.give(
            200, ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": lab.date(-100), "Content-Type": "x"])
        try await lab.send()
        for headers in [
            ["If-None-Match": "\"0\", W/\"1\""], ["If-None-Match": "*"], ["If-Modified-Since": lab.date(-100)],
            ["If-Modified-Since": lab.date(-50)], ["if-none-match": "\"1\"", "If-Modified-Since": "?"],
        ] {
            let reply = try await lab.send("/a", headers)
            #expect(reply.status == 304 && reply.text.isEmpty && reply.headers["ETag"] == "\"1\"", "\(headers)")
            #expect((reply.headers["Content-Type"], reply.cacheStatus) == (nil, "Networking; hit; ttl=60"))
        }
        for headers in [
            ["If-None-Match": "\"0\""], ["If-Modified-Since": lab.date(-101)], ["If-Modified-Since": "?"],
            ["If-None-Match": "\"0\"", "If-Modified-Since": lab.date(-50)],
        ] {
            let reply = try await lab.send("/a", headers)
            #expect((reply.status, reply.text) == (200, "1"), "\(headers)")
        }
        #expect(origin.count == 1)
    }

    @Test func conditionsOnAStored404AreIgnored() async throws {
        origin.give(404, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        try await lab.send()
        #expect(try await lab.send("/a", ["If-None-Match": "\"1\""]).status == 404)
    }

    @Test func callersAndStoredETagsAreSent() async throws {
        try await store()
        origin.give(304, ["ETag": "\"1\"", "Cache-Control": "max-age=10"])
        let reply = try await lab.send("/a", ["If-None-Match": "\"0\""])
        #expect(origin.header("If-None-Match") == "\"0\", \"1\"")
        #expect(reply.status == 200, "what the caller has is out of date, what is stored is not")
        #expect(reply.text == "1")
        await lab.clock.advance(by: 11)
        origin.give(304, ["ETag": "\"0\""])
        let own = try await lab.send("/a", ["If-None-Match": "\"0\""])
        #expect(own.status == 304, "the server went back to what the caller has")
        #expect(own.headers["ETag"] == "\"0\"")
    }

    @Test func ambiguous304RepeatsTheRequest() async throws {
        try await store()
        origin.give(.init(status: 304), .init(status: 304, headers: ["X": "2"]))
        let reply = try await lab.send("/a", ["If-None-Match": "\"0\""])
        #expect(origin.header("If-None-Match") == "\"0\"" && (reply.status, reply.headers["X"]) == (304, "2"))
    }

    @Test func sameETagIsSentOnce() async throws {
        try await store()
        origin.give(304, ["ETag": "\"1\"", "Cache-Control": "max-age=10"])
        #expect(try await lab.send("/a", ["If-None-Match": "\"1\""]).status == 304)
        #expect(origin.header("If-None-Match") == "\"1\"")
        #expect(try await lab.send().cacheStatus?.contains("hit") == true, "it refreshed what is stored as well")
    }

    @Test func ifModifiedSinceIsAnsweredByTheRefreshedResponse() async throws {
        try await store(["Cache-Control": "max-age=10", "ETag": "\"1\"", "Last-Modified": lab.date(-100)])
        origin.give(304, ["ETag": "\"1\""])
        let date = lab.date(-200)
        let reply = try await lab.send("/a", ["If-Modified-Since": date])
        #expect(origin.header("If-Modified-Since") == date)
        #expect(reply.status == 200, "it was modified since the caller's date")
        #expect(reply.text == "1")
    }

    @Test func a304WithoutAStoredResponseIsDelivered() async throws {
        origin.give(304, ["ETag": "\"9\""])
        let reply = try await lab.send("/a", ["If-None-Match": "\"9\""])
        #expect((reply.status, reply.cacheStatus) == (304, "Networking; fwd=uri-miss; detail=status"))
    }

    /// A server answers 412 if the method is not GET or HEAD (RFC 9110, section 13.1.2).
    @Test func preconditionThatFailsForAPOSTIsLeftOut() async throws {
        var rules = CacheRules()
        rules.methodsKeyedByBody = ["POST"]
        let lab = CacheLab(rules: rules)
        let query = HTTPBody(Data(#"{"query":"{ a }"}"#.utf8))
        let fields = ["Content-Type": "application/json"]
        lab.origin.give(200, ["Cache-Control": "max-age=60", "ETag": "\"1\""], "old")
        try await lab.send(method: "POST", fields, body: query)
        await lab.clock.advance(by: 61)
        lab.origin.give(
            ScriptedOrigin.Answer(status: 412),
            ScriptedOrigin.Answer(headers: ["Cache-Control": "max-age=60"], text: "new"))
        #expect(try await lab.send(method: "POST", fields, body: query).text == "new")
        #expect(lab.origin.requests.map { $0.value(forHTTPHeaderField: "If-None-Match") } == [nil, "\"1\"", nil])
        #expect(try await (lab.send(method: "POST", fields, body: query).text, lab.origin.count) == ("new", 3))
    }
}
