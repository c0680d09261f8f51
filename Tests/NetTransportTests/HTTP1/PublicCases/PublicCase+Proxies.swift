#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After reports of request smuggling through proxies: differences of two parsers on the way. Http11Probe lists most of them.
        static let ofProxies: [PublicCase] = [
            .init("length 0 1", ok("Content-Length: 0 1"), .refused(.invalidContentLength)),
            .init("length +5", ok("Content-Length: +5", "hello"), .refused(.invalidContentLength)),
            .init("length -5", ok("Content-Length: -5"), .refused(.invalidContentLength)),
            .init("length 5,", ok("Content-Length: 5,", "hello"), .refused(.invalidContentLength)),
            .init("length 0x5", ok("Content-Length: 0x5", "hello"), .refused(.invalidContentLength)),
            .init(
                "length of 2^64 + 5", ok("Content-Length: 18446744073709551621", "hello"),
                .refused(.invalidContentLength)),
            .init(
                "blank after Transfer-Encoding", ok("Transfer-Encoding : chunked\r\nContent-Length: 5", "0\r\n\r\n"),
                .refused(.blankBeforeColon)),
            .init(
                "VT before chunked", ok("Transfer-Encoding: \u{0B}chunked", "0\r\n\r\n"),
                .refused(.unknownTransferCoding)),
            .init(
                "quoted chunked", ok("Transfer-Encoding: \"chunked\"", "0\r\n\r\n"), .refused(.unknownTransferCoding),
                llhttp: Reason.coding),
            .init(
                "chunked;ext=val", ok("Transfer-Encoding: chunked;ext=val", "0\r\n\r\n"),
                .refused(.unknownTransferCoding), llhttp: "RFC 9112, section 7.1: chunked has no parameters."),
            .init(
                "tab after chunked", ok("Transfer-Encoding: chunked\t", "1\r\na\r\n0\r\n\r\n"), .reusable("a"),
                llhttp:
                    "RFC 9110, section 5.5: a tab after a value is not part of it. llhttp reads until the connection closes."
            ),
            .init(
                "chunked twice", ok("Transfer-Encoding: chunked, chunked", "0\r\n\r\n"),
                .refused(.unknownTransferCoding), llhttp: "RFC 9112, section 6.1: chunked is not applied twice."),
            .init(
                "chunked in HTTP/1.0",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n1\r\na\r\n0\r\n\r\n",
                .last("a"), llhttp: "RFC 9112, section 6.1: the connection is closed after a coding in HTTP/1.0."),
            .init("LF after an extension", chunked("5;\nhello\r\n0\r\n\r\n"), .refused(.missingChunkEnd)),
            .init("LF after a size", chunked("5\nhello\r\n0\r\n\r\n"), .refused(.missingChunkEnd)),
            .init("CR in an extension", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), .refused(.missingChunkEnd)),
            .init("NUL in an extension", chunked("5;\0ext\r\nhello\r\n0\r\n\r\n"), .refused(.invalidChunkExtension)),
            .init("0x before a size", chunked("0x5\r\nhello\r\n0\r\n\r\n"), .refused(.invalidChunkSize)),
            .init("g as a digit", chunked("g\r\n0123456789abcdef\r\n0\r\n\r\n"), .refused(.invalidChunkSize)),
            .init(
                "three empty lines first", "\r\n\r\n\r\nHTTP/1.1 204 x\r\n\r\n", .refused(.notHTTP),
                llhttp: "RFC 9112, section 2.2, has no number. We accept two empty lines."),
            .init("sign before a size", chunked("+5\r\nhello\r\n0\r\n\r\n"), .refused(.invalidChunkSize)),
            .init("underscore in a size", chunked("1_0\r\nhello world!!!!!\r\n0\r\n\r\n"), .refused(.invalidChunkSize)),
            .init("space before a size", chunked(" 5\r\nhello\r\n0\r\n\r\n"), .refused(.invalidChunkSize)),
            .init("size of 2^64", chunked("10000000000000000\r\n\r\n"), .refused(.chunkSizeOverflow)),
            .init("a byte more than the size", chunked("5\r\nhello!\r\n0\r\n\r\n"), .refused(.missingChunkEnd)),
            .init(
                "LF after the trailers", chunked("5\r\nhello\r\n0\r\n\n"), .reusable("hello"), llhttp: Reason.singleLF),
            .init(
                "a length in trailers", chunked("0\r\nContent-Length: 5\r\n\r\n"), .reusable(),
                llhttp: "RFC 9110, section 6.5.1: a recipient ignores fields that must not be in trailers."),
            .init(
                "two responses", ok("Content-Length: 2", "hiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"),
                .last("hi")),
            .init(
                "close, continued in a fold", ok("Connection: x,\r\n close\r\nContent-Length: 0"), .last(),
                llhttp: Reason.fold),
        ]
    }
#endif
