import NetCore
import TestLab
import Testing

/// Both interceptor protocols of the seeds treat requests, bodies and credentials alike. At the end, errors and defaults of RequestInterceptor.
@Suite struct AdaptationTests {
    private struct Adapter: RequestInterceptor {
        let change: @Sendable (URLRequest) throws -> URLRequest
        func adapt(_ request: URLRequest) async throws -> URLRequest { try change(request) }
    }

    private struct Changer: Interceptor {
        let change: @Sendable (URLRequest) throws -> URLRequest
        func intercept(request: URLRequest) async throws -> URLRequest { try change(request) }
    }

    /// The requests that the transport receives from each of the two.
    private func sent(
        _ body: HTTPBody? = nil, url: String = "https://a.example/p", origin: String? = nil,
        headers: [String: String] = [:], by change: @escaping @Sendable (inout URLRequest) throws -> Void
    ) async throws -> [(request: URLRequest, body: HTTPBody?)] {
        var request = URLRequest(url: try NetCoreTests.url(url))
        request.allHTTPHeaderFields = headers
        var context = RequestContext()
        context.origin = origin.flatMap { URL(string: $0) }
        let journal = Locked<[(request: URLRequest, body: HTTPBody?)]>([])
        let next = Next(body: body, context: context) { request, body, _ in
            journal.withLock { $0.append((request, body)) }
            return TransportResponse(status: 200, url: request.url)
        }
        let changed: @Sendable (URLRequest) throws -> URLRequest = {
            var request = $0
            try change(&request)
            return request
        }
        for interceptor in [Adapter(change: changed), Changer(change: changed)] as [any HTTPInterceptor] {
            _ = try await interceptor.intercept(request, next: next)
        }
        #expect(journal.withLock { $0.count } == 2)
        return journal.withLock { $0 }
    }

