import NetCore
import Testing

@Suite struct NetworkErrorMappingTests {
    /// The table of `Docs/Errors.md`. A new code has to be put in here.
    private func expected(_ code: TransportError.Code) -> NetworkError {
        switch code {
        case .connectTimeout, .idleTimeout, .totalTimeout: .timeout
        case .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost: .networkUnavailable
        case .shutDown: .cancelled
        case .nameNotResolved, .tlsHandshakeFailed, .certificateUntrusted, .clientCertificateRejected, .proxyFailed,
            .malformedStatusLine, .malformedHeader, .conflictingLengths, .headersTooLarge, .malformedChunk,
            .truncatedBody, .contentDecodingFailed, .protocolError, .requestBodyFailed,
            .addressNotAllowed, .other:
            .unknown(nil)
        }
    }

    @Test(arguments: TransportError.Code.allCases)
    func transportErrors(_ code: TransportError.Code) {
        let error = TransportError(code, phase: .waiting, message: "m")
        let mapped = NetworkError(mapping: error)
        #expect(mapped == expected(code))
        if mapped == .unknown(nil) { #expect(mapped.embeddedError as? TransportError == error) }
    }

    @Test func transientTransportErrorsAreRetryable() {
        let transient = TransportError.Code.allCases.filter {
            NetworkError(mapping: TransportError($0, phase: .waiting, message: "")).isRetryable
        }
        #expect(
            Set(transient) == [
                .nameNotResolved, .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost,
                .connectTimeout, .idleTimeout, .totalTimeout, .truncatedBody, .protocolError,
            ])
    }

    @Test(arguments: [
        (URLError.Code.badURL, NetworkError.invalidURL), (.unsupportedURL, .invalidURL),
        (.cancelled, .cancelled), (.userCancelledAuthentication, .cancelled),
        (.timedOut, .timeout),
        (.notConnectedToInternet, .noInternetConnection), (.dataNotAllowed, .noInternetConnection),
        (.internationalRoamingOff, .noInternetConnection), (.callIsActive, .noInternetConnection),
        (.networkConnectionLost, .networkUnavailable), (.cannotConnectToHost, .networkUnavailable),
        (.httpTooManyRedirects, .tooManyRedirects),
        (.cannotFindHost, .unknown(nil)), (.dnsLookupFailed, .unknown(nil)),
        (.secureConnectionFailed, .unknown(nil)), (.badServerResponse, .unknown(nil)), (.unknown, .unknown(nil)),
    ])
    func urlErrors(_ code: URLError.Code, expected: NetworkError) {
        #expect(NetworkError(mapping: URLError(code)) == expected)
    }

    @Test func otherErrors() {
        #expect(NetworkError(mapping: CancellationError()) == .cancelled)
        #expect(NetworkError(mapping: RequestBuildingError("why")) == .invalidRequest)
        #expect(NetworkError(mapping: sampleDecodingError) == .decodingError(PluginError()))
        #expect(NetworkError(mapping: sampleEncodingError) == .encodingError(PluginError()))
        #expect(NetworkError(mapping: PluginError()).embeddedError is PluginError)
    }

    @Test func ourOwnErrorsStayAsTheyAre() {
        for (error, _) in allErrors {
            #expect(NetworkError(mapping: error) == error)
            #expect(NetworkError(mapping: NetworkFailure(cause: error)) == error)
        }
    }
}
