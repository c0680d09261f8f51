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

    @Test(arguments: [
        ([:] as [String: String], true), (["ETag": "W/\"1\""], true), (["Last-Modified": "L"], true),
        (["ETag": "\"2\""], false), (["Last-Modified": "M"], false),
    ]) func a304WithAnotherValidatorRepeatsTheRequest(headers: [String: String], isSame: Bool) async throws {
        try await store(["Cache-Control": "max-age=10", "ETag": "\"1\"", "Last-Modified": "L"])
        origin.give(.init(status: 304, headers: HTTPHeaders(headers)), .init(status: 200, headers: ["ETag": "\"2\""]))
        let reply = try await lab.send()
        #expect((reply.status, reply.text, origin.count) == (200, isSame ? "1" : "3", isSame ? 2 : 3))
        if !isSame { #expect((origin.header("If-None-Match"), origin.header("If-Modified-Since")) == (nil, nil)) }
    }

    @Test func lastModifiedIsAValidator() async throws {
        try await store(["Cache-Control": "max-age=10", "Last-Modified": "L"])
        #expect(try await lab.exchange(304).text == "1")
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
        try await lab.exchange(404, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        #expect(try await lab.send("/a", ["If-None-Match": "\"1\""]).status == 404)
    }

    @Test(arguments: [
        ("\"0\"", "\"1\"", "\"0\", \"1\"", 200), ("\"0\"", "\"0\"", "\"0\", \"1\"", 304),
        ("\"1\"", "\"1\"", "\"1\"", 304),
    ]) func callersAndStoredETagsAreSentOnce(callers: String, answer: String, sent: String, status: Int) async throws {
        try await store()
        let headers: HTTPHeaders = ["ETag": answer, "Cache-Control": "max-age=10"]
        let reply = try await lab.exchange(304, headers, to: ["If-None-Match": callers])
        #expect(origin.header("If-None-Match") == sent)
        #expect(reply.status == status, "200 if what the caller has is out of date, and what is stored is not")
        #expect((reply.text, reply.headers["ETag"]) == (status == 200 ? "1" : "", answer))
        guard answer == "\"1\"" else { return }
        #expect(try await lab.send().cacheStatus?.contains("hit") == true, "it refreshed what is stored as well")
    }

    @Test func ambiguous304RepeatsTheRequest() async throws {
        try await store()
        origin.give(.init(status: 304), .init(status: 304, headers: ["X": "2"]))
        let reply = try await lab.send("/a", ["If-None-Match": "\"0\""])
        #expect(origin.header("If-None-Match") == "\"0\"" && (reply.status, reply.headers["X"]) == (304, "2"))
    }

    @Test func ifModifiedSinceIsAnsweredByTheRefreshedResponse() async throws {
        try await store(["Cache-Control": "max-age=10", "ETag": "\"1\"", "Last-Modified": lab.date(-100)])
        let date = lab.date(-200)
        let reply = try await lab.exchange(304, ["ETag": "\"1\""], to: ["If-Modified-Since": date])
        #expect(origin.header("If-Modified-Since") == date)
        #expect(reply.status == 200, "it was modified since the caller's date")
        #expect(reply.text == "1")
    }

    @Test func a304WithoutAStoredResponseIsDelivered() async throws {
        let reply = try await lab.exchange(304, ["ETag": "\"9\""], to: ["If-None-Match": "\"9\""])
        #expect((reply.status, reply.cacheStatus) == (304, "Networking; fwd=uri-miss; detail=status"))
    }

    /// A server answers 412 if the method is not GET or HEAD (RFC 9110, section 13.1.2).
    @Test func preconditionThatFailsForAPOSTIsLeftOut() async throws {
        let lab = CacheLab(rules: CacheRules { $0.methodsKeyedByBody = ["POST"] })
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
