import Testing

@testable import NetCore

@Suite struct SchemeMismatchTests {
    @Test(arguments: [
        (
            "TLS connect error: error:0A00010B:SSL routines::wrong version number [curl 35]", true,
            SchemeMismatch.tlsToHTTP
        ),
        ("error:0A0000C6:SSL routines::packet length too long", true, .tlsToHTTP),
        ("Received HTTP/0.9 when not allowed [curl 1]", false, .httpToTLS),
        ("Received HTTP/0.9 when not allowed [curl 1]", true, nil), ("wrong version number", false, nil),
        ("handshake failure", true, nil), ("", true, nil),
    ])
    func words(_ words: String, _ isTLS: Bool, _ mismatch: SchemeMismatch?) {
        #expect(SchemeMismatch(message: words, isTLS: isTLS) == mismatch)
    }

    @Test func itIsInTheTexts() {
        var error = TransportError(
            .tlsHandshakeFailed, phase: .securing, message: "m.", url: URL(string: "https://a.example:80/"))
        error.schemeMismatch = .tlsToHTTP
        let text = NetworkError(error).localizedDescription(in: Locale(identifier: "en"))
        #expect(
            text == "A secure connection to the server a.example:80 could not be negotiated. "
                + "The address begins with https, but the server speaks http.")
        #expect(
            NetworkError(error).description.contains("m. The server does not speak TLS on this port. Use an http URL"))
    }

    /// Servers that notice answer with 400, in plain http.
    @Test func serversThatSaySo() {
        let body = Data("<h1>400 Bad Request</h1>The plain HTTP request was sent to HTTPS port".utf8)
        let error = NetworkError.requestFailed(statusCode: 400, data: body)
        #expect(
            error.description == "request_failed: status 400. The server expects TLS on this port. Use an https URL.")
        #expect(
            error.localizedDescription(in: Locale(identifier: "en"))
                == "Server responded with code 400. The address begins with http, but the server expects https.")
        #expect(SchemeMismatch(status: 404, body: body) == nil)
        #expect(SchemeMismatch(status: 400, body: Data("no".utf8)) == nil)
        #expect(SchemeMismatch(status: 400, body: nil) == nil)
        #expect(SchemeMismatch(status: 400, body: Data(repeating: 0x20, count: 4096) + body) == nil)
    }
}
