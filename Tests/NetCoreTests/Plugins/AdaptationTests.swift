import NetCore
import Testing

/// What the two interceptor protocols of the seeds do with requests, bodies and credentials: the same.
@Suite struct AdaptationTests {
    private struct Adapter: RequestInterceptor {
        let change: @Sendable (inout URLRequest) throws -> Void

        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            try change(&request)
            return request
        }
    }

    private struct Changer: Interceptor {
        let change: @Sendable (inout URLRequest) throws -> Void

        func intercept(request: URLRequest) async throws -> URLRequest {
            var request = request
            try change(&request)
            return request
        }
    }

    /// What leaves the pipeline behind each of the two.
    private func sent(
        _ body: HTTPBody? = nil, url: String = "https://a.example/p", origin: String? = nil,
        headers: [String: String] = [:], by change: @escaping @Sendable (inout URLRequest) throws -> Void
    ) async throws -> [(request: URLRequest, body: HTTPBody?)] {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.allHTTPHeaderFields = headers
        var context = RequestContext()
        context.origin = origin.flatMap { URL(string: $0) }
        var result: [(request: URLRequest, body: HTTPBody?)] = []
        for interceptor in [Adapter(change: change), Changer(change: change)] as [any HTTPInterceptor] {
            let journal = Locked<[(request: URLRequest, body: HTTPBody?)]>([])
            let next = Next(body: body, context: context) { request, body, _ in
                journal.withLock { $0.append((request, body)) }
                return TransportResponse(status: 200, url: request.url)
            }
            _ = try await interceptor.intercept(request, next: next)
            result += journal.withLock { $0 }
        }
        #expect(result.count == 2)
        return result
    }

    @Test func changesAreSent() async throws {
        for (request, body) in try await sent(by: { $0.setValue("1", forHTTPHeaderField: "X-A") }) {
            #expect(request.value(forHTTPHeaderField: "X-A") == "1")
            #expect(body == nil)
        }
    }

    @Test func bodyInMemoryShowsAndStays() async throws {
        let shown = Locked<[Data?]>([])
        for (request, body) in try await sent(
            HTTPBody("abc"), by: { request in shown.withLock { $0.append(request.httpBody) } })
        {
            #expect(request.httpBody == nil, "the body goes beside the request")
            #expect(body?.data == Data("abc".utf8))
        }
        #expect(shown.withLock { $0 } == [Data("abc".utf8), Data("abc".utf8)])
    }

    @Test func streamDoesNotShowAndStays() async throws {
        for (_, body) in try await sent(HTTPBody(stream: Chunks([])), by: { #expect($0.httpBody == nil) }) {
            #expect(body?.description == "HTTPBody(stream, unknown length)")
        }
    }

    @Test func changedBodyReplaces() async throws {
        for before in [HTTPBody("abc"), HTTPBody(stream: Chunks([])), nil] {
            for (request, body) in try await sent(before, by: { $0.httpBody = Data("xyz".utf8) }) {
                #expect(request.httpBody == nil)
                #expect(body?.data == Data("xyz".utf8))
            }
        }
    }

    @Test func removedBodyIsGone() async throws {
        for (_, body) in try await sent(HTTPBody("abc"), by: { $0.httpBody = nil }) { #expect(body == nil) }
    }

    @Test(arguments: ["https://a.example/p", "https://a.example/other?q", "https://A.EXAMPLE:443/p"])
    func credentialsAreSentToTheOriginOfTheCall(_ origin: String) async throws {
        for (request, _) in try await sent(
            origin: origin, by: { $0.setValue("t", forHTTPHeaderField: "Authorization") })
        {
            #expect(request.value(forHTTPHeaderField: "Authorization") == "t")
        }
    }

    /// A redirect has led to `url`, and the hook cannot see that.
    @Test(arguments: ["https://b.example/p", "http://a.example/p", "https://a.example:8443/p"])
    func credentialsAreNotSentToAStranger(_ origin: String) async throws {
        let sent = try await sent(origin: origin, headers: ["Cookie": "for-a"]) {
            $0.setValue("t", forHTTPHeaderField: "Authorization")
            $0.setValue("t", forHTTPHeaderField: "Cookie")
            $0.setValue("t", forHTTPHeaderField: "Proxy-Authorization")
            $0.setValue("t", forHTTPHeaderField: "X-Device")
            $0.setValue("t", forHTTPHeaderField: "Traceparent")
            $0.url = URL(string: ($0.url?.absoluteString ?? "") + "?api_key=t")
        }
        for (request, _) in sent {
            #expect(request.url?.query == nil, "a key in the query is a credential too")
            #expect(request.allHTTPHeaderFields == ["Cookie": "for-a", "Traceparent": "t"])
        }
    }

    /// Where the hook itself chooses another server, it knows what it does.
    @Test func credentialsFollowAHookThatChangesTheURL() async throws {
        let sent = try await sent(origin: "https://a.example/p") {
            $0.url = URL(string: "https://b.example/p")
            $0.setValue("t", forHTTPHeaderField: "Authorization")
        }
        for (request, _) in sent { #expect(request.value(forHTTPHeaderField: "Authorization") == "t") }
    }
}
