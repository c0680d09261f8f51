#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After reports of request smuggling through proxies: differences of two parsers on the way. Http11Probe lists most of them.
        static let ofProxies: [PublicCase] = [
            .refused("length 0 1", ok("Content-Length: 0 1"), .invalidContentLength),
            .refused("length +5", ok("Content-Length: +5", "hello"), .invalidContentLength),
            .refused("length -5", ok("Content-Length: -5"), .invalidContentLength),
            .refused("length 5,", ok("Content-Length: 5,", "hello"), .invalidContentLength),
            .refused("length 0x5", ok("Content-Length: 0x5", "hello"), .invalidContentLength),
            .refused("length of 2^64 + 5", ok("Content-Length: 18446744073709551621", "hello"), .invalidContentLength),
            .refused(
                "blank after Transfer-Encoding", ok("Transfer-Encoding : chunked\r\nContent-Length: 5", "0\r\n\r\n"),
                .blankBeforeColon),
            .refused("VT before chunked", ok("Transfer-Encoding: \u{0B}chunked", "0\r\n\r\n"), .unknownTransferCoding),
            .refused(
                "quoted chunked", ok("Transfer-Encoding: \"chunked\"", "0\r\n\r\n"), .unknownTransferCoding,
                llhttp: Reason.coding),
            .refused(
                "chunked;ext=val", ok("Transfer-Encoding: chunked;ext=val", "0\r\n\r\n"), .unknownTransferCoding,
                llhttp: "RFC 9112, section 7.1: chunked has no parameters."),
            .init(
                "tab after chunked", ok("Transfer-Encoding: chunked\t", "1\r\na\r\n0\r\n\r\n"), .reusable("a"),
                llhttp:
                    "RFC 9110, section 5.5: a tab after a value is not part of it. llhttp reads until the connection closes."
            ),
            .refused(
                "chunked twice", ok("Transfer-Encoding: chunked, chunked", "0\r\n\r\n"), .unknownTransferCoding,
                llhttp: "RFC 9112, section 6.1: chunked is not applied twice."),
            .init(
                "chunked in HTTP/1.0",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n1\r\na\r\n0\r\n\r\n",
                .last("a"), llhttp: "RFC 9112, section 6.1: the connection is closed after a coding in HTTP/1.0."),
            .refused("LF after an extension", chunked("5;\nhello\r\n0\r\n\r\n"), .missingChunkEnd),
            .refused("LF after a size", chunked("5\nhello\r\n0\r\n\r\n"), .missingChunkEnd),
            .refused("CR in an extension", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), .missingChunkEnd),
            .refused("NUL in an extension", chunked("5;\0ext\r\nhello\r\n0\r\n\r\n"), .invalidChunkExtension),
            .refused("0x before a size", chunked("0x5\r\nhello\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("g as a digit", chunked("g\r\n0123456789abcdef\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused(
                "three empty lines first", "\r\n\r\n\r\nHTTP/1.1 204 x\r\n\r\n", .notHTTP,
                llhttp: "RFC 9112, section 2.2, has no number. We accept two empty lines."),
            .refused("sign before a size", chunked("+5\r\nhello\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("underscore in a size", chunked("1_0\r\nhello world!!!!!\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("space before a size", chunked(" 5\r\nhello\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("size of 2^64", chunked("10000000000000000\r\n\r\n"), .chunkSizeOverflow),
            .refused("a byte more than the size", chunked("5\r\nhello!\r\n0\r\n\r\n"), .missingChunkEnd),
            .init("LF after trailers", chunked("5\r\nhello\r\n0\r\n\n"), .reusable("hello"), llhttp: Reason.singleLF),
            .init(
                "a length in trailers", chunked("0\r\nContent-Length: 5\r\n\r\n"), .reusable(),
                llhttp: "RFC 9110, section 6.5.1: a recipient ignores fields that must not be in trailers."),
            .init("twice", ok("Content-Length: 2", "hiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .last("hi")),
            .init("folded close", ok("Connection: x,\r\n close\r\nContent-Length: 0"), .last(), llhttp: Reason.fold),
        ]
    }
#endif
