#if os(Linux)
    import NetClient
    import NetTesting
    import Testing

    /// 205 has no body, whatever it says (RFC 9110, section 15.3.6).
    @Suite(.timeLimit(.minutes(1))) struct CurlResetContentTests {
        @Test(
            arguments: ["", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 0\r\n"],
            [true, false])
        func isCompleteWithItsHead(_ field: String, streamed: Bool) async throws {
            let body = field.contains("5") ? "hello" : field.contains("chunked") ? "5\r\nhello\r\n0\r\n\r\n" : ""
            let server = try DripServer(["HTTP/1.1 205 Reset Content\r\n\(field)X: y\r\n\r\n\(body)"])
            let transport = CurlTransport { $0.timeouts.idle = 5 }
            for _ in 0..<2 {
                let (status, headers, body) = try await transport.fetch(server.url(), streamed: streamed)
                #expect(status == 205)
                #expect(headers["X"] == "y")
                #expect(body.isEmpty)
            }
        }
    }
#endif
