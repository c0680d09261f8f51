import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("Offline modes of the pipeline") struct OfflineInterceptorTests {
    typealias Mode = OfflineInterceptor.Mode
    private let world: World
    init() throws { world = try World() }

    private struct World {
        let clock = TestClock()
        let cache: ResponseCache
        let server = Locked<Result<Int, any Error>>(.success(200))
        let asked = Locked(0)
        var request: URLRequest
        init() throws {
            // Without a purge, which would compare with the time of day and not with this clock.
            cache = ResponseCache(store: NetworkCache(purgeInterval: 0))
            request = URLRequest(url: try #require(URL(string: "https://example.com/items")))
        }
        func send(_ mode: Mode?) async throws -> (status: Int, text: String) {
            var context = RequestContext(clock: clock)
            context.offlineMode = mode
            let next = Next(context: context) { [cache, server, asked, clock] request, body, context in
                let inner = Next(body: body, context: context) { request, _, _ in
                    asked.withLock { $0 += 1 }
                    let status = try server.withLock { try $0.get() }
                    let freshness = status == 200 ? "max-age=60" : "private"
                    return TransportResponse(
                        status: status,
                        headers: ["Cache-Control": freshness, "Date": HTTPDate.string(from: clock.now)],
                        url: request.url, body: HTTPBody("body \(status)"))
                }
                return try await cache.intercept(request, next: inner)
            }
            let response = try await OfflineInterceptor(mode: .staleOnError).intercept(request, next: next)
            return (response.status, String(decoding: try await response.body.collect(upTo: 1000), as: UTF8.self))
        }
        var count: Int { asked.withLock { $0 } }
        func cutOff() { server.withLock { $0 = .failure(NetworkError.noInternetConnection) } }
    }

    @Test(arguments: Mode.allCases) func modesWithAFreshResponse(mode: Mode) async throws {
        _ = try await world.send(.networkFirst)
        #expect(try await world.send(mode).text == "body 200")
        #expect(world.count == ([.networkFirst, .networkOnly].contains(mode) ? 2 : 1))
    }

    @Test(arguments: Mode.allCases) func modesWithAStaleResponseAndNoNetwork(mode: Mode) async throws {
        _ = try await world.send(.networkFirst)
        await world.clock.advance(by: 3600)
        world.cutOff()
        if [.cacheFirst, .networkOnly].contains(mode) {
            await #expect(throws: (any Error).self) { try await world.send(mode) }
        } else {
            #expect(try await world.send(mode).text == "body 200")
        }
    }

    @Test func staleResponseIsRefreshedInTheBackground() async throws {
        _ = try await world.send(nil)
        await world.clock.advance(by: 3600)
        #expect(try await world.send(.staleWhileRevalidate).text == "body 200")
        await world.cache.engine.background.wait()
        #expect(try await (world.count, world.send(.cacheFirst).text) == (2, "body 200"))
        #expect(world.count == 2, "it is fresh again")
    }

    @Test func staleResponseReplacesA503() async throws {
        _ = try await world.send(nil)
        await world.clock.advance(by: 3600)
        world.server.withLock { $0 = .success(503) }
        #expect(try await (world.send(nil).status, world.send(.cacheFirst).status) == (200, 503))
        world.server.withLock { $0 = .success(404) }
        #expect(try await world.send(nil).status == 404, "news")
    }

    @Test func failureIsThrownIfNothingIsStored() async throws {
        world.cutOff()
        let error = await #expect(throws: (any Error).self) { try await world.send(.networkFirst) }
        #expect(error.map { NetworkError($0) == .noInternetConnection } == true)
        #expect(try await world.send(.cacheOnly).status == 504)
        world.server.withLock { $0 = .success(500) }
        #expect(try await world.send(nil).text == "body 500")
    }

    @Test func postAndCacheControlRequestsAreNotChanged() async throws {
        var world = try World()
        _ = try await world.send(nil)
        await world.clock.advance(by: 3600)
        world.cutOff()
        world.request.setValue("max-age=0", forHTTPHeaderField: "Cache-Control")
        await #expect(throws: (any Error).self) { try await world.send(.cacheOnly) }
        world.request.setValue(nil, forHTTPHeaderField: "Cache-Control")
        world.request.httpMethod = "POST"
        await #expect(throws: (any Error).self) { try await world.send(.networkFirst) }
    }
}
