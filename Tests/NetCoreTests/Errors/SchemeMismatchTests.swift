import Testing

@testable import NetCore

@Suite struct SchemeMismatchTests {
    @Test(arguments: [
        ("error:0A0000C6:SSL routines::packet length too long", true, SchemeMismatch.tlsToHTTP),
        ("TLS connect error: error:0A00010B:SSL routines::wrong version number [curl 35]", true, .tlsToHTTP),
        ("Received HTTP/0.9 when not allowed [curl 1]", false, .httpToTLS),
        ("Received HTTP/0.9 when not allowed [curl 1]", true, nil), ("wrong version number", false, nil),
        ("handshake failure", true, nil), ("", true, nil),
    ]) func mismatchOfAMessage(_ words: String, _ isTLS: Bool, _ mismatch: SchemeMismatch?) {
        #expect(SchemeMismatch(message: words, isTLS: isTLS) == mismatch)
    }

    @Test func textsNameTheMismatch() throws {
        var failed = TransportError(.tlsHandshakeFailed, phase: .securing, message: "m.", url: try url("https://a:80"))
        failed.schemeMismatch = .tlsToHTTP
        let error = NetworkError(failed)
        #expect(
            error.localizedDescription(in: english)
                == "A secure connection to the server a:80 could not be negotiated. "
                + "The address begins with https, but the server speaks http.")
        #expect(error.description.contains("m. The server does not speak TLS on this port. Use an http URL"))
    }

    /// Some servers answer with 400, in plain http.
    @Test func mismatchOfAResponse() {
        let body = Data("<h1>400 Bad Request</h1>The plain HTTP request was sent to HTTPS port".utf8)
        let error = NetworkError.requestFailed(statusCode: 400, data: body)
        #expect(
            error.description == "request_failed: status 400. The server expects TLS on this port. Use an https URL.")
        #expect(
            error.localizedDescription(in: english)
                == "Server responded with code 400. The address begins with http, but the server expects https.")
        #expect(SchemeMismatch(status: 404, body: body) == nil)
        for body in [Data("no".utf8), nil, Data(repeating: 0x20, count: 4096) + body] {
            #expect(SchemeMismatch(status: 400, body: body) == nil)
        }
    }
}
