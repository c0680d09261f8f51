#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After the ideas of h11's `test_io.py` and `test_connection.py`.
        static let ofH11: [PublicCase] = [
            .init("one byte between blanks", ok("Foo: a a  a a a \r\nContent-Length: 0"), .reusable()),
            .init("a value of blanks", ok("Foo: \t \t \r\nContent-Length: 0"), .reusable()),
            .init("LF, then CRLF", "HTTP/1.1 200 OK\r\nSomeHeader: val\n\r\n", .last(), llhttp: Reason.singleLF),
            .init(
                "folds", ok("Some: multi-line\r\n header\r\n\tnonsense\r\n    \t   \t\tI guess\r\nContent-Length: 0"),
                .reusable(), llhttp: Reason.fold),
            .refused("tab before the colon", ok("foo\t: line"), .blankBeforeColon),
            .refused("no name", ok(": line"), .invalidFieldName),
            .refused(
                "NUL after the status line", "HTTP/1.0 200 OK\0xxxx\r\n\r\n", .invalidStatusLine,
                llhttp: "RFC 9112, section 4: a phrase has no NUL."),
            .refused("NUL in a value", ok("Host: foo\0bar"), .nulInValue),
            .init(
                "0x01 in a cookie", ok("Set-Cookie: ___utmvafIumyLc=kUd\u{01}UpAt; path=/\r\nContent-Length: 0"),
                .reusable(),
                llhttp:
                    "RFC 9110, section 5.5: a recipient may keep a control character where it is harmless. Servers send such cookies."
            ),
            .init(
                "hexadecimal digits of both cases",
                chunked("aA\r\n" + String(repeating: "x", count: 0xAA) + "\r\n0\r\n\r\n"),
                .reusable(String(repeating: "x", count: 0xAA))),
            .refused("a hundred digits", chunked(String(repeating: "9", count: 100) + "\r\nxxx"), .chunkSizeOverflow),
            .refused("NUL after the size", chunked("10\0\r\nxxx"), .invalidChunkSize),
            .init(
                "blanks in extensions", chunked("5; hello=there\r\nxxxxx\r\n0; random=\"junk\"; some=more\r\n\r\n"),
                .reusable("xxxxx"), llhttp: "RFC 9112, section 7.1.1: a recipient must accept blanks."),
            .init(
                "blanks after the size", chunked("5   \t \r\n01234\r\n0\r\n\r\n"), .reusable("01234"),
                llhttp: Reason.blanksAfterSize),
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
    }
#endif
