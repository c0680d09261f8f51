import NetTesting
import Networking
import Testing

/// What a `CachePolicy` does to a `Networking` (seed 000, Quick Start and Making Requests): the whole way, over a socket.
/// That it keeps users apart, whatever their credentials are, `SeamTests` prove.
@Suite struct CachePolicyTests {
    /// Each answer of `/count` is another number.
    let server: MockServer
    let clock = TestClock()
    let networking: Networking

    init() throws {
        let count = Locked(UInt64(0))
        server = try MockServer { request in
            let response = MockResponse.json(count.next())
            return request.path == "/no-store" ? response.header("Cache-Control", "no-store") : response
        }
        networking = Networking(transport: .platform, cache: NetworkCache(clock: clock), clock: clock)
    }

    private func number(_ policy: CachePolicy?, path: String = "/count") async throws -> Int {
        try await networking.request(url: server.url(path), cachePolicy: policy)
    }

    @Test func missIsStoredAndThenHit() async throws {
        #expect(try await (number(Self.both), number(Self.both)) == (1, 1))
        let response: NetworkResponse<Int> = await networking.request(url: server.url("/count"), cachePolicy: Self.both)
        #expect((response.statusCode, response.headers["Cache-Status"]) == (200, "Networking; hit"))
        #expect(server.requests.count == 1)
    }

    private static let both = CachePolicy(useCache: true, storeCache: true)
    private static let read = CachePolicy(useCache: true, storeCache: false)
    private static let write = CachePolicy(useCache: false, storeCache: true)
    static let policies: [([CachePolicy?], [Int])] = [
        ([nil, nil], [1, 2]), ([write, write, both], [1, 2, 2]), ([read, read, both, read], [1, 2, 3, 3]),
    ]

    @Test(arguments: policies) func useCacheAndStoreCache(policies: [CachePolicy?], numbers: [Int]) async throws {
        for (policy, expected) in zip(policies, numbers) { #expect(try await number(policy) == expected) }
    }

    @Test func entryExpiresAtItsExpireTime() async throws {
        let hour = CachePolicy(useCache: true, storeCache: true, expireTime: clock.now.addingTimeInterval(3600))
        #expect(try await number(hour) == 1)
        await clock.advance(by: 3599)
        #expect(try await number(hour) == 1)
        await clock.advance(by: 2)
        #expect(try await number(hour) == 2)
    }

    @Test func noStoreResponseIsNotStored() async throws {
        #expect(try await (number(Self.both, path: "/no-store"), number(Self.both, path: "/no-store")) == (1, 2))
    }

    @Test func failuresAreNotStored() async throws {
        server.enqueue(.status(500))
        let failed: NetworkResponse<Int> = await networking.request(url: server.url("/count"), cachePolicy: Self.both)
        #expect(try await (failed.statusCode, number(Self.both)) == (500, 1))
    }

    @Test func policyWithoutACacheIsUnsupported() async throws {
        let bare = Networking(cache: nil)
        let reading: NetworkResponse<Int> = await bare.request(url: server.url("/count"), cachePolicy: Self.both)
        #expect(reading.error?.code == "unsupported")
        let plain: NetworkResponse<Int> = await bare.request(url: server.url("/count"), cachePolicy: .networkOnly)
        #expect(plain.value == 1)
    }

    /// A cache of the user's own stands in the same place.
    @Test func customResponseCachingIsUsed() async throws {
        final class Own: ResponseCaching {
            let stored = Locked<[URL: Data]>([:])
            func setResponse(_ data: Data, for url: URL, expireTime: Date?) { stored.withLock { $0[url] = data } }
            func getResponse(for url: URL) -> Data? { stored.withLock { $0[url] } }
            func clear() { stored.withLock { $0 = [:] } }
        }
        let own = Own()
        let (networking, url) = (Networking(cache: own), server.url("/count"))
        let first: Int = try await networking.request(url: url, cachePolicy: Self.both)
        #expect(own.stored.withLock { $0 } == [url: Data("1".utf8)])
        own.setResponse(Data("77".utf8), for: url, expireTime: nil)
        let second: Int = try await networking.request(url: url, cachePolicy: Self.both)
        #expect((first, second) == (1, 77))
    }
}
