import NetCore
import Testing

/// The name of a cause in metrics and traces.
@Suite struct ErrorTypeTests {
    @Test(arguments: TransportError.Code.allCases) func transportErrorTypeIsItsCode(_ code: TransportError.Code) {
        let error = TransportError(code, phase: .waiting, message: "m")
        let name = code == .shutDown ? "cancelled" : code.rawValue
        #expect(NetworkFailure(wrapping: error, request: nil).errorType == name)
        #expect(NetworkError(error).errorType == name && !NetworkError(error).description.hasPrefix("unknown"))
        #expect(!NetworkFailure(wrapping: error, request: nil).description.hasPrefix("unknown"))
    }

    @Test func otherErrorTypeIsTheNameOfTheCaseOrType() {
        struct DiskFull: Error {}
        #expect(NetworkError(DiskFull()).errorType == "DiskFull" && NetworkError.unknown(nil).errorType == "unknown")
        #expect(NetworkError.timeout.errorType == "timeout")
        #expect(NetworkError.requestFailed(statusCode: 503, data: nil).errorType == "request_failed")
        #expect(NetworkError(CancellationError()).errorType == "cancelled")
    }

    @Test(arguments: [
        (TransportError.Code.descriptorsExhausted, "m", "ulimit -n"),
        (.certificateAuthoritiesUnreadable, "m", "Install ca-certificates"),
        (.certificateUntrusted, "self-signed certificate", "developmentServers"),
    ]) func remedyIsNamedOnce(code: TransportError.Code, message: String, remedy: String) {
        let text = "\(TransportError(code, phase: .securing, message: message))"
        #expect(text.components(separatedBy: remedy).count == 2, "\(text)")
    }
}
