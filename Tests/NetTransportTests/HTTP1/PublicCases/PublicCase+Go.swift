#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
        /// After the ideas of Go's `response_test.go`, `transfer_test.go` and `chunked_test.go`.
        static let ofGo = [
            PublicCase(
                "a body that 204 does not have", "HTTP/1.1 204 No Content\r\n\r\nBody should not be read!\n", .last(204)
            ),
            PublicCase(
                "surplus after chunks", chunked: "0a\r\nBody here\n\r\n09\r\ncontinued\r\n0\r\n\r\n\r\nx",
                .last(200, "Body here\ncontinued")),
            PublicCase(
                "HEAD with chunked and close",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n", .last(), isHead: true),
            PublicCase("303 without a phrase", "HTTP/1.0 303\r\n\r\n", .last(303)),
            PublicCase("20X", "HTTP/1.1 20X Unknown\r\n\r\n", .refused(.invalidStatus)),
            PublicCase("0x12d", "HTTP/1.1 0x12d Moved\r\n\r\n", .refused(.invalidStatus)),
            PublicCase(
                "999", "HTTP/1.1 999 Done\r\nContent-Length: 0\r\n\r\n", .refused(.invalidStatus),
                llhttp: "RFC 9110, section 15: a status is from 100 to 599."),
            PublicCase(
                "HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n", .reusable(),
                llhttp: "RFC 9110, section 2.5: a higher minor version is read as the highest known one."),
            PublicCase("HTTP/1.100000000002", "HTTP/1.100000000002 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase("HTTP/1.-1", "HTTP/1.-1 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase("HTTP/A.B", "HTTP/A.B 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
            PublicCase(
                "lengths 7 and 7", ok: "Content-Length: 7\r\nContent-Length: 7\r\n\r\nGophers",
                .reusable(200, "Gophers"), llhttp: "RFC 9110, section 8.6: a recipient may accept equal lengths."),
            PublicCase(
                "empty lengths", ok: "Content-Length:\r\nContent-Length:\r\n\r\nGophers",
                .refused(.invalidContentLength)),
            PublicCase(
                "lengths 7 and 8 in 204", "HTTP/1.1 204 OK\r\nContent-Length: 7\r\nContent-Length: 8\r\n\r\n",
                .refused(.differingContentLengths)),
            PublicCase(
                "a length in 204", "HTTP/1.1 204 OK\r\nContent-Length: 3\r\n\r\n", .last(204),
                llhttp: "RFC 9110, section 8.6: a server must not send it. We close, since the server may send a body."),
        ]
    }
#endif
