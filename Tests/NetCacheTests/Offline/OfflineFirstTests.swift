import TestLab
import Testing

@testable import NetCache

@Suite("Offline first") struct OfflineFirstTests {
    private let world = World()
    private typealias Source = OfflineFirst<String>.Snapshot.Source

    private final class World: Sendable {
        struct State {
            var server: Result<String, any Error> = .success("new")
            var storage: Result<String?, any Error> = .success(nil)
            var saved: [String] = []
            var fetches = 0
        }
        let state = Locked(State())
        let clock = HandClock()
        let cache: DataCache
        let offline: OfflineFirst<String>
        init() {
            let cache = DataCache(maxAge: 300, clock: clock)
            self.cache = cache
            offline = OfflineFirst(
                key: "items", cache: cache,
                load: { [state] in try state.withLock { try $0.storage.get() } },
                save: { [state] value in state.withLock { $0.saved.append(value) } },
                fetch: { [state] in
                    try state.withLock { state in
                        state.fetches += 1
                        return try state.server.get()
                    }
                })
        }
        func fill(_ value: String, age: TimeInterval) async throws {
            await cache.set(try JSONEncoder().encode(value), for: "items")
            clock.advance(by: age)
        }
        var fetches: Int { state.withLock { $0.fetches } }
        func fail(_ error: any Error) { state.withLock { $0.server = .failure(error) } }
        func ask(_ mode: OfflineInterceptor.Mode) async -> String {
            do {
                let snapshot = try await offline.value(mode)
                return "\(snapshot.value) \(snapshot.source)"
            } catch {
                return (error as? NetworkError)?.code ?? (error as? NetworkFailure)?.code ?? "\(error)"
            }
        }
    }

    static let fresh = "cached cache(isFresh: true)"
    static let stale = "cached cache(isFresh: false)"
    static let offline = "no_internet_connection"
    static let (loaded, stored) = ("new network", "stored storage")

    /// What a caller gets from an entry of 10 s, of 1,000 s, and without one: with a server, and without a network.
    @Test(arguments: [
        (OfflineInterceptor.Mode.cacheFirst, [fresh, loaded, loaded], [fresh, offline, offline]),
        (.networkFirst, [loaded, loaded, loaded], [fresh, stale, stored]),
        (.cacheOnly, [fresh, stale, "no_data"], [fresh, stale, stored]),
        (.networkOnly, [loaded, loaded, loaded], [offline, offline, offline]),
        (.staleOnError, [fresh, loaded, loaded], [fresh, stale, stored]),
        (.staleWhileRevalidate, [fresh, stale, loaded], [fresh, stale, stored]),
    ]) func modesOnlineAndOffline(mode: OfflineInterceptor.Mode, online: [String], offline: [String]) async throws {
        for (index, age) in ([10, 1000, nil] as [TimeInterval?]).enumerated() {
            let (world, cutOff) = (World(), World())
            cutOff.fail(NetworkFailure(cause: .noInternetConnection))
            cutOff.state.withLock { $0.storage = .success("stored") }
            if let age { for each in [world, cutOff] { try await each.fill("cached", age: age) } }
            #expect(await (world.ask(mode), cutOff.ask(mode)) == (online[index], offline[index]), "\(age ?? 0)")
            guard age == 1000 else { continue }
            if mode == .staleWhileRevalidate {
                _ = try await waitUntil("it was refreshed", within: 30) {
                    world.state.withLock { $0.saved } == ["new"] ? true : nil
                }
            }
            #expect(world.fetches == (mode == .cacheOnly ? 0 : 1))
        }
    }