    @Test func bodyInMemoryIsVisibleAndSent() async throws {
        let shown = Locked<[Data?]>([])
        let sent = try await sent(HTTPBody("abc")) { request in shown.withLock { $0.append(request.httpBody) } }
        for (request, body) in sent { #expect(request.httpBody == nil && body?.data == Data("abc".utf8)) }
        #expect(shown.withLock { $0 } == [Data("abc".utf8), Data("abc".utf8)])
    }

    @Test func streamIsNotVisibleAndIsSent() async throws {
        for (_, body) in try await sent(HTTPBody(stream: Chunks([])), by: { #expect($0.httpBody == nil) }) {
            #expect(body?.description == "HTTPBody(stream, unknown length)")
        }
    }

    @Test func changedBodyIsSent() async throws {
        for before in [HTTPBody("abc"), HTTPBody(stream: Chunks([])), nil] {
            for (request, body) in try await sent(before, by: { $0.httpBody = Data("xyz".utf8) }) {
                #expect(request.httpBody == nil && body?.data == Data("xyz".utf8))
            }
        }
        for (_, body) in try await sent(HTTPBody("abc"), by: { $0.httpBody = nil }) { #expect(body == nil) }
    }

    /// Also if the hook chooses another server itself.
    @Test(arguments: [
        ("https://a.example/p", nil), ("https://a.example/other?q", nil), ("https://A.EXAMPLE:443/p", nil),
        ("https://a.example/p", "https://b.example/p"),
    ]) func credentialsAreSentToTheOriginOfTheCall(_ origin: String, url: String?) async throws {
        let sent = try await sent(origin: origin) {
            if let url { $0.url = URL(string: url) }
            $0.setValue("t", forHTTPHeaderField: "Authorization")
        }
        for (request, _) in sent { #expect(request.value(forHTTPHeaderField: "Authorization") == "t") }
    }

    /// The call was redirected to `url`, which the hook cannot see.
    @Test(arguments: ["https://b.example/p", "http://a.example/p", "https://a.example:8443/p"])
    func credentialsAreNotSentToAnotherOrigin(_ origin: String) async throws {
        let sent = try await sent(origin: origin, headers: ["Cookie": "for-a"]) {
            for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-Device", "Traceparent"] {
                $0.setValue("t", forHTTPHeaderField: name)
            }
            $0.url = URL(string: ($0.url?.absoluteString ?? "") + "?api_key=t")
        }
        for (request, _) in sent {
            #expect(request.url?.query == nil, "a key in the query is a credential too")
            #expect(request.allHTTPHeaderFields == ["Cookie": "for-a", "Traceparent": "t"])
        }
    }

    private func error(of thrown: any Error) async throws -> any Error {
        let next = Next { request, _, _ in TransportResponse(status: 200, url: request.url) }
        let (adapter, request) = (Adapter { _ in throw thrown }, URLRequest(url: try NetCoreTests.url()))
        return try #require(
            await #expect(throws: (any Error).self) { try await adapter.intercept(request, next: next) })
    }

    @Test func errorOfAdaptIsAnInvalidRequest() async throws {
        for thrown in [PluginError(), URLError(.userAuthenticationRequired)] as [any Error] {
            let failure = try #require(await error(of: thrown) as? NetworkFailure)
            #expect(failure.cause == .invalidRequest && type(of: failure.underlyingError) == type(of: Optional(thrown)))
            #expect(failure.request?.url?.host == "a.example")
        }
    }

    @Test func networkErrorsAndCancellationAreRethrown() async throws {
        #expect(try await error(of: NetworkError.noData) as? NetworkError == .noData)
        #expect(try await error(of: NetworkFailure.timeout()) as? NetworkFailure == .timeout())
        #expect(try await error(of: CancellationError()) is CancellationError)
    }

    @Test func defaultsOfTheHooks() async throws {
        struct Idle: RequestInterceptor {}
        let request = URLRequest(url: try NetCoreTests.url())
        #expect(try await Idle().adapt(request) == request)
        let result = try await Idle().retry(request, dueTo: .timeout, currentRetryCount: 0)
        if case .doNotRetry = result {} else { Issue.record("\(result)") }
    }

    private struct Shouter: Interceptor {
        func intercept(response: HTTPURLResponse, data: Data) async throws -> Data {
            if response.statusCode == 500 { throw PluginError() }
            return Data(String(decoding: data, as: UTF8.self).uppercased().utf8) + Data("\(response.statusCode)".utf8)
        }
    }

    private func response(
        status: Int = 200, limit: Int, body: HTTPBody = HTTPBody("hello")
    ) async throws -> TransportResponse {
        var context = RequestContext()
        context.delivery = .collected(limit: limit)
        let next = Next(context: context) { request, _, _ in
            TransportResponse(status: status, headers: ["X-A": "1"], url: request.url, body: body)
        }
        return try await Shouter().intercept(URLRequest(url: try NetCoreTests.url()), next: next)
    }

    @Test(arguments: [200, 404]) func responsesAreInterceptedWithCollectedBodies(_ status: Int) async throws {
        for body in [HTTPBody("hello"), HTTPBody(stream: Chunks(["he", "llo"]))] {
            let response = try await response(status: status, limit: 5, body: body)
            #expect(response.body.data == Data("HELLO\(status)".utf8))
            #expect(response.status == status && response.headers["X-A"] == "1")
        }
    }

    @Test func bodyOverTheLimitFails() async throws {
        let failure = try await failure { try await response(limit: 4) }
        #expect(failure.cause == .responseTooLarge(limit: 4) && failure.response?.statusCode == 200)
    }

    @Test func thrownErrorHasRequestAndResponse() async throws {
        let failure = try await failure { try await response(status: 500, limit: 9) }
        #expect(failure.underlyingError is PluginError && failure.response?.statusCode == 500)
        #expect(failure.request?.url?.host == "a.example" && failure.retryAttempt == 0)
    }
}
