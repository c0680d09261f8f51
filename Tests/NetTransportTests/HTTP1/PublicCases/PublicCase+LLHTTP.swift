#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After the ideas of llhttp's `test/response`, and of those in `test/request` that are about fields and bodies.
        static let ofLLHTTP = [
            PublicCase(
                "Proxy-Connection", ok: "Content-Length: 2\r\nProxy-Connection: close\r\n\r\nhi",
                .reusable(200, "hi"), llhttp: "RFC 9112, appendix C.2.2: the field is not a standard."),
            PublicCase(
                "HTTP/1.0, keep-alive, no length", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nHTTP/1.0 200 OK",
                .last(200, "HTTP/1.0 200 OK")),
            PublicCase(
                "HTTP/1.0, keep-alive, 204", "HTTP/1.0 204 No content\r\nConnection: keep-alive\r\n\r\n", .reusable(204)
            ),
            PublicCase("204, then a response", "HTTP/1.1 204 No content\r\n\r\nHTTP/1.1 200 OK", .last(204)),
            PublicCase("no length", ok: "\r\nHTTP/1.1 200 OK", .last(200, "HTTP/1.1 200 OK")),
            PublicCase(
                "204 with close, then a response",
                "HTTP/1.1 204 No content\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK", .last(204)),
            PublicCase(
                "bytes after a response with close",
                "HTTP/1.1 200 x\r\nContent-Length: 5\r\nConnection: close\r\n\r\n2ad731e3", .last(200, "2ad73")),
            PublicCase(
                "101 with a length",
                "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbodyproto",
                .last(101)),
            PublicCase(
                "101 with chunks",
                "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n0\r\n\r\nproto",
                .last(101)),
            PublicCase("200 with Upgrade", ok: "Connection: upgrade\r\nUpgrade: h2c\r\n\r\nbody", .last(200, "body")),
            PublicCase(
                "200 with Upgrade and a length",
                ok: "Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbody", .reusable(200, "body")),
            PublicCase("304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", .reusable(304)),
            PublicCase(
                "304 with chunked, then a response",
                "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK\r\n", .last(304)),
            PublicCase(
                "an empty line after 100",
                "HTTP/1.1 100 Continue\r\n\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
                .refused(.notHTTP),
                llhttp:
                    "RFC 9112, section 2.2: only a server ignores an empty line. Before the first response we do it too."
            ),
            PublicCase(
                "103, then 200",
                "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
                .reusable(200, "hi")),
            PublicCase(
                "Content-Length-X", ok: "Content-Length-X: 0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n0\r\n\r\n",
                .reusable(200, "OK")),
            PublicCase(
                "HEAD, then a response", ok: "Content-Length: 123\r\n\r\nHTTP/1.1 200 OK\r\n",
                .last(200), isHead: true),
            PublicCase(
                "tabs around a length", ok: "Content-Length:\t2\t\r\n\r\nhi", .reusable(200, "hi"),
                llhttp: "RFC 9110, section 5.5: blanks after a value are not part of it."),
            PublicCase(
                "space and tab after a length", ok: "Content-Length: 2 \t\r\n\r\nhi",
                .reusable(200, "hi"), llhttp: "RFC 9110, section 5.5: blanks after a value are not part of it."),
            PublicCase("HTP", "HTP/1.1 200 OK\r\n\r\n", .refused(.notHTTP)),
            PublicCase("two digits of the major version", "HTTP/01.1 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase("HTTP/11.1", "HTTP/11.1 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase("two digits of the minor version", "HTTP/1.01 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase("tab after the version", "HTTP/1.1\t200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase("CR first", "\rHTTP/1.1\t200 OK\r\n\r\n", .refused(.notHTTP)),
            PublicCase("fields separated by CR", ok: "Foo: 1\rBar: 2\r\n\r\n", .refused(.bareCarriageReturn)),
            PublicCase(
                "CR after the status line", "HTTP/1.1 200 OK\rContent-Length: 0\r\n\r\n", .refused(.invalidStatusLine)),
            PublicCase(
                "two CRs after the status line", "HTTP/1.1 200 OK\r\rContent-Length: 4\r\n\r\nEvil",
                .refused(.invalidStatusLine),
                llhttp: "RFC 9112, section 2.2: CR alone is invalid. llhttp takes two for the end of the line."),
            PublicCase("HTTP/5.6", "HTTP/5.6 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase(
                "HTTP/0.9", "HTTP/0.9 200 OK\r\n\r\n", .refused(.unsupportedVersion),
                llhttp: "RFC 9110, section 2.5: another major version has another syntax. HTTP/0.9 has no status line."),
            PublicCase("two spaces after the status", "HTTP/1.1 200  OK\r\nContent-Length: 0\r\n\r\n", .reusable()),
            PublicCase(
                "lines of LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", .reusable(),
                llhttp: "RFC 9112, section 2.2: a recipient may recognise a single LF."),
            PublicCase(
                "RTSP", "RTSP/1.1 200 OK\r\n\r\n", .refused(.notHTTP),
                llhttp: "RFC 9112, section 2.3: the name is HTTP. llhttp reads RTSP too."),
            PublicCase(
                "ICE", "ICE/1.1 200 OK\r\n\r\n", .refused(.notHTTP),
                llhttp: "RFC 9112, section 2.3: the name is HTTP. llhttp reads ICE too."),
            PublicCase("HTTPER", "HTTPER/1.1 200 OK\r\n\r\n", .refused(.notHTTP)),
            PublicCase(
                "blanks around a length", "HTTP/1.1 301 Moved\r\nX-$Version: 1\r\nContent-Length:  2  \r\n\r\nhi",
                .reusable(301, "hi")),
            PublicCase("nothing but a status line", "HTTP/1.1 404 Not Found\r\n\r\n", .last(404)),
            PublicCase("no reason phrase", "HTTP/1.1 301\r\n\r\n", .last(301)),
            PublicCase("empty reason phrase", "HTTP/1.1 200 \r\n\r\n", .last()),
            PublicCase(
                "underscores", ok: "DCLK_imp: v7;x\r\n_eep-Alive: a\r\n.et-Cookie: b\r\nContent-Length: 0\r\n\r\n",
                .reusable()),
            PublicCase(
                "empty value",
                "HTTP/1.0 301 Moved\r\nPragma: \r\nLocation: /\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
                .reusable(301)),
            PublicCase(
                "ISO-8859-1 in the phrase", "HTTP/1.1 500 Ori\u{EB}ntatieprobleem\r\nContent-Length: 0\r\n\r\n",
                .reusable(500)),
            PublicCase(
                "spaces after a chunk's size", chunked: "3  \r\nabc\r\n0  \r\n\r\n", .reusable(200, "abc"),
                llhttp: "RFC 9112, section 7.1.1: blanks may follow the size. Some servers pad it."),
            PublicCase(
                "chunked, then deflate", ok: "Transfer-Encoding: chunked, deflate\r\n\r\nWorld",
                .refused(.unknownTransferCoding),
                llhttp: "RFC 9112, section 6.1: the request asks for no coding but chunked."),
            PublicCase(
                "chunked, and identity in another field",
                ok: "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\nWorld",
                .refused(.unknownTransferCoding), llhttp: "RFC 9112, section 6.1: chunked is the last coding."),
            PublicCase(
                "chunkedchunked", ok: "Transfer-Encoding: chunkedchunked\r\n\r\n2\r\nOK\r\n0\r\n\r\n",
                .refused(.unknownTransferCoding),
                llhttp: "RFC 9112, section 6.1: the request asks for no coding but chunked."),
            PublicCase("pigeons", ok: "Transfer-Encoding: pigeons\r\n\r\n", .accepted(200, "", isReusable: false)),
            PublicCase(
                "extensions",
                ok:
                    "Transfer-encoding: chunked\r\n\r\n5;ilovew3;somuchlove=x\r\nhello\r\n6;blahblah;blah\r\n world\r\n0\r\n\r\n",
                .reusable(200, "hello world")),
            PublicCase(
                "nothing after the semicolon",
                ok: "Transfer-encoding: chunked\r\n\r\n2;\r\naa\r\n0\r\n\r\n", .reusable(200, "aa"),
                llhttp: "RFC 9112, section 7.1.1: a recipient must ignore unknown extensions. We do not parse them."),
            PublicCase(
                "quoted extension", chunked: "5;a=\"I \\\"love\\\"; \\\\x\";b=\"c\";d;e=f\r\nhello\r\n0\r\n\r\n",
                .reusable(200, "hello")),
            PublicCase(
                "unbalanced quotes", chunked: "5;a=\"abc\";b=\"def; ghi\r\nhello\r\n0\r\n\r\n", .reusable(200, "hello"),
                llhttp: "RFC 9112, section 7.1.1: a recipient must ignore unknown extensions. We do not parse them."),
            PublicCase(
                "fold after chunked", ok: "Transfer-Encoding: chunked\r\n  abc\r\n\r\n5\r\nWorld\r\n0\r\n\r\n",
                .refused(.foldedFraming)),
            PublicCase(
                "length, and empty codings",
                ok: "Content-Length: 10\r\nTransfer-Encoding:\r\nTransfer-Encoding:\r\n\r\n2\r\nAA\r\n0\r\n\r\n",
                .refused(.lengthAndTransferCoding)),
            PublicCase("three zeros", chunked: "5\r\nhello\r\n000\r\n\r\n", .reusable(200, "hello")),
            PublicCase(
                "trailers", chunked: "5\r\nhello\r\n0\r\nVary: *\r\nContent-Type: text/plain\r\n\r\n",
                .reusable(200, "hello")),
        ]
    }
#endif
