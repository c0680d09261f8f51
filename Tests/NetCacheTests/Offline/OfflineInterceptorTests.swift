import NetTesting
import Testing

@testable import NetCache

@Suite("Offline modes of the pipeline") struct OfflineInterceptorTests {
    typealias Mode = OfflineInterceptor.Mode
    // Without a purge, which would compare with the time of day and not with this clock.
    private let lab = CacheLab(store: NetworkCache(purgeInterval: 0))
    private var origin: ScriptedOrigin { lab.origin }
    init() { origin.give(200, ["Cache-Control": "max-age=60"], "stored") }

    private func send(
        _ mode: Mode?, method: String = "GET", _ headers: [String: String] = [:]
    ) async throws -> (status: Int, text: String) {
        var context = RequestContext(clock: lab.clock)
        context.offlineMode = mode
        let next = lab.next(context, interceptors: [OfflineInterceptor(mode: .staleOnError), lab.cache])
        let response = try await next(CacheLab.request("/items", method: method, headers))
        return (response.status, String(decoding: try await response.body.collect(upTo: 1000), as: UTF8.self))
    }

    private func makeStale() async throws {
        _ = try await send(nil)
        await lab.clock.advance(by: 3600)
    }

    private func cutOff() { origin.fail(NetworkError.noInternetConnection) }

    @Test(arguments: Mode.allCases) func modesWithAFreshResponse(mode: Mode) async throws {
        _ = try await send(.networkFirst)
        #expect(try await send(mode).text == "stored")
        #expect(origin.count == ([.networkFirst, .networkOnly].contains(mode) ? 2 : 1))
    }

    @Test(arguments: Mode.allCases) func modesWithAStaleResponseAndNoNetwork(mode: Mode) async throws {
        try await makeStale()
        cutOff()
        if [.cacheFirst, .networkOnly].contains(mode) {
            await #expect(throws: (any Error).self) { try await send(mode) }
        } else {
            #expect(try await send(mode).text == "stored")
        }
    }

    @Test func staleResponseIsRefreshedInTheBackground() async throws {
        try await makeStale()
        #expect(try await send(.staleWhileRevalidate).text == "stored")
        await lab.cache.engine.background.wait()
        #expect(try await (origin.count, send(.cacheFirst).text) == (2, "stored"))
        #expect(origin.count == 2, "it is fresh again")
    }

    @Test func staleResponseReplacesA503() async throws {
        try await makeStale()
        origin.give(503, ["Cache-Control": "private"], "status 503")
        #expect(try await (send(nil).status, send(.cacheFirst).status) == (200, 503))
        origin.give(404, ["Cache-Control": "private"], "status 404")
        #expect(try await send(nil).status == 404, "news")
    }

    @Test func failureIsThrownIfNothingIsStored() async throws {
        cutOff()
        let error = await #expect(throws: (any Error).self) { try await send(.networkFirst) }
        #expect(error.map { NetworkError($0) == .noInternetConnection } == true)
        #expect(try await send(.cacheOnly).status == 504)
        origin.give(500, ["Cache-Control": "private"], "status 500")
        #expect(try await send(nil).text == "status 500")
    }

    @Test func postAndCacheControlRequestsAreNotChanged() async throws {
        try await makeStale()
        cutOff()
        await #expect(throws: (any Error).self) { try await send(.cacheOnly, ["Cache-Control": "max-age=0"]) }
        await #expect(throws: (any Error).self) { try await send(.networkFirst, method: "POST") }
    }

    @Test func webSocketHandshakeBypassesTheInterceptor() {
        #expect(!OfflineInterceptor().handlesUpgrades, "a client without caches for a handshake leaves this out too")
    }
}
