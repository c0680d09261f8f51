#if os(Linux)
    import Testing

    @testable import NetTransport

    @Suite struct BodyTests {
        @Test(arguments: [
            ("Content-Length: 5", HTTP1BodyLength.bytes(5)), ("content-LENGTH:5", .bytes(5)),
            ("Content-Length: 5, 5", .bytes(5)),
            ("Content-Length: 005", .bytes(5)), ("Content-Length: 5\r\nContent-Length: 5", .bytes(5)),
            ("Content-Length: 9223372036854775807", .bytes(.max)), ("Transfer-Encoding: chunked", .chunked),
            ("transfer-encoding:CHUNKED", .chunked), ("Transfer-Encoding: identity", .untilClose),
            ("Transfer-Encoding: identity, chunked", .chunked),
            ("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", .chunked),
            ("X: y", .untilClose), ("Content-Length_: 5", .untilClose),
        ]) func bodyLengthFollowsContentLengthAndTransferEncoding(_ fields: String, length: HTTP1BodyLength) {
            #expect(parse(fields: fields).length == length)
        }

        @Test(arguments: [
            "", "+5", "-5", "5 5", "0x5", "5.", "5;", "9223372036854775808", "99999999999999999999999", "5,", ",5",
            "5,,5", "a", "\u{01}5", "\u{0B}5", "5\u{0C}", "\"5\"", "\u{665}", "5 a", "1e3",
        ]) func malformedContentLengthIsRefused(_ value: String) {
            #expect(parse(fields: "Content-Length: \(value)").error == .invalidContentLength)
            #expect(parse(fields: "Content-Length: \(value)", status: "HTTP/1.1 304 ").error == .invalidContentLength)
            #expect(HTTP1ParseError.invalidContentLength.code == .malformedHeader)
        }

        @Test(arguments: [
            ("Content-Length: 5, 6", HTTP1ParseError.differingContentLengths),
            ("Content-Length: 5\r\nContent-Length: 6", .differingContentLengths),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthAndTransferCoding),
            ("Transfer-Encoding: chunked\r\nContent-Length: 5", .lengthAndTransferCoding),
            ("Transfer-Encoding: identity\r\nContent-Length: 5", .lengthAndTransferCoding),
        ]) func conflictingLengthsAreRefused(_ fields: String, error: HTTP1ParseError) {
            #expect(parse(fields: fields).error == error && parse(fields: fields, isHead: true).error == error)
            #expect(error.code == .conflictingLengths)
        }

        @Test(arguments: [
            "", "gzip", "gzip, chunked", "chunked, gzip", "x-gzip", "deflate", "x-compress", "pigeons, chunked",
            "chunked, identity", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked", "chunked;q=1",
            "\"chunked\"", "xchunked", "chunke", "chunkedx", "chunked,", ",chunked", "\u{0B}chunked", "chunk\u{E9}d",
            "identity, gzip", "chunked\0".replacing("\0", with: "\u{01}"),
        ]) func unknownTransferCodingIsRefused(_ value: String) {
            #expect(parse(fields: "Transfer-Encoding: \(value)").error == .unknownTransferCoding)
        }

        /// RFC 9112, section 6.3: the end of the connection ends the body. It is delivered as it is.
        @Test(arguments: ["pigeons", "identity, pigeons", "gip"]) func unregisteredCodingEndsAtClose(_ value: String) {
            let feed = parse(fields: "Transfer-Encoding: \(value)")
            #expect(feed.length == .untilClose && !feed.isReusable)
        }

        @Test func headAndStatusesWithoutBodyEndWithTheHead() {
            for status in ["204", "205", "304"] {
                for fields in ["X: y", "Content-Length: 5", "Transfer-Encoding: chunked"] {
                    let feed = parse(fields: fields, status: "HTTP/1.1 \(status) x", body: "ab")
                    #expect(feed.length == HTTP1BodyLength.none && feed.events.last == .end(nil))
                    #expect(feed.pending == [0x61, 0x62])
                }
            }
            for fields in ["X: y", "Content-Length: 5", "Transfer-Encoding: chunked"] {
                let feed = parse(fields: fields, isHead: true)
                #expect(feed.length == HTTP1BodyLength.none && feed.events.last == .end(nil) && feed.isReusable)
                // A response to HEAD may end its connection as usual.
                #expect(!parse(fields: fields, "Connection: close", isHead: true).isReusable)
            }
        }

        @Test func bodyEndsAtItsContentLength() {
            var feed = parse(fields: "Content-Length: 5", body: "abc")
            #expect(feed.parser.expectedBodyBytes == 2 && feed.body == "abc")
            feed.receive(latin1("deHTTP"))
            #expect(feed.body == "abcde" && feed.events.last == .end(nil) && feed.pending == latin1("HTTP"))
            #expect(!feed.isReusable)
            #expect(parse(fields: "Content-Length: 5", body: "abc", closes: true).error == .closedWithinBody)
            #expect(parse(fields: "Content-Length: 5", body: "abcde", closes: true).events.last == .end(nil))
            #expect(HTTP1ParseError.closedWithinBody.code == .truncatedBody)
        }

        @Test func bodyReceivedOutsideTheParserIsCounted() {
            var feed = parse(fields: "Content-Length: 10", body: "abc")
            feed.parser.didReceiveBody(3)
            #expect(feed.parser.expectedBodyBytes == 4)
            feed.parser.didReceiveBody(4)
            #expect(feed.parser.expectedBodyBytes == 0)
            feed.receive([])
            #expect(feed.events.last == .end(nil) && feed.isReusable)
            var over = parse(fields: "Content-Length: 10")
            over.parser.didReceiveBody(11)
            over.receive([])
            #expect(over.events.last == .end(nil) && !over.isReusable)
            #expect(parse(fields: "Transfer-Encoding: chunked", body: "5\r\na").parser.expectedBodyBytes == nil)
            #expect(parse(fields: "X: y", body: "a").parser.expectedBodyBytes == nil)
            #expect(parse("HTTP/1.1 200").parser.expectedBodyBytes == nil)
            var chunked = parse(fields: "Transfer-Encoding: chunked", body: "5\r\na")
            chunked.parser.didReceiveBody(2)
            chunked.receive(latin1("bcde\r\n0\r\n\r\n"))
            #expect(chunked.body == "abcde" && !chunked.isReusable)
        }

        @Test(arguments: [
            ("5\r\nabcde\r\n0\r\n\r\n", "abcde"), ("1\r\na\r\n1\r\nb\r\n0\r\n\r\n", "ab"), ("0\r\n\r\n", ""),
            ("000\r\n\r\n", ""), ("0005\r\nabcde\r\n00\r\n\r\n", "abcde"),
            ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
            ("5;a=b;c=\"d;\"\r\nabcde\r\n0;x\r\n\r\n", "abcde"), ("5  \r\nabcde\r\n0 \t;\t\u{E9}\r\n\r\n", "abcde"),
        ]) func chunkedBodyIsJoined(_ text: String, body: String) {
            let feed = parse(fields: "Transfer-Encoding: chunked", body: text)
            #expect(feed.body == body && feed.events.last == .end(nil) && feed.isReusable)
        }

        @Test func trailersAreParsedOrRefused() {
            let head = "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
            for trailers in [
                "A: b\r\n\r\n", "A: b\nC: d\n\n", "A: b\r\n c\r\n\r\n",
                "Content-Length: x\r\n Transfer-Encoding: y\r\n\r\n",
            ] {
                let feed = parse(head + trailers)
                #expect(feed.events.last == .end(trailers) && feed.isReusable)
            }
            #expect(parse(head + "\n").events.last == .end(nil))
            for (trailers, error) in [
                ("A : b\r\n\r\n", HTTP1ParseError.blankBeforeColon), (" A: b\r\n", .foldedFirstLine),
                ("A: \0\r\n", .nulInValue), ("A: \r \r\n", .bareCarriageReturn),
                ("HTTP/1.1 200\r\n", .invalidFieldName),
            ] { #expect(parse(head + trailers).error == error) }
            #expect(parse(head + "A: b\r\n", closes: true).error == .closedWithinBody)
            #expect(parse(head, closes: true).error == .closedWithinBody)
        }

        @Test(arguments: [
            ("\r\n", HTTP1ParseError.invalidChunkSize), ("g\r\n", .invalidChunkSize), ("-1\r\n", .invalidChunkSize),
            (" 5\r\n", .invalidChunkSize), ("0x5\r\n", .invalidChunkSize), ("+5\r\n", .invalidChunkSize),
            ("5_0\r\n", .invalidChunkSize), (";a\r\n", .invalidChunkSize), ("5 5\r\n", .invalidChunkSize),
            ("5,\r\n", .invalidChunkSize), ("5\u{0B}\r\n", .invalidChunkSize), ("5\0\r\n", .invalidChunkSize),
            ("8000000000000000\r\n", .chunkSizeOverflow), ("fffffffffffffffff\r\n", .chunkSizeOverflow),
            ("5\nabcde", .missingChunkEnd), ("5;a\nabcde", .missingChunkEnd), ("5 \nabcde", .missingChunkEnd),
            ("5\rabcde", .missingChunkEnd), ("5;a\rb\r\n", .missingChunkEnd), ("5\r\nabcdef\r\n", .missingChunkEnd),
            ("5\r\nabcde\n0\r\n\r\n", .missingChunkEnd), ("5\r\nabcde\r0\r\n\r\n", .missingChunkEnd),
            ("5;a\0\r\n", .invalidChunkExtension), ("5;\u{7F}\r\n", .invalidChunkExtension),
            ("5\r\nabcde0\r\n\r\n", .missingChunkEnd), ("0\n\r\n", .missingChunkEnd),
        ]) func malformedChunkIsRefused(_ text: String, error: HTTP1ParseError) {
            #expect(parse(fields: "Transfer-Encoding: chunked", body: text).error == error)
            #expect(error.code == .malformedChunk)
        }

        @Test func largestChunkSizeIsAccepted() {
            let feed = parse(fields: "Transfer-Encoding: chunked", body: "7fffffffffffffff\r\nabc")
            #expect(feed.error == nil && feed.body == "abc")
        }

        @Test func chunkLineOverTheLimitIsRefused() {
            let limits = HTTP1Limits(chunkLineBytes: 8)
            let head = "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"
            #expect(parse(head + "1;aaaaaa\r\nx\r\n00000001\r\nx\r\n", limits: limits).body == "xx")
            for line in ["1;aaaaaaa", "000000001", "1        "] {
                #expect(parse(head + line + "\r\nx", limits: limits).error == .chunkLineTooLong, "\(line)")
            }
        }

        @Test func truncatedChunkedBodyIsClosedWithinBody() {
            for cut in ["", "5", "5;", "5\r", "5\r\n", "5\r\nabc", "5\r\nabcde", "5\r\nabcde\r\n", "0\r\n", "0\r\n\r"] {
                #expect(parse(fields: "Transfer-Encoding: chunked", body: cut, closes: true).error == .closedWithinBody)
            }
        }
    }
#endif
