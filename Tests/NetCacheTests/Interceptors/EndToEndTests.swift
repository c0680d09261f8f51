import NetCache
import NetClient
import NetTesting
import Testing

/// Through a client, over sockets.
@Suite("ResponseCache, end to end") struct EndToEndTests {
    private let server: MockServer
    private let client = NetworkClient(cache: ResponseCache())
    init() throws { server = try MockServer() }

    @Test func staleResponseIsRevalidatedWithItsETag() async throws {
        let client = NetworkClient(cache: ResponseCache(maxEntries: 10))
        server.enqueue(
            .text("one").header("Cache-Control", "max-age=0").header("ETag", "\"1\""),
            .status(304, headers: ["Cache-Control": "max-age=60"]))
        let request = URLRequest(url: server.url("/a"))
        #expect(try await client.data(for: request).data == Data("one".utf8))
        let validated = try await client.data(for: request)
        #expect(validated.data == Data("one".utf8))
        #expect(validated.response.status == 200)
        #expect(
            validated.response.headers["Cache-Status"]?.hasPrefix("Networking; fwd=stale; fwd-status=304; ttl=") == true
        )
        let hit = try await client.data(for: request)
        #expect(hit.response.headers["Cache-Status"]?.hasPrefix("Networking; hit") == true)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.headers["If-None-Match"] == "\"1\"")
        await client.shutdown()
    }

    @Test func storedRedirectAppearsInRedirects() async throws {
        server.on(.get, "/a", .redirect(to: "/b", status: 301).header("Cache-Control", "max-age=60"))
        server.on(.get, "/b", .text("there").trailers(["X-Sum": "1"]).header("Cache-Control", "max-age=60"))
        for isStored in [false, true] {
            let (data, response) = try await client.data(for: URLRequest(url: server.url("/a")))
            #expect(data == Data("there".utf8) && response.redirects.map(\.status) == [301])
            #expect(response.redirects.first?.url == server.url("/a"))
            #expect(response.redirects.first?.headers["Cache-Status"]?.contains("hit") == isStored)
            // A stored response came over no connection, and its trailers are not stored (RFC 9111, section 3.1).
            #expect((response.connection == nil) == isStored && (response.trailers == nil) == isStored)
        }
        #expect(server.requests.count == 2)
    }

    @Test func chunkedResponseIsStored() async throws {
        server.on(.get, "/a", .chunked(["one", "two", "three"]).header("Cache-Control", "max-age=60"))
        let first = try await client.send(URLRequest(url: server.url("/a")))
        #expect(try await first.body.collect(upTo: 100) == Data("onetwothree".utf8))
        let second = try await client.send(URLRequest(url: server.url("/a")))
        #expect(try await second.body.collect(upTo: 100) == Data("onetwothree".utf8))
        #expect(server.requests.count == 1)
        await client.shutdown()
    }

    @Test func truncatedBodyIsNotStored() async throws {
        server.enqueue(
            .raw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\n12345"),
            .text("whole").header("Cache-Control", "max-age=60"))
        await #expect(throws: NetworkFailure.self) { try await client.data(for: URLRequest(url: server.url("/a"))) }
        #expect(try await client.data(for: URLRequest(url: server.url("/a"))).data == Data("whole".utf8))
        await client.shutdown()
        await server.stop()
    }

    @Test func redirectsAreStoredHopByHop() async throws {
        server.on(.get, "/a", .redirect(to: "/b", status: 301).header("Cache-Control", "max-age=60"))
        server.on(.get, "/b", .text("b").header("Cache-Control", "max-age=60"))
        for _ in 0..<3 { #expect(try await client.data(for: URLRequest(url: server.url("/a"))).data == Data("b".utf8)) }
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        await client.shutdown()
    }

    @Test func staleIfErrorServesAfterTheServerStops() async throws {
        let client = NetworkClient(cache: .shared)
        let request = URLRequest(url: server.url("/\(UUID().uuidString)"))
        server.enqueue(.text("one").header("Cache-Control", "max-age=0, stale-if-error=60"))
        _ = try await client.data(for: request)
        await server.stop()
        let reply = try await client.data(for: request)
        #expect(reply.data == Data("one".utf8))
        #expect(reply.response.headers["Cache-Status"]?.contains("stale-if-error") == true)
        await client.shutdown()
    }
}
