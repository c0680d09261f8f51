import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("Storing bodies") struct BodyStoringTests {
    private let store = LossyStore()
    private let lab: CacheLab
    private var origin: ScriptedOrigin { lab.origin }
    private var ends: [String] { store.ends.withLock { $0 } }
    init() { lab = CacheLab(store: store) }

    @Test func streamedBodyIsStoredWhenItEnds() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"], "hello, world")
        let response = try await lab.response()
        var chunks: [String] = []
        for try await chunk in response.body {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            #expect(store.memory.entryCount == 0, "not before its end")
        }
        #expect(try await (chunks, ends, lab.send().text) == (["hell", "o, w", "orld"], ["commit"], "hello, world"))
    }

    @Test func bufferedBodyIsStoredAtOnce() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"], "hello", chunk: nil)
        #expect(try await lab.response().body.data == Data("hello".utf8), "and stays as it is")
        #expect(ends == ["commit"])
    }

    @Test func droppedBodyIsNotStored() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"], "hello, world")
        do { for try await _ in try await lab.response().body { break } }
        #expect(ends.isEmpty)
        #expect(try await lab.send(reading: false).cacheStatus?.contains("uri-miss") == true)
        #expect(store.memory.entryCount == 0)
    }

    @Test(arguments: [
        ("11", nil as String?, "abort"), ("13", nil, "abort"), ("12", nil, "commit"), ("x", nil, "commit"),
        ("5", "gzip", "commit"),
    ]) func bodyMustMatchContentLengthUnlessItIsCoded(length: String, coding: String?, end: String) async throws {
        var headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Length": length]
        headers["Content-Encoding"] = coding
        for chunk in [4, nil] {
            origin.give(200, headers, "hello, world", chunk: chunk)
            #expect(try await lab.send("/\(chunk ?? 0)").text == "hello, world", "the caller gets what came")
        }
        #expect(ends == [end, end])
    }

    @Test func emptyBodyIsStoredWithoutReading() async throws {
        try await lab.exchange(204, ["Cache-Control": "max-age=60"], reading: false)
        #expect(try await lab.send().cacheStatus?.contains("hit") == true)
        let moved: HTTPHeaders = ["Location": "/b", "Cache-Control": "max-age=60"]
        try await lab.exchange(301, moved, "", chunk: nil, at: "/moved", reading: false)
        #expect(try await (lab.send("/moved").headers["Location"], origin.count) == ("/b", 2))
    }

    @Test func failingStoreDoesNotFailTheRequest() async throws {
        origin.give(200, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        store.failsWriting.withLock { $0 = true }
        #expect(try await (lab.send().text, ends) == ("1", ["abort"]))
        store.failsWriting.withLock { $0 = false }
        try await lab.send()
        store.failsReading.withLock { $0 = true }
        #expect(try await lab.send().text == "3")
        store.failsReading.withLock { $0 = false }
        store.failsWriting.withLock { $0 = true }
        await lab.clock.advance(by: 61)
        let refreshed = try await lab.exchange(304)
        #expect((refreshed.text, refreshed.cacheStatus?.hasSuffix("stored")) == ("3", false))
    }

    @Test func entryThatCannotBeRemovedIsNotServed() async throws {
        origin.give(200, ["Cache-Control": "max-age=9999999999"])
        let next = lab.next(RequestContext())
        // By the system's clock, as `invalidate(for:)` has no other.
        func get() async throws -> String {
            let response = try await lab.cache.intercept(CacheLab.request("/a"), next: next)
            return String(decoding: try await response.body.collect(upTo: 10), as: UTF8.self)
        }
        #expect(try await (get(), get()) == ("1", "1"))
        store.failsRemoving.withLock { $0 = true }
        await lab.cache.invalidate(for: CacheLab.request("/a"))
        #expect(try await get() == "2")
        await lab.cache.invalidateAll()
        #expect(try await get() == "3")
    }

    @Test func concurrentMissesStoreOneResponse() async throws {
        origin.give(200, ["Cache-Control": "max-age=60"], "same")
        let texts = try await atOnce(50) { [lab] _ in try await lab.send().text }
        #expect(texts == Array(repeating: "same", count: 50))
        let before = origin.count
        #expect(try await (lab.send().text, origin.count) == ("same", before))
        try await lab.send(loading: .reloadIgnoringLocalCacheData)
        #expect(store.memory.entryCount == 1)
    }
}
