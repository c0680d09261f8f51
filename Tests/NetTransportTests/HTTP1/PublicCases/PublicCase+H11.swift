#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After the ideas of h11's `test_io.py` and `test_connection.py`.
        static let ofH11 = [
            PublicCase("one byte between blanks", ok: "Foo: a a  a a a \r\nContent-Length: 0\r\n\r\n", .reusable()),
            PublicCase("a value of blanks", ok: "Foo: \t \t \r\nContent-Length: 0\r\n\r\n", .reusable()),
            PublicCase(
                "LF after a field, CRLF at the end", ok: "SomeHeader: val\n\r\n", .last(),
                llhttp: "RFC 9112, section 2.2: a recipient may recognise a single LF."),
            PublicCase(
                "folds",
                ok: "Some: multi-line\r\n header\r\n\tnonsense\r\n    \t   \t\tI guess\r\nContent-Length: 0\r\n\r\n",
                .reusable(), llhttp: "RFC 9112, section 5.2: a user agent replaces a fold with spaces."),
            PublicCase(
                "NUL after the status line", "HTTP/1.0 200 OK\0xxxx\r\n\r\n", .refused(.invalidStatusLine),
                llhttp: "RFC 9112, section 4: a phrase has no NUL."),
            PublicCase(
                "0x01 in a cookie",
                ok: "Set-Cookie: ___utmvafIumyLc=kUd\u{01}UpAt; path=/\r\nContent-Length: 0\r\n\r\n",
                .reusable(),
                llhttp:
                    "RFC 9110, section 5.5: a recipient may keep a control character where it is harmless. Servers send such cookies."
            ),
            PublicCase(
                "hexadecimal digits of both cases",
                chunked: "aA\r\n" + String(repeating: "x", count: 0xAA) + "\r\n0\r\n\r\n",
                .reusable(200, String(repeating: "x", count: 0xAA))),
            PublicCase(
                "a hundred digits", chunked: String(repeating: "9", count: 100) + "\r\nxxx",
                .refused(.chunkSizeOverflow)),
            PublicCase(
                "blanks in extensions", chunked: "5; hello=there\r\nxxxxx\r\n0; random=\"junk\"; some=more\r\n\r\n",
                .reusable(200, "xxxxx"), llhttp: "RFC 9112, section 7.1.1: a recipient must accept blanks."),
            PublicCase(
                "blanks after the size", chunked: "5   \t \r\n01234\r\n0\r\n\r\n", .reusable(200, "01234"),
                llhttp: "RFC 9112, section 7.1.1: blanks may follow the size. Some servers pad it."),
            PublicCase(
                "another byte and LF at a chunk's end", chunked: "3\r\nxxx_\n1a\r\n", .refused(.missingChunkEnd)),
        ]
    }
#endif
