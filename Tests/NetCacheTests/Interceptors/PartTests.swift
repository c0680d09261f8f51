import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("Parts of bodies") struct PartTests {
    private let store = NetworkCache()
    private let lab: CacheLab
    private var origin: ScriptedOrigin { lab.origin }
    init() { lab = CacheLab(store: store) }
    static func part(
        _ range: String, _ text: String, _ more: HTTPHeaders = ["ETag": "\"1\""]
    ) -> ScriptedOrigin.Answer {
        var headers = more
        headers["Cache-Control"] = "max-age=60"
        headers["Content-Range"] = "bytes \(range)"
        headers["Content-Length"] = "\(text.utf8.count)"
        return ScriptedOrigin.Answer(status: 206, headers: headers, text: text)
    }

    /// Asks for the part that the origin then sends.
    @discardableResult
    private func store(
        _ range: String, _ text: String, _ more: HTTPHeaders = ["ETag": "\"1\""]
    ) async throws -> CacheLab.Reply {
        origin.give(Self.part(range, text, more))
        return try await lab.send("/a", ["Range": "bytes=\(range.prefix { $0 != "/" })"])
    }

    @Test(arguments: [
        ("bytes=0-4", "01234", "bytes 0-4/10"), ("bytes=5-", "56789", "bytes 5-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"), ("bytes=9-99", "9", "bytes 9-9/10"),
        ("BYTES=0-", "0123456789", "bytes 0-9/10"), ("bytes=10-", "", "bytes */10"),
    ]) func rangeIsServedFromAStoredBodyOrIsA416(range: String, text: String, contentRange: String) async throws {
        try await lab.store(["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Length": "10"], "0123456789")
        let reply = try await lab.send("/a", ["Range": range])
        #expect((reply.status, reply.text) == (text.isEmpty ? 416 : 206, text))
        #expect((reply.headers["Content-Range"], reply.headers["Content-Length"]) == (contentRange, "\(text.count)"))
        #expect(origin.count == 1 && (text.isEmpty || reply.headers["ETag"] == "\"1\""))
    }

    @Test func ifRangeSelectsPartOrWhole() async throws {
        let date = lab.date(-1000)
        try await lab.store(["Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": date], "0123456789")
        for (condition, status) in [
            ("\"1\"", 206), (date, 206), ("\"2\"", 200), ("W/\"1\"", 200), (lab.date(-999), 200), ("?", 200),
        ] {
            let reply = try await lab.send("/a", ["Range": "bytes=0-1", "If-Range": condition])
            #expect((reply.status, reply.text) == (status, status == 206 ? "01" : "0123456789"), "\(condition)")
        }
        #expect(origin.count == 1)
    }

    @Test func rangeOfADecodedBodyIsIgnored() async throws {
        try await lab.store(["Cache-Control": "max-age=60", "Content-Encoding": "gzip"], "0123456789")
        let reply = try await lab.send("/a", ["Range": "bytes=0-1"])
        #expect((reply.status, reply.text) == (200, "0123456789"))
    }

    @Test func storedPartServesRangesWithinIt() async throws {
        #expect(try await store("4-7/10", "4567").cacheStatus?.hasSuffix("stored") == true)
        let smaller = try await lab.send("/a", ["Range": "bytes=5-6"])
        #expect((smaller.status, smaller.text, smaller.headers["Content-Range"]) == (206, "56", "bytes 5-6/10"))
        #expect(try await (lab.send("/a", ["Range": "bytes=4-7"]).text, origin.count) == ("4567", 1))
        #expect(try await lab.send("/a", ["Range": "bytes=6-8"]).cacheStatus?.contains("fwd=partial") == true)
        #expect(try await lab.send().cacheStatus?.contains("fwd=partial") == true)
    }

    @Test func multipartRangesAreServedForTheSameRange() async throws {
        origin.give(206, ["Cache-Control": "max-age=60", "Content-Type": "multipart/byteranges; boundary=x"], "--x…")
        try await lab.send("/a", ["Range": "bytes=0-1,3-4"])
        #expect(try await (lab.send("/a", ["Range": "bytes=0-1,3-4"]).text, origin.count) == ("--x…", 1))
        try await lab.send("/a", ["Range": "bytes=0-1"])
        #expect(origin.count == 2)
    }

    @Test func unrequested206IsNotStored() async throws {
        origin.give(Self.part("0-1/10", "01"))
        #expect(try await lab.send().cacheStatus == "Networking; fwd=uri-miss; detail=partial")
    }

    @Test func stalePartIsRevalidated() async throws {
        try await store("4-7/10", "4567")
        await lab.clock.advance(by: 61)
        origin.give(304, ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        let reply = try await lab.send("/a", ["Range": "bytes=4-7"])
        #expect((reply.status, reply.text, reply.headers["Content-Range"]) == (206, "4567", "bytes 4-7/10"))
        #expect(try await lab.send("/a", ["Range": "bytes=4-7"]).cacheStatus?.contains("hit") == true)
    }

    @Test func storedPrefixIsCompletedWithARange() async throws {
        try await store("0-3/10", "0123")
        origin.give(Self.part("4-9/10", "456789", ["ETag": "\"1\"", "X": "new"]))
        let whole = try await lab.send()
        #expect(origin.header("Range") == "bytes=4-" && origin.header("If-Range") == "\"1\"")
        #expect((whole.status, whole.text, whole.headers["Content-Length"]) == (200, "0123456789", "10"))
        #expect((whole.headers["Content-Range"], whole.headers["X"]) == (nil, "new"))
        #expect((whole.cacheStatus, store.entryCount) == ("Networking; fwd=partial; ttl=60; stored", 1))
        #expect(try await (lab.send().text, lab.send("/a", ["Range": "bytes=3-4"]).text) == ("0123456789", "34"))
        #expect(origin.count == 2)
    }

    @Test func changedBodyReplacesTheStoredPrefix() async throws {
        try await store("0-3/10", "0123")
        origin.give(200, ["ETag": "\"2\"", "Cache-Control": "max-age=60"], "abcdefghij")
        #expect(try await (lab.send().text, lab.send().text) == ("abcdefghij", "abcdefghij"))
        #expect((origin.count, store.entryCount) == (2, 1))
    }

    @Test(arguments: [
        part("4-9/10", "xxxxxx", ["ETag": "\"2\""]), part("5-9/10", "xxxxxx"), part("4-8/10", "xxxxxx"),
        part("4-9/11", "xxxxxx"), ScriptedOrigin.Answer(status: 416),
    ]) func restThatDoesNotMatchIsDiscarded(rest: ScriptedOrigin.Answer) async throws {
        try await store("0-3/10", "0123")
        origin.give(rest, .init(headers: ["ETag": "\"2\""], text: "whole"))
        #expect(try await (lab.send().text, origin.header("Range")) == ("whole", nil))
    }

    @Test func partsOfOneBodyAreLimited() async throws {
        for start in 0..<40 { try await store("\(start * 2)-\(start * 2 + 1)/1000", "xx") }
        #expect(store.entryCount == 16)
        try await store("0-99/1000", String(repeating: "x", count: 100))
        #expect(store.entryCount == 1, "it holds all of them")
        try await store("500-501/1000", "yy", ["ETag": "\"2\""])
        #expect(store.entryCount == 1, "they are of another body")
    }

    @Test func bodyPartMatchesItsRange() async throws {
        let data = Data((0..<100).map { UInt8($0) })
        let directory = try TemporaryDirectory()
        let file = directory.file("body")
        try data.write(to: file)
        let chunks = stride(from: 0, to: 100, by: 7).map { data.subdata(in: $0..<min($0 + 7, 100)) }
        let stream = HTTPBody(
            length: 100,
            replaying: {
                let rest = Locked(chunks[...])
                return AsyncStream(unfolding: { rest.withLock { $0.popFirst() } })
            })
        for range: Range<Int64> in [0..<100, 0..<1, 99..<100, 7..<14, 6..<15, 50..<50, 13..<99] {
            let expected = data.subdata(in: Int(range.lowerBound)..<Int(range.upperBound))
            for body in [HTTPBody(data), try HTTPBody(file: file), stream] {
                let part = body.part(range)
                #expect(try await (part.length, part.collect(upTo: 100)) == (Int64(expected.count), expected))
            }
        }
    }

    /// The server sent fewer bytes than `Content-Range` says, and no `Content-Length`.
    @Test func shortPartIsNotCompleted() async throws {
        var short = Self.part("0-4/10", "012")
        short.headers["Content-Length"] = nil
        origin.give(short)
        try await lab.send("/a", ["Range": "bytes=0-4"])
        try await lab.store(["Cache-Control": "max-age=60"], "0123456789")
        #expect(origin.header("Range") == nil)
    }
}