    /// The refresh continues after the caller has the value, and there is one at a time.
    @Test func staleValueIsRefreshedOnceInTheBackground() async throws {
        let gate = AsyncMutex()
        #expect(await gate.lock())
        let state = Locked((fetches: 0, stored: "cached"))
        let offline = OfflineFirst<String>(
            cached: { .init(state.withLock { $0.stored }, isFresh: false) },
            store: { value in state.withLock { $0.stored = value } },
            fetch: {
                state.withLock { $0.fetches += 1 }
                _ = await gate.lock()
                return "new"
            })
        for _ in 0..<3 { #expect(try await offline.value(.staleWhileRevalidate).value == "cached") }
        gate.unlock()
        _ = try await waitUntil("it was refreshed", within: 30) { state.withLock { $0.stored } == "new" ? true : nil }
        #expect(state.withLock { $0.fetches } == 1)
    }

    @Test(arguments: [
        (NetworkError.networkUnavailable, true), (.timeout, true), (.requestFailed(statusCode: 503, data: nil), true),
        (.circuitOpen(host: "a", until: Date()), true),
        (.unknown(TransportError(.nameNotResolved, phase: .resolving, message: "")), true),
        (.requestFailed(statusCode: 404, data: nil), false), (.requestFailed(statusCode: 401, data: nil), false),
        (.noData, false), (.pinningFailed(host: "a"), false), (.cancelled, false),
        (.decodingError(CancellationError()), false),
    ]) func onlyAnOutageIsReplacedByAStaleValue(error: NetworkError, isOutage: Bool) async throws {
        try await world.fill("cached", age: 1000)
        world.fail(error)
        #expect(await world.ask(.staleOnError) == (isOutage ? Self.stale : error.code))
        if isOutage { #expect(await world.ask(.networkFirst) == Self.stale) }
    }

    @Test func fetchedValueIsSavedAndCached() async throws {
        #expect(await (world.ask(.networkFirst), world.state.withLock { $0.saved }) == ("new network", ["new"]))
        #expect(await world.ask(.cacheOnly) == "new cache(isFresh: true)")
    }

    @Test func unreadableCacheFallsBackToNetworkOrStorage() async throws {
        await world.cache.set(Data("no JSON".utf8), for: "items")
        #expect(await world.ask(.cacheFirst) == "new network")
        await world.cache.set(Data("no JSON".utf8), for: "items")
        world.fail(NetworkError.timeout)
        #expect(await world.ask(.staleOnError) == "timeout")
        world.state.withLock { $0.storage = .success("stored") }
        #expect(await world.ask(.staleOnError) == "stored storage")
        world.state.withLock { $0.storage = .failure(CocoaError(.fileReadCorruptFile)) }
        #expect(await world.ask(.staleOnError) == "timeout")
        await #expect(throws: CocoaError.self) { try await world.offline.value(.cacheOnly) }
    }

    /// Seed 002: "Return cached, fetch fresh in background".
    @Test func valuesYieldsTheStaleValueWhileItFetches() async throws {
        try await world.fill("cached", age: 1000)
        var iterator = world.offline.values.makeAsyncIterator()
        let stale = try #require(try await iterator.next())
        #expect((stale.value, "\(stale.source)") == ("cached", "cache(isFresh: false)"))
        _ = try await waitUntil("the server is asked", within: 30) { world.fetches == 1 ? true : nil }
        let fetched = try #require(try await iterator.next())
        #expect((fetched.value, "\(fetched.source)", world.fetches) == ("new", "network", 1))
        #expect(try await iterator.next() == nil)
    }

    @Test func leavingTheLoopOrCancellingEndsTheRequest() async throws {
        let running = Locked((started: 0, ended: 0))
        let offline = OfflineFirst<String>(
            cached: { .init("cached", isFresh: false) }, store: { _ in },
            fetch: {
                running.withLock { $0.started += 1 }
                defer { running.withLock { $0.ended += 1 } }
                try await SystemClock().sleep(for: .infinity)
                return "never"
            })
        func wait(_ started: Int, _ ended: Int) async throws {
            _ = try await waitUntil("\(started) began, \(ended) ended", within: 30) {
                running.withLock { $0 } == (started, ended) ? true : nil
            }
        }
        for try await _ in offline.values {
            try await wait(1, 0)
            break
        }
        try await wait(1, 1)
        let reader = Task { for try await _ in offline.values {} }
        try await wait(2, 1)
        reader.cancel()
        try await reader.value
        try await wait(2, 2)
    }

    @Test func valuesYieldsOnlyTheFetchedValueIfNothingIsStored() async throws {
        let seen = try await world.offline.values.reduce(into: [Source]()) { $0.append($1.source) }
        #expect(seen == [.network])
    }

    @Test func valuesThrowsAfterTheStoredValueWithoutANetwork() async throws {
        world.state.withLock { $0.storage = .success("stored") }
        world.fail(NetworkFailure(cause: .noInternetConnection))
        var iterator = world.offline.values.makeAsyncIterator()
        #expect(try await iterator.next()?.source == .storage)
        await #expect(throws: NetworkFailure.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}
