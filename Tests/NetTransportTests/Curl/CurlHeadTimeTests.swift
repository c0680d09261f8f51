#if os(Linux)
    import NetClient
    import NetTesting
    import Testing

    /// The idle timeout while the head comes.
    @Suite(.timeLimit(.minutes(1))) struct CurlHeadTimeTests {
        /// One line of a head, byte by byte, for three times the timeout: libcurl tells of a line only when it is whole.
        @Test func bytesOfAHeadCount() async throws {
            let line = "X-Slow: " + String(repeating: "a", count: 22)
            let server = try DripServer(
                ["HTTP/1.1 200 OK\r\n"] + line.map { String($0) } + ["\r\nContent-Length: 2\r\n\r\nok"], pause: 100)
            let transport = CurlTransport { $0.timeouts.idle = 1 }
            // The second time over a connection that was used before.
            for streamed in [false, true] {
                let (status, headers, body) = try await transport.fetch(server.url(), streamed: streamed)
                #expect(status == 200)
                #expect(headers["X-Slow"] == String(repeating: "a", count: 22))
                #expect(body == Data("ok".utf8))
            }
        }

        @Test func aHeadThatStopsIsIdle() async throws {
            let server = try DripServer(["HTTP/1.1 200 OK\r\n", "X-Slow: a", "b"], pause: 50)
            let transport = CurlTransport { $0.timeouts.idle = 0.4 }
            try await transport.expectFailure(.idleTimeout, phase: .receivingHead, of: server.url())
        }
    }
#endif
