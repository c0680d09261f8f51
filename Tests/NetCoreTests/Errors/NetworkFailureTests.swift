import NetCore
import Testing

@Suite struct NetworkFailureTests {
    /// The factories of seed 003, for stubs.
    @Test(arguments: [
        (NetworkFailure.invalidURL(), ErrorKind.invalidURL, nil), (.invalidRequest(), .invalidRequest, nil),
        (.noConnection(), .noConnection, nil), (.timeout(), .timeout, nil), (.unauthorized(), .unauthorized, 401),
        (.forbidden(), .forbidden, 403), (.notFound(), .notFound, 404), (.noContent(), .noContent, 204),
        (.rateLimited(), .rateLimited, 429), (.badGateway(), .badGateway, 502),
        (.serviceUnavailable(), .serviceUnavailable, 503), (.gatewayTimeout(), .gatewayTimeout, 504),
        (.serverError(), .serverError(statusCode: 500), 500),
        (.serverError(statusCode: 507), .serverError(statusCode: 507), 507),
        (.clientError(), .clientError(statusCode: 400), 400),
        (.clientError(statusCode: 418), .clientError(statusCode: 418), 418),
        (.decodingFailed(PluginError()), .decodingFailed, nil), (.encodingFailed(PluginError()), .encodingFailed, nil),
        (.cancelled(), .cancelled, nil), (.unknown(), .unknown, nil),
    ]) func factories(_ failure: NetworkFailure, kind: ErrorKind, status: Int?) {
        #expect(failure.kind == kind && failure.statusCode == status && failure.code == failure.cause.code)
        #expect(failure.errorDescription == failure.cause.errorDescription)
        #expect(failure.failureReason == failure.cause.failureReason)
        #expect(failure.isRetryable == failure.cause.isRetryable && failure.isCancellation == (kind == .cancelled))
    }

    @Test func factoriesKeepTheBody() {
        let failure = NetworkFailure.notFound(data: Data("gone".utf8))
        #expect(failure.cause == .requestFailed(statusCode: 404, data: Data("gone".utf8)))
        #expect(failure.response?.bodyPreview == "gone")
    }

    @Test func equalityComparesTheCause() {
        #expect(NetworkFailure.timeout() == NetworkFailure(cause: .timeout, retryAttempt: 3))
        #expect(NetworkFailure.timeout() != NetworkFailure.noConnection())
    }

    @Test func underlyingErrorDefaultsToTheEmbeddedError() {
        #expect(NetworkFailure(cause: .unknown(PluginError())).underlyingError is PluginError)
        let given = NetworkFailure(cause: .unknown(PluginError()), underlyingError: URLError(.badURL))
        #expect(given.underlyingError is URLError && NetworkFailure(cause: .timeout).underlyingError == nil)
    }

    @Test func wrappingKeepsTheTransportError() throws {
        let url = try url("https://a.example/users?q=1")
        let error = TransportError(.idleTimeout, phase: .waiting, message: "m")
        let time = Date(timeIntervalSince1970: 5)
        let failure = NetworkFailure(wrapping: error, request: URLRequest(url: url), timestamp: time, retryAttempt: 2)
        #expect(failure.cause == .timeout && failure.transportError == error.adding(url: url))
        #expect(failure.transportError?.url == "https://a.example/users?q=[REDACTED]")
        #expect(failure.request?.description == "GET https://a.example/users?q=[REDACTED]")
        #expect(failure.request?.url?.absoluteString == "https://a.example/users?q=%5BREDACTED%5D")
        #expect(failure.request?.method == "GET" && failure.timestamp == time && failure.retryAttempt == 2)
    }

    @Test func wrappingAFailureAddsOnlyMissingContext() throws {
        let head = ResponseSnapshot(statusCode: 500, headers: HTTPHeaders())
        let inner = NetworkFailure(
            wrapping: PluginError(), request: URLRequest(url: try url()), timestamp: Date(timeIntervalSince1970: 5))
        let other = URLRequest(url: try url("https://b.example/"))
        let outer = NetworkFailure(wrapping: inner, request: other, response: head, retryAttempt: 1)
        #expect(outer.request == inner.request && outer.response == head && outer.retryAttempt == 1)
        #expect(outer.timestamp == inner.timestamp && outer.underlyingError is PluginError)
        let same = NetworkFailure(outer as any Error)
        #expect(same.request == outer.request && same.timestamp == outer.timestamp && same.retryAttempt == 1)
        #expect(NetworkFailure(wrapping: NetworkFailure.timeout(), request: other).request == RequestSnapshot(other))
    }

