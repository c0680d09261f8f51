#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After reports of request smuggling through proxies: differences of two parsers on the way. Http11Probe lists most of them.
        static let ofProxies = [
            PublicCase("length 0 1", "HTTP/1.1 200 OK\r\nContent-Length: 0 1\r\n\r\n", .refused(.invalidContentLength)),
            PublicCase(
                "length +5", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", .refused(.invalidContentLength)),
            PublicCase("length -5", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", .refused(.invalidContentLength)),
            PublicCase(
                "length 5,", "HTTP/1.1 200 OK\r\nContent-Length: 5,\r\n\r\nhello", .refused(.invalidContentLength)),
            PublicCase(
                "length 0x5", "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello", .refused(.invalidContentLength)),
            PublicCase(
                "length of 2^64 + 5", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551621\r\n\r\nhello",
                .refused(.invalidContentLength)),
            PublicCase(
                "blank after Transfer-Encoding",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                .refused(.blankBeforeColon)),
            PublicCase(
                "VT before chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n0\r\n\r\n",
                .refused(.unknownTransferCoding)),
            PublicCase(
                "quoted chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
                .refused(.unknownTransferCoding),
                llhttp: "RFC 9112, section 6.1: the request asks for no coding but chunked."),
            PublicCase(
                "chunked;ext=val", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked;ext=val\r\n\r\n0\r\n\r\n",
                .refused(.unknownTransferCoding), llhttp: "RFC 9112, section 7.1: chunked has no parameters."),
            PublicCase(
                "tab after chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n1\r\na\r\n0\r\n\r\n",
                .reusable(200, "a"),
                llhttp:
                    "RFC 9110, section 5.5: a tab after a value is not part of it. llhttp reads until the connection closes."
            ),
            PublicCase(
                "chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                .refused(.unknownTransferCoding), llhttp: "RFC 9112, section 6.1: chunked is not applied twice."),
            PublicCase(
                "chunked in HTTP/1.0",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n1\r\na\r\n0\r\n\r\n",
                .last(200, "a"), llhttp: "RFC 9112, section 6.1: the connection is closed after a coding in HTTP/1.0."),
            PublicCase("LF after an extension", chunked + "5;\nhello\r\n0\r\n\r\n", .refused(.missingChunkEnd)),
            PublicCase("LF after a size", chunked + "5\nhello\r\n0\r\n\r\n", .refused(.missingChunkEnd)),
            PublicCase("CR in an extension", chunked + "5;a\rb\r\nhello\r\n0\r\n\r\n", .refused(.missingChunkEnd)),
            PublicCase(
                "NUL in an extension", chunked + "5;\0ext\r\nhello\r\n0\r\n\r\n", .refused(.invalidChunkExtension)),
            PublicCase("0x before a size", chunked + "0x5\r\nhello\r\n0\r\n\r\n", .refused(.invalidChunkSize)),
            PublicCase("g as a digit", chunked + "g\r\n0123456789abcdef\r\n0\r\n\r\n", .refused(.invalidChunkSize)),
            PublicCase(
                "three empty lines first", "\r\n\r\n\r\nHTTP/1.1 204 x\r\n\r\n", .refused(.notHTTP),
                llhttp: "RFC 9112, section 2.2, has no number. We accept two empty lines."),
            PublicCase("sign before a size", chunked + "+5\r\nhello\r\n0\r\n\r\n", .refused(.invalidChunkSize)),
            PublicCase(
                "underscore in a size", chunked + "1_0\r\nhello world!!!!!\r\n0\r\n\r\n", .refused(.invalidChunkSize)),
            PublicCase("space before a size", chunked + " 5\r\nhello\r\n0\r\n\r\n", .refused(.invalidChunkSize)),
            PublicCase("size of 2^64", chunked + "10000000000000000\r\n\r\n", .refused(.chunkSizeOverflow)),
            PublicCase("a byte more than the size", chunked + "5\r\nhello!\r\n0\r\n\r\n", .refused(.missingChunkEnd)),
            PublicCase(
                "LF after the trailers", chunked + "5\r\nhello\r\n0\r\n\n", .reusable(200, "hello"),
                llhttp: "RFC 9112, section 2.2: a recipient may recognise a single LF."),
            PublicCase(
                "a length in trailers", chunked + "0\r\nContent-Length: 5\r\n\r\n", .reusable(),
                llhttp: "RFC 9110, section 6.5.1: a recipient ignores fields that must not be in trailers."),
            PublicCase(
                "two responses",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
                .last(200, "hi")),
            PublicCase(
                "close, continued in a fold",
                "HTTP/1.1 200 OK\r\nConnection: x,\r\n close\r\nContent-Length: 0\r\n\r\n", .last(),
                llhttp: "RFC 9112, section 5.2: a user agent replaces a fold with spaces."),
        ]
    }
#endif
