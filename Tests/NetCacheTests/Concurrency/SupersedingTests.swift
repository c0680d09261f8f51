import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("A newer response that is not stored") struct SupersedingTests {
    private let store = LossyStore()
    private let lab: CacheLab
    init() { lab = CacheLab(store: store) }

    /// The head of the old response, `max-age=60`, is on its way while the new one comes.
    @Test func noStoreEndsTheStoringOfAnOlderResponse() async throws {
        let lab = CacheLab()
        lab.origin.give(200, ["Cache-Control": "max-age=60"], "old")
        let old = try await lab.response()
        lab.origin.give(200, ["Cache-Control": "no-store"], "new")
        #expect(try await lab.send(loading: .reloadIgnoringLocalCacheData).text == "new")
        #expect(try await old.body.collect(upTo: 10) == Data("old".utf8))
        #expect(try await lab.send(loading: .returnCacheDataDontLoad).status == 504)
    }

    /// A body in memory, whose length is known at once, or in pieces.
    @Test(arguments: [nil, 4], [true, false])
    func responseTooLargeForTheStoreRemovesTheOldOne(chunk: Int?, hasOld: Bool) async throws {
        let lab = CacheLab(store: NetworkCache(maxBytes: 8))
        if hasOld { try await lab.store(["Cache-Control": "max-age=60"], "old") }
        lab.origin.give(200, ["Cache-Control": "max-age=60"], "too long a text", chunk: chunk)
        let new = try await lab.send(loading: hasOld ? .reloadIgnoringLocalCacheData : .useProtocolCachePolicy)
        let status = "Networking; fwd=\(hasOld ? "request" : "uri-miss"); detail=store"
        #expect((new.text, new.cacheStatus) == ("too long a text", status))
        #expect(try await lab.send(loading: .returnCacheDataDontLoad).status == 504)
    }

    @Test func responseThatCannotBeWrittenRemovesTheOldOne() async throws {
        try await lab.store(["Cache-Control": "max-age=60"], "old")
        store.failsWriting.withLock { $0 = true }
        let new = try await lab.store(["Cache-Control": "max-age=60"], "new", loading: .reloadIgnoringLocalCacheData)
        #expect(new.cacheStatus?.hasSuffix("detail=store") == true)
        #expect(try await lab.send(loading: .returnCacheDataDontLoad).status == 504)
    }

    @Test func oldResponseThatCannotBeRemovedIsNotServed() async throws {
        try await lab.store(["Cache-Control": "max-age=60"], "old")
        store.failsRemoving.withLock { $0 = true }
        try await lab.store(["Cache-Control": "no-store"], "new", loading: .reloadIgnoringLocalCacheData)
        #expect(try await (store.memory.entryCount, lab.send(loading: .returnCacheDataDontLoad).status) == (1, 504))
        lab.origin.give(200, ["Cache-Control": "max-age=60"], "newest")
        #expect(try await (lab.send().text, lab.send().cacheStatus?.contains("hit")) == ("newest", true))
    }

    /// Three responses whose writers did not yet remove the others. A lookup meanwhile must not find an older one than before.
    @Test(arguments: ["no-store", "max-age=60", "no-store by 304"])
    func olderResponsesAreRemovedOldestFirst(_ last: String) async throws {
        store.delaysRemoving.withLock { $0 = true }
        for text in ["1", "2", "3"] {
            let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"\(text)\""]
            try await lab.store(headers, text, loading: .reloadIgnoringLocalCacheData)
            await lab.clock.advance(by: 1)
        }
        #expect(try await lab.send().text == "3")
        store.removed.withLock { $0 = [] }
        if last == "no-store by 304" {
            lab.origin.give(304, ["Cache-Control": "no-store", "ETag": "\"3\""])
            let answer = try await lab.send("/a", ["Cache-Control": "no-cache"])
            #expect((answer.text, answer.cacheStatus?.contains("fwd-status=304")) == ("3", true))
        } else {
            try await lab.store(["Cache-Control": last], "4", loading: .reloadIgnoringLocalCacheData)
        }
        #expect(store.removed.withLock { $0 } == ["1", "2", "3"])
    }

    @Test func noStoreBy304RemovesAnUnlistedEntry() async throws {
        try await lab.store(["Cache-Control": "max-age=60", "ETag": "\"1\""], "old")
        lab.origin.give(
            .init(
                status: 304, headers: ["Cache-Control": "no-store", "ETag": "\"1\""],
                before: { _ in store.failsReading.withLock { $0 = true } }))
        let answer = try await lab.send("/a", ["Cache-Control": "no-cache"])
        #expect(answer.cacheStatus?.contains("fwd-status=304") == true)
        store.failsReading.withLock { $0 = false }
        #expect(try await lab.send(loading: .returnCacheDataDontLoad).status == 504)
    }

    @Test func truncatedBodyKeepsTheOldResponse() async throws {
        try await lab.store(["Cache-Control": "max-age=60"], "old")
        lab.origin.give(200, ["Cache-Control": "max-age=60"], "a new text", breaksAfter: 1)
        await #expect(throws: TransportError.self) { try await lab.send(loading: .reloadIgnoringLocalCacheData) }
        #expect(try await lab.send().text == "old" && store.ends.withLock { $0 } == ["commit", "abort"])
    }

    @Test func cacheStatusSaysStoredOnlyOfStoredResponses() async throws {
        lab.origin.give(200, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        #expect(try await lab.send("/collected").cacheStatus == "Networking; fwd=uri-miss; ttl=60; stored")
        let streamed = try await lab.response("/streamed")
        #expect(streamed.headers["Cache-Status"] == "Networking; fwd=uri-miss; ttl=60; detail=storing")
        let small = try await lab.response("/small", delivery: .collected(limit: 0))
        #expect(small.headers["Cache-Status"] == "Networking; fwd=uri-miss; ttl=60; detail=storing", "over the limit")
        #expect(try await small.body.collect(upTo: 10).count == 1)
        #expect(try await lab.send("/small").cacheStatus?.contains("hit") == true)
        for chunk in [nil, 4] {
            store.failsWriting.withLock { $0 = true }
            lab.origin.give(200, ["Cache-Control": "max-age=60"], chunk: chunk)
            #expect(try await lab.send("/failing").cacheStatus == "Networking; fwd=uri-miss; detail=store")
            store.failsWriting.withLock { $0 = false }
            lab.origin.give(200, ["Cache-Control": "max-age=60", "Content-Length": "7"], chunk: chunk)
            #expect(try await lab.send("/length").cacheStatus == "Networking; fwd=uri-miss; detail=store")
        }
        for all in [false, true] {
            lab.origin.give(
                .init(
                    status: 200, headers: ["Cache-Control": "max-age=60"], chunk: nil,
                    before: { [cache = lab.cache] in
                        if all { await cache.invalidateAll() } else { await cache.invalidate(for: $0) }
                    }))
            #expect(try await lab.send("/invalidated").cacheStatus == "Networking; fwd=uri-miss; detail=store")
        }
    }

    @Test func revalidationDuringInvalidationIsNotStored() async throws {
        let lab = CacheLab()
        try await lab.store(["Cache-Control": "max-age=10", "ETag": "\"1\""])
        await lab.clock.advance(by: 11)
        lab.origin.give(
            .init(
                status: 304, headers: ["Cache-Control": "max-age=10"],
                before: { [cache = lab.cache] in
                    if $0.value(forHTTPHeaderField: "If-None-Match") != nil { await cache.invalidate(for: $0) }
                }), .init(status: 200, headers: [:], text: "new"))
        #expect(try await lab.send().text == "new", "what was validated is gone")
        #expect(try await lab.send(loading: .returnCacheDataDontLoad).text == "new")
    }

    @Test func failedInvalidationIsReportedOnce() async throws {
        let observer = NoticeObserver()
        func send(_ method: String) async throws -> TransportResponse {
            var context = RequestContext(clock: lab.clock)
            context.observers = [observer]
            return try await lab.cache.intercept(
                CacheLab.request("/a?secret=1", method: method), next: lab.next(context))
        }
        store.failsRemoving.withLock { $0 = true }
        for _ in 0..<2 {
            let response = try await send("PUT")
            #expect(response.headers["Cache-Status"] == "Networking; fwd=method; detail=invalidation-failed")
        }
        let texts = observer.notices
        #expect((texts.count, texts.first?.contains("example.com")) == (1, true))
        #expect(texts.first?.contains("secret") == false)
        // An invalidation outside of a call has no observer: the next call reports it.
        await lab.cache.invalidateAll()
        #expect(observer.notices.count == 1)
        _ = try await send("GET")
        #expect(observer.notices.count == 2)
        store.failsRemoving.withLock { $0 = false }
        #expect(try await send("PUT").headers["Cache-Status"] == "Networking; fwd=method")
    }

    @Test func entryIDsHaveATotalOrder() {
        let time = Date(timeIntervalSince1970: 1_000_000)
        let (first, second) = (EntryID.next(at: time), EntryID.next(at: time))
        let later = EntryID.next(at: time + 0.001)
        #expect(EntryID.isLater(second, than: first) && !EntryID.isLater(first, than: second))
        #expect(EntryID.isLater(later, than: second))
        #expect(EntryID.isLater(first, than: "of another make") && !EntryID.isLater("of another make", than: first))
        let (a, b) = ("zz-process1-2", "zz-process2-1")
        #expect(EntryID.isLater(a, than: b) != EntryID.isLater(b, than: a))
        #expect([first, second, later].allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } })
    }

    /// Rule 30 (RFC 9111, section 4): by `Date`, then by the time of the request, whatever order the responses end in.
    @Test func responseWithTheLaterDateIsKept() async throws {
        let store = NetworkCache()
        let lab = CacheLab(store: store)
        func give(_ date: TimeInterval, _ text: String) {
            lab.origin.give(200, ["Cache-Control": "max-age=60", "Date": lab.date(date)], text)
        }
        give(-1, "new")
        try await lab.send()
        give(-2, "old")
        let late = try await lab.send(loading: .reloadIgnoringLocalCacheData)
        #expect((late.text, late.cacheStatus) == ("old", "Networking; fwd=request; detail=store"))
        #expect(try await lab.send().text == "new")
        await lab.clock.advance(by: 0.5)
        give(-1.5, "same second")
        try await lab.send(loading: .reloadIgnoringLocalCacheData)
        #expect(try await lab.send().text == "same second", "its request is later")
        #expect(store.entryCount == 1)
    }
}
