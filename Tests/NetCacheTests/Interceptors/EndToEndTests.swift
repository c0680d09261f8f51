import NetCache
import NetClient
import NetTesting
import Testing

@Suite("ResponseCache, end to end") struct EndToEndTests {
    private let server: MockServer
    private let client = NetworkClient(cache: ResponseCache(maxEntries: 10))
    init() throws { server = try MockServer() }

    @Test func staleResponseIsRevalidatedWithItsETag() async throws {
        server.enqueue(
            .text("one").header("Cache-Control", "max-age=0").header("ETag", "\"1\""),
            .status(304, headers: ["Cache-Control": "max-age=3600"]))
        let request = URLRequest(url: server.url("/a"))
        for status in ["fwd=uri-miss; ", "fwd=stale; fwd-status=304; ttl=", "hit"] {
            let (data, response) = try await client.data(for: request)
            #expect((data, response.status) == (Data("one".utf8), 200))
            #expect(response.headers["Cache-Status"]?.hasPrefix("Networking; " + status) == true, "\(status)")
        }
        #expect((server.requests.count, server.requests.last?.headers["If-None-Match"]) == (2, "\"1\""))
    }

    @Test func storedRedirectAppearsInRedirects() async throws {
        server.on(.get, "/a", .redirect(to: "/b", status: 301).header("Cache-Control", "max-age=3600"))
        server.on(.get, "/b", .text("there").trailers(["X-Sum": "1"]).header("Cache-Control", "max-age=3600"))
        for isStored in [false, true] {
            let (data, response) = try await client.data(for: URLRequest(url: server.url("/a")))
            #expect(data == Data("there".utf8) && response.redirects.map(\.status) == [301])
            #expect(response.redirects.first?.url == server.url("/a"))
            #expect(response.redirects.first?.headers["Cache-Status"]?.contains("hit") == isStored)
            // A stored response came over no connection, and its trailers are not stored (RFC 9111, section 3.1).
            #expect((response.connection == nil) == isStored && (response.trailers == nil) == isStored)
        }
        #expect(server.requests.map(\.path) == ["/a", "/b"])
    }

    @Test func chunkedResponseIsStored() async throws {
        server.on(.get, "/a", .chunked(["one", "two", "three"]).header("Cache-Control", "max-age=3600"))
        for _ in 0..<2 {
            let response = try await client.send(URLRequest(url: server.url("/a")))
            #expect(try await response.body.collect(upTo: 100) == Data("onetwothree".utf8))
        }
        #expect(server.requests.count == 1)
    }

    @Test func staleIfErrorServesAfterTheServerStops() async throws {
        let client = NetworkClient(cache: .shared)
        let request = URLRequest(url: server.url("/\(UUID().uuidString)"))
        server.enqueue(.text("one").header("Cache-Control", "max-age=0, stale-if-error=3600"))
        _ = try await client.data(for: request)
        await server.stop()
        let reply = try await client.data(for: request)
        #expect(reply.data == Data("one".utf8))
        #expect(reply.response.headers["Cache-Status"]?.contains("stale-if-error") == true)
    }
}
