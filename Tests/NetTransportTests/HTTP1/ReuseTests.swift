#if os(Linux)
    import Testing

    @testable import NetTransport

    @Suite struct ReuseTests {
        @Test(arguments: [
            ("HTTP/1.1 200", "Content-Length: 0", true),
            ("HTTP/1.1 200", "Content-Length: 0\r\nConnection: close", false),
            ("HTTP/1.1 200", "Content-Length: 0\r\nConnection: keep-alive, CLOSE", false),
            ("HTTP/1.1 200", "Content-Length: 0\r\nConnection: a,close\r\nConnection: keep-alive", false),
            ("HTTP/1.1 200", "Content-Length: 0\r\nConnection: closed, , x", true),
            ("HTTP/1.1 200", "Content-Length: 0\r\nConnection: a,\r\n close", false),
            ("HTTP/1.1 200", "Content-Length: 0\r\nA: close\r\n close", true),
            ("HTTP/1.0 200", "Content-Length: 0", false),
            ("HTTP/1.0 200", "Content-Length: 0\r\nConnection: Keep-Alive", true),
            ("HTTP/1.0 200", "Content-Length: 0\r\nConnection: x, keep-alive", true),
            ("HTTP/1.0 200", "Content-Length: 0\r\nConnection: keep-alive, close", false),
            ("HTTP/1.0 200", "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0", false),
            ("HTTP/1.1 200", "Transfer-Encoding: chunked\r\n\r\n0", true),
            ("HTTP/1.1 200", "Transfer-Encoding: identity, chunked\r\n\r\n0", false), ("HTTP/1.1 204", "A: b", true),
            ("HTTP/1.1 204", "Content-Length: 0", true), ("HTTP/1.1 204", "Content-Length: 1", false),
            ("HTTP/1.1 204", "Transfer-Encoding: chunked", false), ("HTTP/1.1 304", "Content-Length: 1", true),
            ("HTTP/1.1 304", "Transfer-Encoding: chunked", true), ("HTTP/1.1 205", "Content-Length: 0", true),
            ("HTTP/1.1 205", "A: b", false), ("HTTP/1.1 205", "Content-Length: 1", false),
            ("HTTP/1.1 205", "Transfer-Encoding: chunked", false),
            ("HTTP/1.1 100", "A: b\r\n\r\nHTTP/1.1 204 \r\nA: b", true),
            ("HTTP/1.1 100", "Content-Length: 1\r\n\r\nHTTP/1.1 204 \r\nA: b", false),
            ("HTTP/1.1 103", "Transfer-Encoding: chunked\r\n\r\nHTTP/1.1 204 \r\nA: b", false),
            ("HTTP/1.1 103", "Connection: close\r\n\r\nHTTP/1.1 204 \r\nA: b", false),
        ]) func keepAliveRulesDecideReuse(_ status: String, fields: String, isReusable: Bool) {
            let feed = parse("\(status)\r\n\(fields)\r\n\r\n")
            #expect(feed.events.last == .end(nil) && feed.isReusable == isReusable)
        }

        @Test func incompleteResponseIsNotReusable() {
            for text in [
                "", "HTTP/1.1 204\r\n", "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\n", "HTTP/1.1 100\r\n\r\n",
                "HTTP/1.1 100 \r\n\r\nx",
            ] { #expect(!parse(text).isReusable) }
        }

        @Test func surplusBytesPreventReuse() {
            let response = "HTTP/1.1 204\r\n\r\n"
            // In the same call, and in a later one.
            let feed = parse(response + "\r\n")
            #expect(feed.events.last == .end(nil) && feed.pending == [13, 10] && !feed.isReusable)
            var later = parse(response)
            #expect(later.isReusable)
            later.receive([])
            #expect(later.isReusable)
            later.receive(latin1("H"))
            #expect(!later.isReusable && later.events.count == 2)
            // The end takes a call of its own, in which the caller may not show the bytes. Then it has to look itself.
            #expect(!parse("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx").isReusable)
        }

        @Test func closedConnectionIsNotReusable() { #expect(!parse("HTTP/1.1 204\r\n\r\n", closes: true).isReusable) }

        @Test(arguments: [
            ("timeout=5, max=100", 5), ("max=1,TIMEOUT=60", 60), ("timeout=0", 0), ("timeout=", nil),
            ("timeout=-1", nil), ("timeout=5s", nil), ("timeout", nil), ("", nil),
            ("timeout=99999999999999999999", nil), ("xtimeout=5", nil), ("timeout=9223372036854775807", Int.max),
        ]) func keepAliveTimeoutIsParsed(_ value: String, seconds: Int?) {
            #expect(parse(fields: "Keep-Alive: \(value)", "Content-Length: 0").parser.keepAliveSeconds == seconds)
        }

        @Test func restartedParserReadsTheNextResponse() {
            var feed = Feed()
            for _ in 0..<3 {
                feed.parser.restart(isHead: false)
                #expect(!feed.parser.hasBegun && feed.parser.keepAliveSeconds == nil)
                feed.events = []
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nKeep-Alive: timeout=3\r\n\r\n"
                feed.receive(latin1(head + "1\r\na\r\n0\r\nA: b\r\n\r\n"))
                #expect(feed.body == "a" && feed.events.last == .end("A: b\r\n\r\n"))
                #expect(feed.parser.keepAliveSeconds == 3 && feed.isReusable)
            }
        }

        @Test func parseErrorStaysUntilRestart() {
            var feed = parse("HTTP/2")
            #expect(throws: HTTP1ParseError.unsupportedVersion) { try next(&feed.parser, latin1("HTTP/1.1 200\n\n")) }
            #expect(throws: HTTP1ParseError.unsupportedVersion) { try feed.parser.connectionClosed() }
            #expect(!feed.isReusable)
            feed.parser.restart(isHead: false)
            #expect(throws: HTTP1ParseError.closedBeforeResponse) { try feed.parser.connectionClosed() }
        }

        @Test func eachParseErrorHasItsOwnMessage() {
            for error in HTTP1ParseError.allCases { #expect(error.message.hasSuffix(".")) }
            #expect(Set(HTTP1ParseError.allCases.map(\.message)).count == HTTP1ParseError.allCases.count)
        }
    }
#endif
