import NetCore
import Testing

private let tlsError = TransportError(
    .tlsHandshakeFailed, phase: .securing, message: "broken",
    url: URL(string: "https://u:p@a.example:8443/s3cr3t?q=1"))

@Suite struct NetworkErrorTests {
    @Test func codesAreStableAndUnique() {
        for (error, code) in allErrors { #expect(error.code == code) }
        #expect(Set(allErrors.map(\.code)).count == allErrors.count)
    }

    /// Seed 000, "Equality Caveats".
    @Test func equalityIgnoresEmbeddedErrors() {
        #expect(NetworkError.downloadFailed(PluginError()) == .downloadFailed(nil))
        #expect(NetworkError.uploadFailed(nil) == .uploadFailed(PluginError()))
        #expect(NetworkError.unknown(PluginError()) == .unknown(nil))
        #expect(NetworkError.decodingError(PluginError()) == .decodingError(sampleDecodingError))
        #expect(NetworkError.encodingError(PluginError()) == .encodingError(sampleEncodingError))
    }

    @Test func equalityComparesPlainValues() {
        let soon = Date(timeIntervalSince1970: 1)
        #expect(NetworkError.requestFailed(statusCode: 404, data: nil) != .requestFailed(statusCode: 500, data: nil))
        #expect(NetworkError.requestFailed(statusCode: 404, data: nil) != .requestFailed(statusCode: 404, data: Data()))
        #expect(NetworkError.responseTooLarge(limit: 1) != .responseTooLarge(limit: 2))
        #expect(NetworkError.pinningFailed(host: "a") != .pinningFailed(host: "b"))
        #expect(NetworkError.unsupported("a") != .unsupported("b"))
        #expect(NetworkError.circuitOpen(host: "a", until: soon) != .circuitOpen(host: "b", until: soon))
        #expect(NetworkError.circuitOpen(host: "a", until: soon) != .circuitOpen(host: "a", until: .distantFuture))
    }

    @Test func eachCaseEqualsItselfAndNoOther() {
        for (left, leftCode) in allErrors {
            for (right, rightCode) in allErrors { #expect((left == right) == (leftCode == rightCode)) }
        }
    }

    /// Seed 000, "Usage Patterns".
    @Test func transientErrorsAreRetryable() {
        let retryable = allErrors.filter(\.error.isRetryable).map(\.code)
        #expect(retryable == ["request_failed", "no_internet_connection", "timeout", "network_unavailable"])
    }

    @Test(arguments: [
        (200, false), (304, false), (400, false), (401, false), (404, false), (408, true), (429, true), (499, false),
        (500, true), (501, false), (502, true), (503, true), (504, true), (505, false), (599, true), (600, false),
    ]) func statusesAreRetryable(_ status: Int, expected: Bool) {
        #expect(NetworkError.requestFailed(statusCode: status, data: nil).isRetryable == expected)
    }

    @Test func detailsOfCases() {
        #expect(NetworkError.requestFailed(statusCode: 418, data: nil).statusCode == 418)
        #expect(NetworkError.timeout.statusCode == nil)
        #expect(NetworkError.unknown(PluginError()).embeddedError is PluginError)
        #expect(NetworkError.encodingError(PluginError()).embeddedError is PluginError)
        #expect(NetworkError.unknown(nil).embeddedError == nil && NetworkError.timeout.embeddedError == nil)
        #expect(allErrors.filter(\.error.isCancellation).map(\.code) == ["cancelled"])
    }

    @Test(arguments: [
        (NetworkError.timeout, "timeout"),
        (.requestFailed(statusCode: 401, data: Data("x".utf8)), "request_failed: status 401"),
        (.unsupported("Use\nanother."), "unsupported: Use another."),
        (.responseTooLarge(limit: 10), "response_too_large: over 10 bytes"),
        (.pinningFailed(host: "a.example"), "pinning_failed: a.example"),
        (.unknown(URLError(.secureConnectionFailed)), "URLError -1200"),
        (.unknown(PluginError()), "NetCoreTests.PluginError 1"),
        (.decodingError(sampleDecodingError), "decoding_error: the value does not fit Role at the top level"),
        (.encodingError(sampleEncodingError), "encoding_error: cannot encode the String at the top level"),
        (
            .unknown(TransportError(.nameNotResolved, phase: .resolving, message: "no\r\nsuch host")),
            "name_not_resolved while resolving: no  such host"
        ),
        (.unknown(tlsError), "tls_handshake_failed while securing: broken (a.example:8443)"),
    ]) func descriptionIsOneLine(_ error: NetworkError, text: String) { #expect("\(error)" == text) }
}
