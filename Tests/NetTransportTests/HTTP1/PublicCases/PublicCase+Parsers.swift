#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After the ideas of llhttp's `test/response`, and of those in `test/request` that are about fields and bodies.
        static let ofLLHTTP: [PublicCase] = [
            .init("Proxy-Connection", ok("Content-Length: 2\r\nProxy-Connection: close", "hi"), .reusable("hi")),
            .init(
                "HTTP/1.0, keep-alive, no length", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nHTTP/1.0 200 OK",
                .last("HTTP/1.0 200 OK")),
            .init("1.0, keep-alive, 204", "HTTP/1.0 204 No content\r\nConnection: keep-alive\r\n\r\n", .reusable(204)),
            .init("204, then a response", "HTTP/1.1 204 No content\r\n\r\nHTTP/1.1 200 OK", .last(204)),
            .init("no length", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK", .last("HTTP/1.1 200 OK")),
            .init("204 and a response", reply("204 No content", "Connection: close", "HTTP/1.1 200 OK"), .last(204)),
            .init(
                "bytes after a response with close",
                reply("200 x", "Content-Length: 5\r\nConnection: close", "2ad731e3"), .last("2ad73")),
            .init(
                "101 with a length",
                reply("101 x", "Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 4", "bodyproto"), .last(101)),
            .init(
                "101 with chunks",
                reply(
                    "101 x", "Connection: upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked",
                    "2\r\nbo\r\n0\r\n\r\nproto"), .last(101)),
            .init("200 with Upgrade", ok("Connection: upgrade\r\nUpgrade: h2c", "body"), .last("body")),
            .init(
                "200 with Upgrade and a length", ok("Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 4", "body"),
                .reusable("body")),
            .init("304 with a length", reply("304 Not Modified", "Content-Length: 10"), .reusable(304)),
            .init(
                "304 with chunked, then a response",
                reply("304 Not Modified", "Transfer-Encoding: chunked", "HTTP/1.1 200 OK\r\n"), .last(304)),
            .refused(
                "an empty line after 100",
                "HTTP/1.1 100 Continue\r\n\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", .notHTTP),
            .init(
                "103, then 200",
                reply("103 Early Hints", "Link: </a>; rel=preload", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
                .reusable("hi")),
            .init(
                "Content-Length-X", ok("Content-Length-X: 0\r\nTransfer-Encoding: chunked", "2\r\nOK\r\n0\r\n\r\n"),
                .reusable("OK")),
            .init("HEAD, then a response", ok("Content-Length: 123", "HTTP/1.1 200 OK\r\n"), .last(), isHead: true),
            .init("tabbed length", ok("Content-Length:\t2\t", "hi"), .reusable("hi")),
            .init("padded length", ok("Content-Length: 2 \t", "hi"), .reusable("hi")),
            .refused("HTP", "HTP/1.1 200 OK\r\n\r\n", .notHTTP),
            .refused("two digits of the major version", "HTTP/01.1 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("HTTP/11.1", "HTTP/11.1 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("two digits of the minor version", "HTTP/1.01 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("tab after the version", "HTTP/1.1\t200 OK\r\n\r\n", .unsupportedVersion),
            .refused("CR first", "\rHTTP/1.1\t200 OK\r\n\r\n", .notHTTP),
            .refused("fields separated by CR", ok("Foo: 1\rBar: 2"), .bareCarriageReturn),
            .refused("CR after the status line", "HTTP/1.1 200 OK\rContent-Length: 0\r\n\r\n", .invalidStatusLine),
            .refused(
                "two CRs after the status line", "HTTP/1.1 200 OK\r\rContent-Length: 4\r\n\r\nEvil", .invalidStatusLine),
            .refused("HTTP/5.6", "HTTP/5.6 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("HTTP/0.9", "HTTP/0.9 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("blank after the status line", ok(" Host: foo"), .foldedFirstLine),
            .refused("two spaces before the status", "HTTP/1.1  200 OK\r\n\r\n", .invalidStatus),
            .init("two spaces after the status", reply("200  OK", "Content-Length: 0"), .reusable()),
            .refused("one digit of the status", "HTTP/1.1 2 OK\r\n\r\n", .invalidStatus),
            .init("lines of LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", .reusable()),
            .refused("RTSP", "RTSP/1.1 200 OK\r\n\r\n", .notHTTP),
            .refused("ICE", "ICE/1.1 200 OK\r\n\r\n", .notHTTP),
            .refused("HTTPER", "HTTPER/1.1 200 OK\r\n\r\n", .notHTTP),
            .init("blanks", reply("301 Moved", "X-$Version: 1\r\nContent-Length:  2  ", "hi"), .reusable(301, "hi")),
            .init("nothing but a status line", "HTTP/1.1 404 Not Found\r\n\r\n", .last(404)),
            .init("no reason phrase", "HTTP/1.1 301\r\n\r\n", .last(301)),
            .init("empty reason phrase", "HTTP/1.1 200 \r\n\r\n", .last()),
            .init("symbols", ok("DCLK_imp: v7;x\r\n_eep-Alive: a\r\n.et-Cookie: b\r\nContent-Length: 0"), .reusable()),
            .init(
                "empty value",
                "HTTP/1.0 301 Moved\r\nPragma: \r\nLocation: /\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
                .reusable(301)),
            .refused("space in a name", ok("en-US Content-Type: text/xml\r\nContent-Length: 0"), .blankBeforeColon),
            .init("ISO-8859-1", "HTTP/1.1 500 Ori\u{EB}ntatieprobleem\r\nContent-Length: 0\r\n\r\n", .reusable(500)),
            .init("CRLF first", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .reusable()),
            .init("spaces after a chunk's size", chunked("3  \r\nabc\r\n0  \r\n\r\n"), .reusable("abc")),
            .refused(
                "chunked, then deflate", ok("Transfer-Encoding: chunked, deflate", "World"), .unknownTransferCoding),
            .refused(
                "chunked, and identity in another field",
                ok("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "World"), .unknownTransferCoding),
            .refused(
                "chunkedchunked", ok("Transfer-Encoding: chunkedchunked", "2\r\nOK\r\n0\r\n\r\n"),
                .unknownTransferCoding),
            .init("pigeons", ok("Transfer-Encoding: pigeons"), .last()),
            .init(
                "extensions",
                ok(
                    "Transfer-encoding: chunked",
                    "5;ilovew3;somuchlove=x\r\nhello\r\n6;blahblah;blah\r\n world\r\n0\r\n\r\n"),
                .reusable("hello world")),
            .refused(
                "no semicolon before an extension",
                ok("Transfer-encoding: chunked", "2 erfrferferf\r\naa\r\n0 rrrr\r\n\r\n"), .invalidChunkSize),
            .init(
                "nothing after the semicolon", ok("Transfer-encoding: chunked", "2;\r\naa\r\n0\r\n\r\n"),
                .reusable("aa")),
            .init(
                "quoted extension", chunked("5;a=\"I \\\"love\\\"; \\\\x\";b=\"c\";d;e=f\r\nhello\r\n0\r\n\r\n"),
                .reusable("hello")),
            .init("unbalanced quotes", chunked("5;a=\"abc\";b=\"def; ghi\r\nhello\r\n0\r\n\r\n"), .reusable("hello")),
            .refused("a fold", ok("Transfer-Encoding: chunked\r\n  abc", "5\r\nWorld\r\n0\r\n\r\n"), .foldedFraming),
            .refused(
                "length, and empty codings",
                ok("Content-Length: 10\r\nTransfer-Encoding:\r\nTransfer-Encoding:", "2\r\nAA\r\n0\r\n\r\n"),
                .lengthAndTransferCoding),
            .init("three zeros", chunked("5\r\nhello\r\n000\r\n\r\n"), .reusable("hello")),
            .init(
                "trailers", chunked("5\r\nhello\r\n0\r\nVary: *\r\nContent-Type: text/plain\r\n\r\n"),
                .reusable("hello")),
        ]

        /// After the ideas of h11's `test_io.py` and `test_connection.py`.
        static let ofH11: [PublicCase] = [
            .init("one byte between blanks", ok("Foo: a a  a a a \r\nContent-Length: 0"), .reusable()),
            .init("a value of blanks", ok("Foo: \t \t \r\nContent-Length: 0"), .reusable()),
            .init("LF, then CRLF", "HTTP/1.1 200 OK\r\nSomeHeader: val\n\r\n", .last()),
            .init(
                "folds", ok("Some: multi-line\r\n header\r\n\tnonsense\r\n    \t   \t\tI guess\r\nContent-Length: 0"),
                .reusable()),
            .refused("tab before the colon", ok("foo\t: line"), .blankBeforeColon),
            .refused("no name", ok(": line"), .invalidFieldName),
            .refused("NUL after the status line", "HTTP/1.0 200 OK\0xxxx\r\n\r\n", .invalidStatusLine),
            .refused("NUL in a value", ok("Host: foo\0bar"), .nulInValue),
            .init(
                "0x01 in a cookie", ok("Set-Cookie: ___utmvafIumyLc=kUd\u{01}UpAt; path=/\r\nContent-Length: 0"),
                .reusable()),
            .init(
                "hexadecimal digits of both cases",
                chunked("aA\r\n" + String(repeating: "x", count: 0xAA) + "\r\n0\r\n\r\n"),
                .reusable(String(repeating: "x", count: 0xAA))),
            .refused("a hundred digits", chunked(String(repeating: "9", count: 100) + "\r\nxxx"), .chunkSizeOverflow),
            .refused("NUL after the size", chunked("10\0\r\nxxx"), .invalidChunkSize),
            .init(
                "blanks in extensions", chunked("5; hello=there\r\nxxxxx\r\n0; random=\"junk\"; some=more\r\n\r\n"),
                .reusable("xxxxx")),
            .init("blanks after the size", chunked("5   \t \r\n01234\r\n0\r\n\r\n"), .reusable("01234")),
            .refused("other bytes at a chunk's end", chunked("3\r\nxxx__1a\r\n"), .missingChunkEnd),
            .refused("CR and another byte at a chunk's end", chunked("3\r\nxxx\r_1a\r\n"), .missingChunkEnd),
            .refused("another byte and LF at a chunk's end", chunked("3\r\nxxx_\n1a\r\n"), .missingChunkEnd),
            .refused("closed within a body", ok("Content-Length: 10", "12345"), .closedWithinBody),
            .refused("closed within chunks", chunked("8\r\n01234"), .closedWithinBody),
            .refused("closed before a response", "", .closedBeforeResponse),
            .refused("closed within a head", "HTTP/1.1 200 OK\r\nA: b\r\n", .closedWithinHead),
            .refused(
                "length and chunked", ok("Transfer-Encoding: chunked\r\nContent-Length: 100", "0\r\n\r\n"),
                .lengthAndTransferCoding),
        ]

        /// After the ideas of Go's `response_test.go`, `transfer_test.go` and `chunked_test.go`.
        static let ofGo: [PublicCase] = [
            .init("a body of 204", "HTTP/1.1 204 No Content\r\n\r\nBody should not be read!\n", .last(204)),
            .init(
                "surplus after chunks", chunked("0a\r\nBody here\n\r\n09\r\ncontinued\r\n0\r\n\r\n\r\nx"),
                .last("Body here\ncontinued")),
            .init(
                "HEAD with chunked and close",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n", .last(), isHead: true),
            .init("303 without a phrase", "HTTP/1.0 303\r\n\r\n", .last(303)),
            .refused("two spaces before 401", "HTTP/1.0  401 Unauthorized\r\n\r\n", .invalidStatus),
            .refused("20X", "HTTP/1.1 20X Unknown\r\n\r\n", .invalidStatus),
            .refused("0x12d", "HTTP/1.1 0x12d Moved\r\n\r\n", .invalidStatus),
            .refused("000", "HTTP/1.1 000 OK\r\n\r\n", .invalidStatus),
            .refused("999", reply("999 Done", "Content-Length: 0"), .invalidStatus),
            .refused("1000", "HTTP/1.1 1000 OK\r\n\r\n", .invalidStatus),
            .refused("-200", "HTTP/1.1 -200 OK\r\n\r\n", .invalidStatus),
            .init("HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n", .reusable()),
            .refused("HTTP/1.100000000002", "HTTP/1.100000000002 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("HTTP/1.-1", "HTTP/1.-1 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("HTTP/A.B", "HTTP/A.B 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("http/1.1", "http/1.1 200 OK\r\n\r\n", .notHTTP),
            .refused("10 and 7", ok("Content-Length: 10\r\nContent-Length: 7", "Gopher hey"), .differingContentLengths),
            .init("lengths 7 and 7", ok("Content-Length: 7\r\nContent-Length: 7", "Gophers"), .reusable("Gophers")),
            .refused("empty lengths", ok("Content-Length:\r\nContent-Length:", "Gophers"), .invalidContentLength),
            .refused(
                "lengths 7 and 8 in 204", reply("204 OK", "Content-Length: 7\r\nContent-Length: 8"),
                .differingContentLengths),
            .init("a length in 204", reply("204 OK", "Content-Length: 3"), .last(204)),
            .refused("no end of the trailers", chunked("3\r\nfoo\r\n0\r\n"), .closedWithinBody),
            .refused("LF in place of CRLF after a chunk", chunked("4\r\nabcd\n0\r\n\r\n"), .missingChunkEnd),
            .refused("an empty size", chunked("\r\nabc"), .invalidChunkSize),
        ]
    }
#endif
