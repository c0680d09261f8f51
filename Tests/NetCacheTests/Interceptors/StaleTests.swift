import NetTesting
import TestLab
import Testing

@testable import NetCache

/// RFC 5861.
@Suite("Stale responses") struct StaleTests {
    private let lab = CacheLab()
    private var origin: ScriptedOrigin { lab.origin }

    private func store(_ cacheControl: String, _ more: HTTPHeaders = [:]) async throws {
        var headers = more
        headers["Cache-Control"] = cacheControl
        try await lab.store(headers)
        await lab.clock.advance(by: 12)
    }

    @Test func staleWhileRevalidateServesStaleAndRefreshes() async throws {
        try await store("max-age=10, stale-while-revalidate=60", ["ETag": "\"1\""])
        let stale = try await lab.store(["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"2\""])
        #expect((stale.text, stale.cacheStatus) == ("1", "Networking; hit; ttl=-2; detail=stale-while-revalidate"))
        await lab.cache.engine.background.wait()
        #expect(origin.header("If-None-Match") == "\"1\"")
        let fresh = try await lab.send()
        #expect((fresh.text, fresh.cacheStatus) == ("2", "Networking; hit; ttl=10"))
    }

    @Test func backgroundRevalidationHasNoConditionsAndNoDeadlineOfTheCaller() async throws {
        try await store("max-age=10, stale-while-revalidate=60", ["ETag": "\"1\""])
        origin.give(304, ["Cache-Control": "max-age=30"])
        let fields = ["Range": "bytes=0-0", "If-None-Match": "\"0\"", "Cache-Control": "max-stale=0"]
        var context = RequestContext(clock: lab.clock)
        (context.deadline, context.priority, context.delivery) = (lab.clock.uptime, .high, .collected(limit: 1))
        _ = try await lab.cache.intercept(CacheLab.request("/a", fields), next: lab.next(context))
        await lab.cache.engine.background.wait()
        #expect(origin.header("If-None-Match") == "\"1\"", "the caller's own conditions stay out of it")
        #expect((origin.header("Range"), origin.header("Cache-Control")) == (nil, nil))
        let used = try #require(origin.contexts.last)
        #expect((used.deadline, used.priority, used.delivery) == (nil, .low, .streamed))
        #expect(try await lab.send().cacheStatus == "Networking; hit; ttl=30")
    }

