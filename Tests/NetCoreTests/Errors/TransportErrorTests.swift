import NetCore
import Testing

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
}