    @Test(arguments: [
        ("https://a.example/a%20b?q=x%20y&z", "https://a.example/a%20b?q=[REDACTED]&[REDACTED]"),
        ("https://u:p@[::1]:8080/#frag", "https://[::1]:8080/#[REDACTED]"),
        ("https://a.example/%FF%0D%0A", "https://a.example/%FF%0D%0A"),
        ("https://a.example/?filter%5Ba%5D=1", "https://a.example/?filter%5Ba%5D=[REDACTED]"),
    ]) func snapshotHasTheRedactedURL(_ text: String, expected: String) throws {
        let snapshot = RequestSnapshot(URLRequest(url: try url(text)))
        #expect(snapshot.description == "GET \(expected)")
        #expect(
            snapshot.url?.absoluteString.replacingOccurrences(of: "%5BREDACTED%5D", with: "[REDACTED]") == expected)
    }

    @Test func descriptionIsOneLine() throws {
        let failure = NetworkFailure(
            wrapping: TransportError(.connectionReset, phase: .receivingBody, message: "reset\nby peer"),
            request: URLRequest(url: try url("https://a.example/a%0Ab%FF/c%20d?q=x%0Ay")),
            response: ResponseSnapshot(statusCode: 200, headers: HTTPHeaders()), retryAttempt: 1)
        #expect(
            failure.description
                == "network_unavailable, GET https://a.example/a%0Ab%FF/c%20d?q=[REDACTED], status 200, retry 1, "
                + "connection_reset while receiving_body: reset by peer")
    }

    /// A decoder's key or type is in `DecodingMismatchTests`.
    @Test func descriptionNamesRuleAndError() {
        #expect(NetworkFailure.invalidRequest("No body.").description == "invalid_request, No body.")
        #expect(NetworkFailure(cause: .unsupported("Use it.")).description == "unsupported, Use it.")
        #expect(NetworkFailure.unknown(PluginError()).description == "NetCoreTests.PluginError 1")
    }

    private func preview(_ body: Data?) -> String? {
        ResponseSnapshot(statusCode: 200, headers: HTTPHeaders(), body: body).bodyPreview
    }

    @Test func previewIsCutBetweenCharacters() {
        func preview(_ text: String) -> String? { self.preview(Data(text.utf8)) }
        let short = String(repeating: "a", count: 1024)
        #expect(preview(short) == short && preview(short + "b") == short)
        for lead in 0..<4 {
            let text = String(repeating: "a", count: 1024 - lead) + "🧡"
            #expect(preview(text) == String(repeating: "a", count: 1024 - lead))
        }
        #expect(preview(String(repeating: "a", count: 1020) + "🧡b") == String(repeating: "a", count: 1020) + "🧡")
    }

    @Test func previewOfOtherThanTextIsNil() {
        // The server cut the last text in a character.
        for body in [nil, Data(), Data([0xFF, 0xFE, 0]), Data([0x61, 0xE2])] { #expect(preview(body) == nil) }
        #expect(ResponseSnapshot(statusCode: 404, headers: HTTPHeaders()).description == "404 clientError")
    }

    /// As crash reporters see them.
    @Test func codesAndDomainsOfNSError() {
        let causes = allErrors.map(\.error).filter { $0.statusCode == nil }
        #expect(causes.map { ($0 as NSError).code } == Array(1...18))
        #expect(causes.allSatisfy { ($0 as NSError).domain == "NetCore.NetworkError" })
        #expect((NetworkFailure.notFound() as NSError).code == 404)
        for error in causes + [NetworkFailure.notFound()] as [any LocalizedError] {
            #expect((error as any Error).localizedDescription == error.errorDescription)
        }
        // Their order is in `TransportErrorTests.codesAreStable`.
        let codes = TransportError.Code.allCases.map { TransportError($0, phase: .waiting, message: "") as NSError }
        #expect(codes.map(\.code) == Array(1...32) && codes.allSatisfy { $0.domain == "NetCore.TransportError" })
    }

    @Test func userInfoHasTheSystemsResumeData() {
        let key = "NSURLSessionDownloadTaskResumeData"
        var failure = NetworkFailure.cancelled()
        #expect((failure as NSError).userInfo[key] == nil)
        (failure.resumeData, failure.systemResumeData) = (Data("ours".utf8), Data("system".utf8))
        let wrapped = NetworkFailure(failure)
        #expect((wrapped as NSError).userInfo[key] as? Data == Data("system".utf8))
        #expect(wrapped.resumeData == Data("ours".utf8))
    }

    @Test func foreignErrorsKeepOnlyDomainAndCode() throws {
        let foreign = NSError(domain: "Plugin", code: 9, userInfo: ["secret": "word"])
        let bridged = NetworkFailure(foreign) as NSError
        let beneath = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "Plugin" && beneath.code == 9 && beneath.userInfo.isEmpty && bridged.code == 10)
    }
}
