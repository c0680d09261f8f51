import NetCore
import Testing

/// Errors as crash reporters see them.
@Suite struct BridgedErrorTests {
    private let url = URL(string: "https://user:word@api.example.com/a?token=secret")

    private func systemError(_ code: URLError.Code) throws -> URLError {
        let url = try #require(url)
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": url.absoluteString,
            NSLocalizedDescriptionKey: "lost", "_kCFStreamErrorCodeKey": 54, "_object": NSObject(),
            NSUnderlyingErrorKey: NSError(
                domain: "kCFErrorDomainCFNetwork", code: code.rawValue,
                userInfo: [NSURLErrorFailingURLErrorKey: url, "_text": "secret"]),
        ]
        return URLError(code, userInfo: info)
    }

    private func failure(_ code: URLError.Code) throws -> NetworkFailure {
        var error = TransportError(.connectionReset, phase: .waiting, message: "reset", url: url)
        error.setSystemError(try systemError(code))
        return NetworkFailure(cause: error.networkError, underlyingError: error)
    }

    @Test func eachCauseHasItsCode() {
        let causes: [NetworkError] = [
            .invalidURL, .invalidRequest(nil), .decodingError(CancellationError()), .noData, .downloadFailed(nil),
            .uploadFailed(nil), .noInternetConnection, .timeout(nil), .networkUnavailable(nil), .unknown(nil),
            .cancelled, .encodingError(CancellationError()), .circuitOpen(host: "a", until: .distantPast),
            .pinningFailed(host: "a"), .bodyNotReplayable, .responseTooLarge(limit: 1), .tooManyRedirects,
            .unsupported("a"),
        ]
        #expect(causes.map { ($0 as NSError).code } == Array(1...18))
        #expect(causes.allSatisfy { ($0 as NSError).domain == "NetCore.NetworkError" })
        #expect((NetworkFailure.notFound() as NSError).code == 404)
        for error in causes { #expect((error as any Error).localizedDescription == error.errorDescription) }
        #expect(
            (NetworkFailure.notFound() as any Error).localizedDescription == NetworkFailure.notFound().errorDescription)
        let transports: [TransportError.Code] = [
            .nameNotResolved, .connectionRefused, .hostUnreachable, .connectionReset, .connectionLost, .connectTimeout,
            .idleTimeout, .totalTimeout, .tlsHandshakeFailed, .certificateUntrusted, .certificateAuthoritiesUnreadable,
            .clientCertificateRejected, .proxyFailed, .malformedStatusLine, .malformedHeader, .conflictingLengths,
            .headersTooLarge, .malformedChunk, .truncatedBody, .contentDecodingFailed, .protocolError,
            .flowControlError, .compressionError, .refusedStream, .enhanceYourCalm, .http11Required, .streamReset,
            .requestBodyFailed, .addressNotAllowed, .descriptorsExhausted, .shutDown, .other,
        ]
        let codes = transports.map { TransportError($0, phase: .waiting, message: "") as NSError }
        #expect(codes.map(\.code) == Array(1...TransportError.Code.allCases.count))
        #expect(codes.allSatisfy { $0.domain == "NetCore.TransportError" })
    }

    @Test func theSystemsResumeDataIsInTheInfo() {
        let key = "NSURLSessionDownloadTaskResumeData"
        var failure = NetworkFailure.cancelled()
        #expect((failure as NSError).userInfo[key] == nil)
        (failure.resumeData, failure.systemResumeData) = (Data("ours".utf8), Data("system".utf8))
        let wrapped = NetworkFailure(failure)
        #expect((wrapped as NSError).userInfo[key] as? Data == Data("system".utf8))
        #expect(wrapped.resumeData == Data("ours".utf8))
    }

    @Test func theSystemsErrorIsBeneath() throws {
        let bridged = try failure(.networkConnectionLost) as NSError
        #expect(bridged.domain == "NetCore.NetworkError" && bridged.code == 1004)
        let transport = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(transport.domain == "NetCore.TransportError" && transport.code == 4)
        let system = try #require(transport.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(system.domain == NSURLErrorDomain && system.code == URLError.networkConnectionLost.rawValue)
        #expect(system.userInfo["_kCFStreamErrorCodeKey"] as? Int == 54)
        let beneath = try #require(system.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "kCFErrorDomainCFNetwork")
        for error in [bridged, transport, system, beneath] {
            let text = "\(error.userInfo)"
            #expect(!text.contains("secret") && !text.contains("word@") && !text.contains("NSObject"))
            let url = try #require(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL)
            #expect(url.host == "api.example.com")
        }
        #expect(try failure(.timedOut).systemError is URLError)
    }

    @Test func foreignErrorsKeepDomainAndCodeOnly() throws {
        let foreign = NSError(domain: "Plugin", code: 9, userInfo: ["secret": "word"])
        let bridged = NetworkFailure(foreign) as NSError
        let beneath = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "Plugin" && beneath.code == 9 && beneath.userInfo.isEmpty && bridged.code == 10)
    }

    @Test func aProhibitedLocalNetworkIsNotOffline() throws {
        let path = ["_NSURLErrorNWPathKey": "unsatisfied (Local network prohibited), interface: en0"]
        let beneath = NSError(domain: "kCFErrorDomainCFNetwork", code: -1009, userInfo: path)
        var error = TransportError(.hostUnreachable, phase: .connecting, message: "offline")
        error.setSystemError(URLError(.notConnectedToInternet, userInfo: [NSUnderlyingErrorKey: beneath]))
        #expect(error.networkUnavailableReason == .localNetworkProhibited)
        #expect(error.description.contains("Local Network"))
        #expect(error.adding(url: url).networkUnavailableReason == .localNetworkProhibited)
        error.setSystemError(URLError(.notConnectedToInternet))
        #expect(error.networkUnavailableReason == nil)
        error.setSystemError(URLError(.dataNotAllowed))
        #expect(error.networkUnavailableReason == .cellular)
    }
}
