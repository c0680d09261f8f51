import Testing

@testable import NetCore

@Suite struct TransportErrorTests {
    @Test func codesAreStable() {
        #expect(
            TransportError.Code.allCases.map(\.rawValue) == [
                "name_not_resolved", "connection_refused", "host_unreachable", "connection_reset", "connection_lost",
                "connect_timeout", "idle_timeout", "total_timeout", "tls_handshake_failed", "certificate_untrusted",
                "certificate_authorities_unreadable", "client_certificate_rejected", "proxy_failed",
                "malformed_status_line", "malformed_header", "conflicting_lengths", "headers_too_large",
                "malformed_chunk", "truncated_body", "content_decoding_failed", "protocol_error", "flow_control_error",
                "compression_error", "refused_stream", "enhance_your_calm", "http_1_1_required", "stream_reset",
                "request_body_failed", "address_not_allowed", "descriptors_exhausted", "shut_down", "other",
            ])
    }

    @Test(arguments: TransportError.Phase.allCases)
    func errorsBeforeTheConnectionAreUnprocessed(_ phase: TransportError.Phase) {
        let error = TransportError(.other, phase: phase, message: "")
        #expect(error.isUnprocessed == [.preparing, .resolving, .connecting, .securing].contains(phase))
        #expect(!TransportError(.other, phase: phase, message: "", isUnprocessed: false).isUnprocessed)
        #expect(TransportError(.other, phase: phase, message: "", isUnprocessed: true).isUnprocessed)
    }

    @Test func descriptionHasCodePhaseMessageAndURL() throws {
        let error = TransportError(
            .connectionRefused, phase: .connecting, message: "refused", url: try url("http://u:p@a.example/x?q=1#f"))
        let text = "connection_refused while connecting: refused (http://a.example/x?q=[REDACTED]#[REDACTED])"
        #expect(error.description == text && error.localizedDescription == text)
    }

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
