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

    /// The table of `Docs/Errors.md`. A new code has to be put in here.
    private func expected(_ code: TransportError.Code) -> NetworkError {
        switch code {
        case .connectTimeout, .idleTimeout, .totalTimeout: .timeout
        case .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost: .networkUnavailable
        case .shutDown: .cancelled
        case .nameNotResolved, .tlsHandshakeFailed, .certificateUntrusted, .certificateAuthoritiesUnreadable,
            .clientCertificateRejected, .proxyFailed, .malformedStatusLine, .malformedHeader, .conflictingLengths,
            .headersTooLarge, .malformedChunk, .truncatedBody, .contentDecodingFailed, .protocolError,
            .requestBodyFailed, .addressNotAllowed, .descriptorsExhausted, .flowControlError, .compressionError,
            .refusedStream, .enhanceYourCalm, .http11Required, .streamReset, .other:
            .unknown(nil)
        }
    }

    private static let transient: Set<TransportError.Code> = [
        .nameNotResolved, .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost, .connectTimeout,
        .idleTimeout, .totalTimeout, .truncatedBody, .refusedStream, .enhanceYourCalm, .http11Required, .streamReset,
    ]

    @Test(arguments: TransportError.Code.allCases) func transportErrors(_ code: TransportError.Code) {
        let error = TransportError(code, phase: .waiting, message: "m")
        let (mapped, failure) = (NetworkError(error), NetworkFailure(wrapping: error, request: nil))
        #expect(mapped == expected(code) && mapped.isRetryable == Self.transient.contains(code))
        if mapped == .unknown(nil) { #expect(mapped.embeddedError as? TransportError == error) }
        let name = code == .shutDown ? "cancelled" : code.rawValue
        #expect(mapped.errorType == name && failure.errorType == name)
        #expect(!mapped.description.hasPrefix("unknown") && !failure.description.hasPrefix("unknown"))
    }

    @Test(arguments: [
        (URLError.Code.badURL, NetworkError.invalidURL), (.unsupportedURL, .invalidURL), (.cancelled, .cancelled),
        (.userCancelledAuthentication, .cancelled), (.timedOut, .timeout),
        (.notConnectedToInternet, .noInternetConnection), (.dataNotAllowed, .noInternetConnection),
        (.internationalRoamingOff, .noInternetConnection), (.callIsActive, .noInternetConnection),
        (.networkConnectionLost, .networkUnavailable), (.cannotConnectToHost, .networkUnavailable),
        (.httpTooManyRedirects, .tooManyRedirects), (.cannotFindHost, .unknown(nil)), (.dnsLookupFailed, .unknown(nil)),
        (.secureConnectionFailed, .unknown(nil)), (.badServerResponse, .unknown(nil)), (.unknown, .unknown(nil)),
    ])
    func urlErrors(_ code: URLError.Code, expected: NetworkError) { #expect(NetworkError(URLError(code)) == expected) }

    @Test func networkErrorsAreNotWrappedAgain() {
        for (error, _) in allErrors {
            #expect(NetworkError(error) == error && NetworkError(NetworkFailure(cause: error)) == error)
        }
    }

    /// The public spelling of the same table, for an error of any type.
    @Test func errorsOfAnyTypeAreMapped() {
        let transport = TransportError(.nameNotResolved, phase: .resolving, message: "m")
        let offline = NSError(domain: NSURLErrorDomain, code: URLError.Code.notConnectedToInternet.rawValue)
        let errors: [(any Error, NetworkError)] = [
            (NetworkError.noData, .noData), (NetworkFailure.notFound(), .requestFailed(statusCode: 404, data: nil)),
            (transport, .unknown(nil)), (CancellationError(), .cancelled), (URLError(.timedOut), .timeout),
            (offline, .noInternetConnection), (POSIXError(.ECONNREFUSED), .networkUnavailable),
            (POSIXError(.ETIMEDOUT), .timeout), (POSIXError(.ECANCELED), .cancelled),
            (POSIXError(.ENOSPC), .unknown(nil)),
            (NSError(domain: NSPOSIXErrorDomain, code: Int(ECONNRESET)), .networkUnavailable),
            (NSError(domain: "other", code: 61), .unknown(nil)), (CocoaError(.userCancelled), .cancelled),
            (PluginError(), .unknown(nil)), (RequestBuildingError("why"), .invalidRequest),
            (sampleDecodingError, .decodingError(PluginError())), (sampleEncodingError, .encodingError(PluginError())),
        ]
        for (error, expected) in errors {
            #expect(NetworkError(error) == expected, "\(error)")
            #expect(NetworkFailure(error).cause == expected, "\(error)")
        }
        #expect(NetworkError(transport).embeddedError as? TransportError == transport)
        #expect(NetworkError(PluginError()).embeddedError is PluginError)
        #expect(NetworkFailure(POSIXError(.ECONNREFUSED)).underlyingError is POSIXError)
    }

    @Test(arguments: [
        (204, ErrorKind.noContent), (401, .unauthorized), (403, .forbidden), (404, .notFound), (429, .rateLimited),
        (502, .badGateway), (503, .serviceUnavailable), (504, .gatewayTimeout),
        (500, .serverError(statusCode: 500)), (599, .serverError(statusCode: 599)),
        (400, .clientError(statusCode: 400)), (499, .clientError(statusCode: 499)),
        (100, .unexpectedStatus(statusCode: 100)), (302, .unexpectedStatus(statusCode: 302)),
        (600, .unexpectedStatus(statusCode: 600)), (-1, .unexpectedStatus(statusCode: -1)),
    ]) func kindOfAStatus(_ status: Int, kind: ErrorKind) {
        #expect(ErrorKind(statusCode: status) == kind)
        #expect(NetworkError.requestFailed(statusCode: status, data: nil).kind == kind)
    }

    @Test func kindOfEachCase() {
        let kinds: [ErrorKind] = [
            .invalidURL, .invalidRequest, .serverError(statusCode: 500), .decodingFailed, .noData, .downloadFailed,
            .uploadFailed, .noConnection, .timeout, .networkUnavailable, .unknown, .cancelled, .encodingFailed,
            .circuitOpen, .pinningFailed, .bodyNotReplayable, .responseTooLarge, .tooManyRedirects, .unsupported,
        ]
        #expect(allErrors.map(\.error.kind) == kinds)
    }

    /// Seed 003: a 204 where a body was needed has its own kind.
    @Test func noContentDiffersFromNoData() {
        let head = ResponseSnapshot(statusCode: 200, headers: HTTPHeaders())
        #expect(NetworkFailure(cause: .noData, response: head).kind == .noData)
        #expect(NetworkFailure(cause: .noData).kind == .noData && NetworkFailure.noContent().kind == .noContent)
    }

    /// For metrics and traces.
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
