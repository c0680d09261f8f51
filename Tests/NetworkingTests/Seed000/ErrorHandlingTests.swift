import NetTesting
import Networking
import Testing

/// Seed 000, chapter Error Handling.
@Suite struct ErrorHandlingTests {
    /// Section 1, Case Reference: the cases that a request can meet, each with its typical trigger.
    @Test func caseReference() async throws {
        let server = try MockServer()
        let networking = Networking()
        func error(_ config: RequestConfig) async -> NetworkError? {
            let response: NetworkResponse<User> = await networking.request(config)
            return response.error
        }
        let mailto = try #require(URL(string: "mailto:leia@example.com"))
        #expect(await error(RequestConfig(url: mailto)) == .invalidURL)

        let smuggled = RequestConfig(url: server.url("/"), headers: ["X-A": "1\r\nX-B: 2"])
        #expect(await error(smuggled) == .invalidRequest)
        #expect(await error(RequestConfig(url: server.url("/"), method: "G T")) == .invalidRequest)

        server.enqueue(.status(500), .json(text: "{}"), .noContent)
        let config = RequestConfig(url: server.url("/"))
        #expect(await error(config) == .requestFailed(statusCode: 500, data: Data()))
        #expect(await (error(config), error(config)) == (.decodingError(URLError(.unknown)), .noData))

        server.enqueue(.fault(.stall(.beforeResponse)), .fault(.close(.beforeResponse)))
        #expect(await error(RequestConfig(url: server.url("/"), timeout: 0.3)) == .timeout)
        #expect(await error(config) == .networkUnavailable)
        await server.stop()
        // Refused, since the server has stopped.
        #expect(await error(config) == .networkUnavailable)
    }

    /// Section 2.1, UI Messaging.
    @Test func messaging() {
        let showAlert = Transcript()

        func present(error: NetworkError) {
            let message: String
            switch error {
            case .noInternetConnection:
                message = "You appear to be offline."
            case .timeout:
                message = "Server is taking too long. Try again later."
            case .requestFailed(let code, _):
                message = "Oops – server returned \(code)."
            default:
                message = "Something went wrong. Please retry."
            }
            showAlert(message)
        }

        present(error: .noInternetConnection)
        present(error: .timeout)
        present(error: .requestFailed(statusCode: 418, data: nil))
        present(error: .noData)
        #expect(
            showAlert.texts == [
                "You appear to be offline.", "Server is taking too long. Try again later.",
                "Oops – server returned 418.", "Something went wrong. Please retry.",
            ])
    }

    /// Section 2.2, Retry Logic. Our own ``NetworkError/isRetryable`` says the same of these.
    @Test(arguments: [
        (NetworkError.noInternetConnection, true), (.networkUnavailable, true), (.timeout, true),
        (.requestFailed(statusCode: 500, data: nil), true), (.requestFailed(statusCode: 599, data: nil), true),
        (.requestFailed(statusCode: 404, data: nil), false), (.noData, false), (.invalidURL, false),
        (.decodingError(URLError(.unknown)), false),
    ]) func retryLogic(error: NetworkError, expected: Bool) {
        let shouldRetry: Bool
        switch error {
        case .noInternetConnection, .networkUnavailable, .timeout:
            shouldRetry = true
        /// transient
        case .requestFailed(let code, _):
            shouldRetry = (500...599).contains(code)
        default:
            shouldRetry = false
        /// dev / parsing issues
        }
        #expect((shouldRetry, error.isRetryable) == (expected, expected))
    }

    /// Section 3, Bridging To Foundation Error: the conformance is there, with the listing's texts.
    @Test(arguments: [
        (NetworkError.invalidURL, "The URL is invalid."), (.noInternetConnection, "No internet connection."),
        (.timeout, "The request timed out."),
        (.requestFailed(statusCode: 503, data: nil), "Server responded with code 503."),
        (.unknown(nil), "An unknown network error occurred."),
        (.unknown(URLError(.unknown)), "An unknown network error occurred."),
    ]) func bridging(error: NetworkError, text: String) {
        // In English, whatever the language of who runs the tests.
        #expect(error.localizedDescription(in: Locale(identifier: "en")) == text)
        let bridged: any LocalizedError = error
        #expect(bridged.errorDescription?.isEmpty == false)
        #expect((error as any Error).localizedDescription == bridged.errorDescription)
    }

    /// Section 4, Equality Caveats: embedded errors are ignored, plain values are not.
    @Test func equality() {
        let error = NetworkError.downloadFailed(URLError(.cancelled))
        var matched = false
        if error == .downloadFailed(nil) { matched = true }
        /// ✅ case match
        #expect(matched && error != .uploadFailed(nil))
        #expect(NetworkError.decodingError(URLError(.unknown)) == .decodingError(CancellationError()))
        #expect(NetworkError.unknown(nil) == .unknown(URLError(.unknown)))
        #expect(NetworkError.requestFailed(statusCode: 401, data: nil) != .requestFailed(statusCode: 403, data: nil))
        #expect(NetworkError.requestFailed(statusCode: 401, data: nil) != .requestFailed(statusCode: 401, data: Data()))
        #expect(NetworkError.noInternetConnection != .networkUnavailable)
    }

    /// Section 5, Sequence Diagram (Failure Path): a 500 is thrown with its body, by each form. The types of the functions are a part of
    /// the test: throws are typed.
    @Test func failurePath() async throws {
        let server = try MockServer()
        server.on("/endpoint", .text("boom", status: 500))
        let (networking, url) = (Networking(), server.url("/endpoint"))
        func value() async throws(NetworkError) -> User { try await networking.request(url: url) }
        func valueByConfig() async throws(NetworkError) -> User {
            try await networking.request(RequestConfig(url: url))
        }
        func nothing() async throws(NetworkError) { try await networking.request(url: url, method: .delete) }
        let failure = NetworkError.requestFailed(statusCode: 500, data: Data("boom".utf8))
        await #expect(throws: failure) { _ = try await value() }
        await #expect(throws: failure) { _ = try await valueByConfig() }
        await #expect(throws: failure) { try await nothing() }
        await server.stop()
    }

    /// Section 6, Best-Practice Checklist: "On `.noInternetConnection`, first check local cache". The cache is asked before the
    /// monitor.
    @Test func offlineCacheFallback() async throws {
        let monitor = MockConnectionMonitor()
        let transport = StubTransport { request, _, _ in
            TransportResponse(status: 200, url: request.url, body: HTTPBody(#"{"id":1,"name":"Leia"}"#))
        }
        let networking = Networking(transport: transport, connectionMonitor: monitor)
        let url = try #require(URL(string: "http://api.example.com/me"))
        let policy = CachePolicy(useCache: true, storeCache: true)

        let fresh: NetworkResponse<User> = await networking.request(url: url, cachePolicy: policy)
        #expect(fresh.value?.id == 1)
        monitor.isReachable = false
        let stored: NetworkResponse<User> = await networking.request(url: url, cachePolicy: policy)
        #expect(stored.value?.id == 1)
        let uncached: NetworkResponse<User> = await networking.request(url: url)
        #expect((uncached.error, transport.exchanges.count) == (.noInternetConnection, 1))
    }
}
