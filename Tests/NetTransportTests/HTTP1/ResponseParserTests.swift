#if os(Linux)
    import Testing

    @testable import NetTransport

    @Suite struct ResponseParserTests {
        @Test(arguments: [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 \r\n", "HTTP/1.1 200\r\n", "HTTP/1.1 200\n", "HTTP/1.0 200 A b: c\r\n",
            "HTTP/1.7 200 \u{FC}\u{01}\r\n",
        ]) func validStatusLineIsAccepted(_ line: String) {
            let feed = parse(line + "Content-Length: 0\r\n\r\n")
            #expect(feed.events == [.head(200, .bytes(0), line + "Content-Length: 0\r\n\r\n"), .end(nil)])
        }

        @Test(arguments: [
            ("HTTP/2 200\r\n", HTTP1ParseError.unsupportedVersion), ("HTTP/2.0 200 OK\r\n", .unsupportedVersion),
            ("HTTP/1.10 200 OK\r\n", .unsupportedVersion), ("HTTP/1.x 200 OK\r\n", .unsupportedVersion),
            ("HTTP/1 200 OK\r\n", .unsupportedVersion), ("ICY 200 OK\r\n", .notHTTP), ("<html>", .notHTTP),
            ("http/1.1 200 OK\r\n", .notHTTP), (" HTTP/1.1 200 OK\r\n", .notHTTP), ("\0", .notHTTP), ("\r\0", .notHTTP),
            ("HTTP/1.1  200 OK\r\n", .invalidStatus), ("HTTP/1.1 099 OK\r\n", .invalidStatus),
            ("HTTP/1.1 600 OK\r\n", .invalidStatus), ("HTTP/1.1 000 OK\r\n", .invalidStatus),
            ("HTTP/1.1 20 OK\r\n", .invalidStatus), ("HTTP/1.1 2000 OK\r\n", .invalidStatus),
            ("HTTP/1.1 200OK\r\n", .invalidStatus), ("HTTP/1.1 200\tOK\r\n", .invalidStatus),
            ("HTTP/1.1 -20 OK\r\n", .invalidStatus), ("HTTP/1.1\t200 OK\r\n", .unsupportedVersion),
            ("HTTP/1.1 200 O\rK\r\n", .invalidStatusLine), ("HTTP/1.1 200 O\0K\r\n", .invalidStatusLine),
            ("\u{15}\u{03}\u{01}\0\u{02}\u{02}\u{46}", .looksLikeTLS), ("\u{16}\u{03}\u{03}", .looksLikeTLS),
            ("\u{15}\u{02}", .notHTTP),
        ]) func malformedStatusLineIsRefused(_ line: String, error: HTTP1ParseError) {
            #expect(parse(line).error == error && error.code == .malformedStatusLine)
        }

        @Test func twoEmptyLinesAreAcceptedBeforeTheFirstResponseOnly() {
            let response = "HTTP/1.1 204 \r\n\r\n"
            for lines in ["\r\n", "\r\n\r\n", "\n\r\n"] {
                #expect(parse(lines + response).events == [.head(204, .none, response), .end(nil)])
            }
            #expect(parse("\r\n\r\n\r\n" + response).error == .notHTTP)
            var feed = parse(response)
            #expect(feed.isReusable)
            feed.parser.restart(isHead: false)
            #expect(!feed.parser.hasBegun)
            feed.receive(latin1("\r\n" + response))
            #expect(feed.error == .notHTTP)
        }

        @Test(arguments: [
            "A: b", "a:b", "A:", "A: ", "A:\t b \t", "!#$%&'*+-.^_`|~09azAZ: x",
            "A: \u{01}\u{08}\u{0B}\u{0C}\u{1F}\u{7F}", "A: \u{80}\u{FF}", "A: b:c", "A: b\r\n c\r\n\td\r\n ",
            "A: \r\n \r\n b", "Content-Lengths: x", "Content-Lengt_: x",
        ]) func validFieldLineIsAccepted(_ line: String) {
            let feed = parse(fields: line, "Content-Length: 0")
            #expect(feed.length == .bytes(0) && feed.isReusable)
            #expect(parse("HTTP/1.1 200 OK\n" + line + "\nContent-Length: 0\n\n").length == .bytes(0))
        }

        @Test(arguments: [
            ("A : b", HTTP1ParseError.blankBeforeColon), ("A\t: b", .blankBeforeColon), ("A b: c", .blankBeforeColon),
            (": b", .invalidFieldName), ("A", .invalidFieldName), ("(A): b", .invalidFieldName),
            ("A\u{E4}: b", .invalidFieldName), ("A\0: b", .invalidFieldName), ("A\r: b", .invalidFieldName),
            ("A: b\rc", .bareCarriageReturn), ("A: b\r\r", .bareCarriageReturn), ("\rA: b", .bareCarriageReturn),
            ("A: b\0", .nulInValue), ("A: b\r\n c\0", .nulInValue), ("A: b\r\n c\r d", .bareCarriageReturn),
            (" A: b", .foldedFirstLine), ("\tA: b", .foldedFirstLine), (" ", .foldedFirstLine),
            ("Content-Length: 1\r\n 2", .foldedFraming), ("Content-Length: 1\r\n ", .foldedFraming),
            ("Transfer-Encoding: chunked\r\n\t, gzip", .foldedFraming),
            ("Transfer-Encoding:\r\n chunked", .unknownTransferCoding),
        ]) func malformedFieldLineIsRefused(_ line: String, error: HTTP1ParseError) {
            #expect(parse(fields: line).error == error && error.code == .malformedHeader)
        }

        @Test func truncatedHeadIsConnectionLost() {
            // A carriage return at the end may still become CRLF.
            for text in [
                "", "H", "\r", "HTTP/1.1 200", "HTTP/1.1 200 OK\r", "HTTP/1.1 200 OK\r\nA: b\r",
                "HTTP/1.1 200 OK\r\n\r", "\u{16}",
            ] {
                var feed = parse(text)
                #expect(feed.events.isEmpty)
                feed.close()
                #expect(feed.error == (text.isEmpty ? .closedBeforeResponse : .closedWithinHead))
                #expect(feed.error?.code == .connectionLost && feed.parser.hasBegun == !text.isEmpty)
            }
        }

        @Test func contentEncodingOtherThanIdentityIsEncoded() {
            for (value, isEncoded) in [
                ("gzip", true), ("identity", false), ("IDENTITY", false), ("", false), ("identity, br", true),
                ("\u{01}", true), ("\r\n gzip", true), ("x", true),
            ] { #expect(parse(fields: "content-encoding: \(value)", "Content-Length: 0").head?.isEncoded == isEncoded) }
            #expect(parse(fields: "Content-Encoding: gzip", "Content-Encoding: identity").head?.isEncoded == true)
            #expect(parse(fields: "Content-Encodinx: gzip", "ETag: gzip").head?.isEncoded == false)
        }

        @Test func interimResponsesPrecedeTheFinalOne() {
            let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            let feed = parse("HTTP/1.1 100\r\n\r\n" + early + "HTTP/1.1 204 \r\n\r\n")
            let last = Event.head(204, .none, "HTTP/1.1 204 \r\n\r\n")
            #expect(feed.events == [.interim(100, "HTTP/1.1 100\r\n\r\n"), .interim(103, early), last, .end(nil)])
            #expect(feed.isReusable)
            // Facts of an interim head do not carry over to the final one.
            let first = "HTTP/1.1 100\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n"
            let length = parse(first + "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx")
            #expect(length.body == "x" && length.head?.isEncoded == false && length.isReusable)
        }

        @Test func switchingProtocolsIsAnUpgrade() {
            let text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
            var feed = parse(text + "\u{81}\u{00}")
            #expect(feed.events == [.upgrade(text)] && feed.pending == [0x81, 0x00] && !feed.isReusable)
            #expect(feed.length == HTTP1BodyLength.none)
            feed.close()
            #expect(feed.events.last == .end(nil))
        }

        @Test func headLimitsAreExact() {
            let limits = HTTP1Limits(headBytes: 100, fieldCount: 3, chunkLineBytes: 8, interimResponses: 2)
            func head(_ count: Int) -> String {
                "HTTP/1.1 204 \r\n" + String(repeating: "a", count: count - 22) + ": x\r\n\r\n"
            }
            func trailer(_ count: Int) -> String {
                "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: \(String(repeating: "a", count: count))\r\n\r\n"
            }
            func start(_ count: Int) -> String { String(head(200).unicodeScalars.prefix(count)) }
            let interim = "HTTP/1.1 100 \r\n\r\n"
            let cases: [(String, HTTP1ParseError?)] = [
                (head(100), nil), (head(101), .headTooLarge),
                // It fails with the first byte over the limit, and not before.
                (start(100), nil), (start(101), .headTooLarge),
                // Interim heads and trailers count.
                (interim + head(83), nil), (interim + head(84), .headTooLarge), (trailer(49), nil),
                (trailer(50), .headTooLarge),
                // Folded lines, and lines of interim heads, count as fields.
                ("HTTP/1.1 204\r\nA:\r\n b\r\n c\r\n\r\n", nil),
                ("HTTP/1.1 204\r\nA:\r\n b\r\n c\r\nD:\r\n\r\n", .tooManyFields),
                ("HTTP/1.1 103\r\nA:\r\nB:\r\n\r\nHTTP/1.1 204\r\nA:\r\nB:\r\n\r\n", .tooManyFields),
                (interim + interim + "HTTP/1.1 204\r\n\r\n", nil),
                (interim + interim + interim, .tooManyInterimResponses),
            ]
            for (text, error) in cases { #expect(parse(text, limits: limits).error == error, "\(text)") }
            #expect(parse("aaa", limits: HTTP1Limits(headBytes: 0)).error == .headTooLarge)
            #expect(HTTP1ParseError.headTooLarge.code == .headersTooLarge)
            // Each response has its own limits.
            var feed = parse(head(100), limits: limits)
            feed.parser.restart(isHead: false)
            feed.receive(latin1(head(100)))
            #expect(feed.error == nil)
        }

        // MARK: Reuse

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
