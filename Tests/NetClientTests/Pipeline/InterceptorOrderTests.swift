@Suite struct InterceptorOrderTests {
    private enum Key: RequestContext.Key { static let defaultValue = "" }

    /// Appends its name to a context value, and notes the value.
    private struct Writer: HTTPInterceptor {
        let name: String
        let journal: Locked<[String]>
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            var next = next
            next.context[Key.self] += name
            journal.withLock { [value = next.context[Key.self]] in $0.append("\(name) in: \(value)") }
            let response = try await next(request)
            journal.withLock { [value = next.context[Key.self]] in $0.append("\(name) out: \(value)") }
            return response
        }
    }

    @Test func firstInterceptorIsOutermost() async throws {
        let transport = StubTransport(.success(answer()))
        let client = NetworkClient(
            interceptors: [Tracer(name: "c"), Tracer(name: "d")], transport: transport,
            callInterceptors: [Tracer(name: "a"), Tracer(name: "b")])
        let response = try await client.response(for: request())
        #expect(transport.exchanges.first?.request.value(forHTTPHeaderField: "X-Out") == "abcd")
        #expect(response.headers["X-Back"] == "dcba")
    }

    /// Two hops of two attempts each.
    @Test func callInterceptorsRunOncePerCallAndOthersOncePerAttempt() async throws {
        let transport = StubTransport(
            .failure(lostConnection), .success(answer(302, headers: ["Location": "/there"])), .success(answer(503)),
            .success(answer()))
        let journal = Locked<[String]>([])
        let client = NetworkClient(
            interceptors: [Writer(name: "i", journal: journal)],
            retryPolicy: RetryPolicy(maxRetries: 1, delay: .immediate), transport: transport,
            callInterceptors: [Writer(name: "c", journal: journal)])
        _ = try await client.response(for: request())
        let entered = journal.withLock { $0 }.filter { $0.contains(" in: ") }
        #expect(entered == ["c in: c", "i in: ci", "i in: ci", "i in: ci", "i in: ci"])
        #expect(transport.exchanges.map(\.context.attempt) == [0, 1, 0, 1])
    }

    @Test func contextChangesAreSeenByInnerInterceptorsOnly() async throws {
        let journal = Locked<[String]>([])
        let transport = StubTransport(.success(answer()))
        let client = NetworkClient(
            interceptors: ["a", "b"].map { Writer(name: $0, journal: journal) }, transport: transport)
        _ = try await client.response(for: request())
        #expect(journal.withLock { $0 } == ["a in: a", "b in: ab", "b out: ab", "a out: a"])
        #expect(transport.exchanges.first?.context[Key.self] == "ab")
    }

    @Test func interceptorMayAnswer() async throws {
        struct Answering: HTTPInterceptor {
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                answer(203, "stored")
            }
        }
        let transport = StubTransport()
        let client = NetworkClient(interceptors: [Answering(), Tracer(name: "x")], transport: transport)
        let (data, response) = try await client.data(for: request())
        #expect(data == Data("stored".utf8) && response.status == 203 && response.request == nil)
        #expect(transport.exchanges.isEmpty)
    }

    @Test func errorOfAnInterceptorIsWrappedOnce() async throws {
        let client = NetworkClient(interceptors: [Before { _, _ in throw PluginError() }], transport: StubTransport())
        let failure = try await failure { try await client.response(for: request("https://a.example/p")) }
        #expect(failure.cause == .unknown(nil) && failure.cause.embeddedError is PluginError)
        #expect(failure.request?.url?.path == "/p")
    }

    @Test func responsesOfSeed003AreInterceptedIfCollected() async throws {
        struct Shouter: Interceptor {
            func intercept(response: HTTPURLResponse, data: Data) async throws -> Data {
                Data(String(decoding: data, as: UTF8.self).uppercased().utf8)
            }
        }
        let client = NetworkClient(
            interceptors: [Shouter()], transport: StubTransport { _, _, _ in answer(404, "abc") })
        #expect(try await client.response(for: request()).body.data == Data("ABC".utf8))
        #expect(try await client.send(request()).body.data == Data("abc".utf8))
    }

    @Test func invalidURLOfAnInterceptorIsRefused() async throws {
        let hook = Hook(adapting: { $0.url = URL(string: "file:///etc/passwd") })
        let client = NetworkClient(interceptors: [hook], transport: StubTransport())
        #expect(try await failure { try await client.response(for: request()) }.cause == .invalidURL)
    }

    @Test func httpBodyOfAnInterceptorIsSent() async throws {
        let setter = Before { request, _ in request.httpBody = Data("mine".utf8) }
        for (call, attempt) in [([setter], []), ([], [setter])] as [([Before], [Before])] {
            let transport = StubTransport(.success(answer(303, headers: ["Location": "/there"])), .success(answer()))
            let client = NetworkClient(interceptors: attempt, transport: transport, callInterceptors: call)
            _ = try await client.response(for: request("https://a.example/", .post), body: HTTPBody("data"))
            #expect(transport.exchanges.allSatisfy { $0.request.httpBody == nil })
            #expect(transport.exchanges[0].body == Data("mine".utf8))
            // Set once for the call, it is dropped when the method changes to GET.
            #expect(transport.exchanges[1].body == (call.isEmpty ? Data("mine".utf8) : nil))
        }
    }
}
