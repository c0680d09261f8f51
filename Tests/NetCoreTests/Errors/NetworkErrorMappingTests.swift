import NetCore
import Testing

@Suite struct NetworkErrorMappingTests {
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

    @Test(arguments: TransportError.Code.allCases) func transportErrors(_ code: TransportError.Code) {
        let error = TransportError(code, phase: .waiting, message: "m")
        let mapped = NetworkError(error)
        #expect(mapped == expected(code))
        if mapped == .unknown(nil) { #expect(mapped.embeddedError as? TransportError == error) }
    }

    @Test func transientTransportErrorsAreRetryable() {
        let transient = TransportError.Code.allCases.filter {
            NetworkError(TransportError($0, phase: .waiting, message: "")).isRetryable
        }
        #expect(
            Set(transient) == [
                .nameNotResolved, .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost,
                .connectTimeout, .idleTimeout, .totalTimeout, .truncatedBody, .refusedStream,
                .enhanceYourCalm, .http11Required, .streamReset,
            ])
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

    @Test func networkFailureKeepsItsContext() throws {
        let failure = NetworkFailure(
            cause: .timeout, request: RequestSnapshot(URLRequest(url: try url())),
            timestamp: Date(timeIntervalSince1970: 5), retryAttempt: 2)
        let same = NetworkFailure(failure as any Error)
        #expect(same.request == failure.request && same.timestamp == failure.timestamp && same.retryAttempt == 2)
    }
}