    @Test func concurrentStaleHitsSendOneRevalidation() async throws {
        try await store("max-age=10, stale-while-revalidate=60")
        let gate = AsyncMutex()
        #expect(await gate.lock())
        origin.give(.init(headers: ["Cache-Control": "max-age=10"], before: { _ in _ = await gate.lock() }))
        for _ in 0..<20 { #expect(try await lab.send().text == "1") }
        gate.unlock()
        await lab.cache.engine.background.wait()
        #expect(try await (origin.count, lab.send().text, lab.cache.engine.background.count) == (2, "2", 0))
    }

    @Test func releasingTheCacheCancelsBackgroundRevalidation() async throws {
        let wasCancelled = Locked(false)
        var lab: CacheLab? = CacheLab()
        lab?.origin.give(200, ["Cache-Control": "max-age=10, stale-while-revalidate=60"])
        try await lab?.send()
        await lab?.clock.advance(by: 12)
        lab?.origin.give(
            .init(before: { _ in
                defer { wasCancelled.withLock { $0 = Task.isCancelled } }
                try await SystemClock().sleep(for: .infinity)
            }))
        try await lab?.send()
        let background = try #require(lab?.cache.engine.background)
        #expect(background.count == 1)
        lab = nil
        try await waitUntil("it is cancelled") { wasCancelled.withLock { $0 } ? () : nil }
        background.start("late") { Issue.record("it has ended") }
        #expect(background.count == 0)
    }

    /// It may have no end.
    @Test func backgroundRevalidationReadsLittleOfABodyThatIsNotStored() async throws {
        try await store("max-age=10, stale-while-revalidate=60")
        let count = Locked(UInt64(0))
        let next = Next(context: RequestContext(clock: lab.clock)) { request, _, _ in
            let body = HTTPBody(pulling: { count.next() > 1000 ? nil : Data(repeating: 0, count: 1024) })
            return TransportResponse(status: 200, headers: ["Cache-Control": "no-store"], url: request.url, body: body)
        }
        #expect(try await lab.cache.intercept(CacheLab.request("/a"), next: next).status == 200)
        await lab.cache.engine.background.wait()
        #expect(count.withLock { $0 } == 64)
    }

    @Test func failedBackgroundRevalidationKeepsTheResponse() async throws {
        try await store("max-age=10, stale-while-revalidate=60")
        origin.fail(TransportError(.connectionRefused, phase: .connecting, message: "x"))
        #expect(try await lab.send().text == "1")
        await lab.cache.engine.background.wait()
        #expect(try await lab.send().text == "1")
        await lab.cache.engine.background.wait()
        #expect(origin.count == 3)
    }

    @Test(arguments: [500, 502, 503, 504, 400, 404, 429, 501])
    func staleIfErrorReplacesFourServerErrors(status: Int) async throws {
        try await store("max-age=10, stale-if-error=5", ["ETag": "\"1\""])
        let reply = try await lab.exchange(status)
        guard [500, 502, 503, 504].contains(status) else { return #expect(reply.status == status) }
        #expect((reply.status, reply.text, reply.headers["Age"]) == (200, "1", "12"))
        #expect(reply.cacheStatus == "Networking; fwd=stale; fwd-status=\(status); ttl=-2; detail=stale-if-error")
        await lab.clock.advance(by: 4)
        #expect(try await lab.send().status == status, "no longer than that")
    }

    @Test func staleIfErrorReplacesOnlyAnOutage() async throws {
        try await store("max-age=10, stale-if-error=60")
        let outages: [any Error] = [
            TransportError(.connectionRefused, phase: .connecting, message: "x"), NetworkError.noInternetConnection,
            NetworkError.timeout, NetworkError.circuitOpen(host: "x", until: Date()),
            NetworkFailure(cause: .networkUnavailable),
            TransportError(.nameNotResolved, phase: .resolving, message: "x"),
        ]
        for outage in outages {
            origin.fail(outage)
            let reply = try await lab.send()
            #expect(reply.text == "1", "\(outage)")
            #expect(reply.cacheStatus == "Networking; fwd=stale; ttl=-2; detail=stale-if-error")
        }
        let others: [any Error] = [
            NetworkError.pinningFailed(host: "x"), NetworkError.cancelled, CancellationError(),
            TransportError(.certificateUntrusted, phase: .securing, message: "x"), NetworkError.invalidRequest,
        ]
        for error in others {
            origin.fail(error)
            await #expect(throws: (any Error).self) { try await lab.send() }
        }
    }

    @Test func requestMayAllowStaleIfError() async throws {
        try await store("max-age=10")
        origin.give(503)
        #expect(try await (lab.send().status, lab.send("/a", ["Cache-Control": "stale-if-error=5"]).text) == (503, "1"))
        #expect(try await lab.send("/a", ["Cache-Control": "stale-if-error=1"]).status == 503)
        #expect(try await lab.send("/a", ["Cache-Control": "stale-if-error=5, no-cache"]).status == 503)
    }

    @Test func rulesMayAllowStaleIfError() async throws {
        let lab = CacheLab(rules: CacheRules { $0.staleIfError = 3600 })
        try await lab.store(["Cache-Control": "max-age=10"])
        try await lab.store(["Cache-Control": "max-age=10, stale-if-error=1"], at: "/says")
        try await lab.store(["Cache-Control": "max-age=10, must-revalidate"], at: "/must")
        await lab.clock.advance(by: 60)
        lab.origin.fail(NetworkError.noInternetConnection)
        #expect(try await lab.send().text == "1")
        for path in ["/says", "/must"] { await #expect(throws: NetworkFailure.self) { try await lab.send(path) } }
    }

    /// The whole may be gigabytes.
    @Test func backgroundRefreshOfAPartAsksForThePart() async throws {
        var part = PartTests.part("0-3/10", "0123", [:])
        part.headers["Cache-Control"] = "max-age=10, stale-while-revalidate=60"
        var new = part
        new.text = "abcd"
        origin.give(part, new)
        try await lab.send("/a", ["Range": "bytes=0-3"])
        await lab.clock.advance(by: 12)
        #expect(try await lab.send("/a", ["Range": "bytes=0-3"]).text == "0123")
        await lab.cache.engine.background.wait()
        #expect(origin.header("Range") == "bytes=0-3")
        #expect(try await lab.send("/a", ["Range": "bytes=0-3"]).text == "abcd")
    }
}
