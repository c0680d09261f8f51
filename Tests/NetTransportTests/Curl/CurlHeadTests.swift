#if os(Linux)
    import NetClient
    import TestLab
    import Testing

    /// Heads that arrive slowly, and one that has no body.
    @Suite(.timeLimit(.minutes(2))) struct CurlHeadTests {
        /// One line of a head, byte by byte, for three times the timeout: libcurl tells of a line only when it is whole.
        @Test func slowHeadWithSteadyBytesIsNotIdle() async throws {
            let line = "X-Slow: " + String(repeating: "a", count: 22)
            // A transport that waits for the whole line fails with each limit.
            try await withLimits([1, 3, 8]) { limit in
                let server = try DripServer(
                    ["HTTP/1.1 200 OK\r\n"] + line.map { String($0) } + ["\r\nContent-Length: 2\r\n\r\nok"],
                    pause: Int32(limit * 50))
                let transport = CurlTransport { $0.timeouts.idle = limit }
                // The second time over a connection that was used before.
                for streamed in [false, true] {
                    let (status, headers, body) = try await transport.fetch(server.url(), streamed: streamed)
                    #expect(status == 200 && body == Data("ok".utf8))
                    #expect(headers["X-Slow"] == String(repeating: "a", count: 22))
                }
                return true
            }
        }

        @Test func stalledHeadIsIdleTimeout() async throws {
            let server = try DripServer(["HTTP/1.1 200 OK\r\n", "X-Slow: a", "b"], pause: 50)
            try await withLimits([1, 4, 16]) { limit in
                let transport = CurlTransport { $0.timeouts.idle = limit }
                return try await transport.expectFailure(.idleTimeout, of: server.url())?.phase == .receivingHead
            }
        }

        /// 205 has no body, whatever it says (RFC 9110, section 15.3.6).
        @Test(
            arguments: ["", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 0\r\n"],
            [true, false])
        func resetContentHasNoBody(_ field: String, streamed: Bool) async throws {
            let body = field.contains("5") ? "hello" : field.contains("chunked") ? "5\r\nhello\r\n0\r\n\r\n" : ""
            let server = try DripServer(["HTTP/1.1 205 Reset Content\r\n\(field)X: y\r\n\r\n\(body)"])
            let transport = CurlTransport { $0.timeouts.idle = 30 }
            for _ in 0..<2 {
                let (status, headers, body) = try await transport.fetch(server.url(), streamed: streamed)
                #expect(status == 205 && headers["X"] == "y" && body.isEmpty)
            }
        }
    }
#endif
