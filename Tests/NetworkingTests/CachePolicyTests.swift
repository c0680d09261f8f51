import NetTesting
import Networking
import Testing

/// What a `CachePolicy` does to a `Networking` (seed 000, Quick Start and Making Requests): the whole way, over a socket.
@Suite struct CachePolicyTests {
    /// Each answer of `/count` is another number.
    let server: MockServer
    let clock = TestClock()
    let networking: Networking
    let readWrite = CachePolicy(useCache: true, storeCache: true)

    init() throws {
        let count = Locked(0)
        server = try MockServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let response = MockResponse.json(number)
            return request.path == "/no-store" ? response.header("Cache-Control", "no-store") : response
        }
        networking = Networking(transport: .platform, cache: NetworkCache(clock: clock), clock: clock)
    }

    private func number(
        _ policy: CachePolicy?, path: String = "/count", headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> Int {
        try await networking.request(url: server.url(path), headers: headers, cachePolicy: policy)
    }

    @Test func missThenHit() async throws {
        #expect(try await number(readWrite) == 1)
        #expect(try await number(readWrite) == 1)
        let response: NetworkResponse<Int> = await networking.request(url: server.url("/count"), cachePolicy: readWrite)
        #expect(response.statusCode == 200)
        #expect(response.headers["Cache-Status"] == "Networking; hit")
        #expect(server.requests.count == 1)
    }

    @Test func withoutAPolicy() async throws {
        #expect(try await number(nil) == 1)
        #expect(try await number(nil) == 2)
    }

    @Test func storeWithoutUse() async throws {
        let write = CachePolicy(useCache: false, storeCache: true)
        #expect(try await number(write) == 1)
        #expect(try await number(write) == 2)
        #expect(try await number(readWrite) == 2)
    }

    @Test func useWithoutStore() async throws {
        let read = CachePolicy(useCache: true, storeCache: false)
        #expect(try await number(read) == 1)
        #expect(try await number(read) == 2)
        #expect(try await number(readWrite) == 3)
        #expect(try await number(read) == 3)
    }

    @Test func expiry() async throws {
        let hour = CachePolicy(useCache: true, storeCache: true, expireTime: clock.now.addingTimeInterval(3600))
        #expect(try await number(hour) == 1)
        await clock.advance(by: 3599)
        #expect(try await number(hour) == 1)
        await clock.advance(by: 2)
        #expect(try await number(hour) == 2)
    }

    @Test func noStoreWins() async throws {
        #expect(try await number(readWrite, path: "/no-store") == 1)
        #expect(try await number(readWrite, path: "/no-store") == 2)
    }

    @Test func usersAreKeptApart() async throws {
        let leia: HTTPHeaders = [.authorization(bearerToken: "leia")]
        let han: HTTPHeaders = [.authorization(bearerToken: "han")]
        #expect(try await number(readWrite, headers: leia) == 1)
        #expect(try await number(readWrite, headers: han) == 2)
        #expect(try await number(readWrite) == 3)
        #expect(try await number(readWrite, headers: leia) == 1)
        #expect(try await number(readWrite, headers: han) == 2)
    }

    @Test func failuresAreNotStored() async throws {
        server.enqueue(.status(500))
        let failed: NetworkResponse<Int> = await networking.request(url: server.url("/count"), cachePolicy: readWrite)
        #expect(failed.statusCode == 500)
        #expect(try await number(readWrite) == 1)
    }

    @Test func withoutACache() async throws {
        let bare = Networking(cache: nil)
        let reading: NetworkResponse<Int> = await bare.request(url: server.url("/count"), cachePolicy: readWrite)
        guard case .unsupported? = reading.error else {
            Issue.record("A policy that reads, without a cache, gave \(reading)")
            return
        }
        let plain: NetworkResponse<Int> = await bare.request(url: server.url("/count"), cachePolicy: .networkOnly)
        #expect(plain.value == 1)
    }

    /// A cache of the user's own stands in the same place.
    @Test func injectedCache() async throws {
        final class Own: ResponseCaching {
            let stored = Locked<[URL: Data]>([:])
            func setResponse(_ data: Data, for url: URL, expireTime: Date?) { stored.withLock { $0[url] = data } }
            func getResponse(for url: URL) -> Data? { stored.withLock { $0[url] } }
            func clear() { stored.withLock { $0 = [:] } }
        }
        let own = Own()
        let networking = Networking(cache: own)
        let url = server.url("/count")
        let first: Int = try await networking.request(url: url, cachePolicy: readWrite)
        #expect(own.stored.withLock { $0 } == [url: Data("1".utf8)])
        own.setResponse(Data("77".utf8), for: url, expireTime: nil)
        let second: Int = try await networking.request(url: url, cachePolicy: readWrite)
        #expect((first, second) == (1, 77))
    }

    /// Adds a token where no cache can see it.
    private struct HiddenToken: RequestInterceptor {
        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            return request
        }
    }

    @Test(arguments: [nil, "leia"]) func whatWasSentWithHiddenCredentialsIsStoredForANamedUserOnly(
        user: String?
    ) async throws {
        let server = try MockServer { _ in .text("hers") }
        let networking = Networking(interceptor: HiddenToken(), partition: { user })
        let policy = CachePolicy(useCache: true, storeCache: true)
        for _ in 0..<2 {
            let text: String = try await networking.request(url: server.url("/mine"), cachePolicy: policy)
            #expect(text == "hers")
        }
        #expect(server.requests.count == (user == nil ? 2 : 1))
        await server.stop()
    }

    @Test func whatWasSentWithCookiesOfTheTransportIsNotStored() async throws {
        let server = try MockServer { _ in MockResponse.text("hers").header("Set-Cookie", "session=1") }
        let networking = Networking()
        let policy = CachePolicy(useCache: true, storeCache: true)
        try await networking.request(url: server.url("/sign-in"))
        for _ in 0..<2 {
            let _: String = try await networking.request(url: server.url("/mine"), cachePolicy: policy)
        }
        #expect(server.requests.filter { $0.path == "/mine" }.count == 2)
        #expect(server.requests.last?.headers["Cookie"] == "session=1")
        await server.stop()
    }
}
