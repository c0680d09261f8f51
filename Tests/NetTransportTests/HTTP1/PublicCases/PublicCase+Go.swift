#if os(Linux)
    @testable import NetTransport

    extension PublicCase {
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
            .refused(
                "999", reply("999 Done", "Content-Length: 0"), .invalidStatus,
                llhttp: "RFC 9110, section 15: a status is from 100 to 599."),
            .refused("1000", "HTTP/1.1 1000 OK\r\n\r\n", .invalidStatus),
            .refused("-200", "HTTP/1.1 -200 OK\r\n\r\n", .invalidStatus),
            .init(
                "HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n", .reusable(),
                llhttp: "RFC 9110, section 2.5: a higher minor version is read as the highest known one."),
            .refused("HTTP/1.100000000002", "HTTP/1.100000000002 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("HTTP/1.-1", "HTTP/1.-1 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("HTTP/A.B", "HTTP/A.B 200 OK\r\n\r\n", .unsupportedVersion),
            .refused("http/1.1", "http/1.1 200 OK\r\n\r\n", .notHTTP),
            .refused("10 and 7", ok("Content-Length: 10\r\nContent-Length: 7", "Gopher hey"), .differingContentLengths),
            .init(
                "lengths 7 and 7", ok("Content-Length: 7\r\nContent-Length: 7", "Gophers"), .reusable("Gophers"),
                llhttp: "RFC 9110, section 8.6: a recipient may accept equal lengths."),
            .refused("empty lengths", ok("Content-Length:\r\nContent-Length:", "Gophers"), .invalidContentLength),
            .refused(
                "lengths 7 and 8 in 204", reply("204 OK", "Content-Length: 7\r\nContent-Length: 8"),
                .differingContentLengths),
            .init(
                "a length in 204", reply("204 OK", "Content-Length: 3"), .last(204),
                llhttp: "RFC 9110, section 8.6: a server must not send it. We close, since the server may send a body."),
            .refused("no end of the trailers", chunked("3\r\nfoo\r\n0\r\n"), .closedWithinBody),
            .refused("LF in place of CRLF after a chunk", chunked("4\r\nabcd\n0\r\n\r\n"), .missingChunkEnd),
            .refused("an empty size", chunked("\r\nabc"), .invalidChunkSize),
        ]
    }
#endif
