@Suite struct FluentResponseTests {
    private struct ListPeople: Endpoint {
        let path = "/people"
        let method = HTTPMethod.get
        typealias Response = [Person]
    }

    @Test func validationOfACall() async throws {
        let transport = StubTransport { _, _, _ in
            answer(404, #"{"id":"1","name":"Leia"}"#, headers: ["Content-Type": "application/json"])
        }
        let call = NetworkClient(environment: try lab(), transport: transport).builder(for: GetPerson(id: "1"))
        #expect(try await call.validate([.statusCodes(200), .statusCodes(404)]).send() == leia)
        #expect(try await call.validate(.statusCodes(200)).validate(.statusCodes(404)).send() == leia)
        #expect(await call.validate(.statusCodes(404)).response().value == leia)
        #expect(try await failure { try await call.send() }.kind == .notFound)
        let strict = call.validate([.statusCodes(404), .contentTypes("text/plain")])
        for failure in [try await failure { try await strict.send() }, await strict.response().failure] {
            #expect(failure?.underlyingError is ResponseValidation.UnacceptableContentType)
        }
    }

    @Test func validationOfTheClientAppliesToResponse() async throws {
        let client = NetworkClient(
            environment: try lab(), interceptors: [ValidationInterceptor(.statusCodes(404))],
            transport: StubTransport(.success(answer(404, #"{"id":"1","name":"Leia"}"#))))
        #expect(await client.builder(for: GetPerson(id: "1")).response().value == leia)
    }

    @Test func getOrFailure() async throws {
        let client = NetworkClient(environment: try lab(), transport: StubTransport(.success(answer(404, ""))))
        func name() async throws(NetworkFailure) -> String {
            try await client.builder(for: GetPerson(id: "1")).response().getOrFailure().name
        }
        let failure = try await failure { try await name() }
        #expect(failure.response?.statusCode == 404 && failure.cause.statusCode == 404)
        let found = NetworkClient(environment: try lab(), transport: people())
        #expect(try await found.builder(for: GetPerson(id: "1")).response().getOrFailure() == leia)
    }

    @Test func pagesOfAnEndpoint() async throws {
        let transport = StubTransport(
            .success(answer(200, #"[{"id":"1","name":"Leia"}]"#, headers: ["Link": "<people?page=2>; rel=next"])),
            .success(answer(200, "[]", headers: ["Link": "<https://b.example/people?page=3>; rel=next"])),
            .success(answer(200, "[]")))
        let client = NetworkClient(
            environment: try lab(), interceptors: [AuthInterceptor(tokenProvider: { "t" })], transport: transport)
        let pages = try client.builder(for: ListPeople()).header("X-Request-ID", "1").pages()
        #expect(try await pages.reduce(into: []) { $0 += $1.value } == [leia])
        let others: [String?] = ["https://a.example/v1/people?page=2", "https://b.example/people?page=3"]
        #expect(transport.exchanges.map(\.request.url?.absoluteString) == ["https://a.example/v1/people"] + others)
        #expect(transport.sent("X-Request-ID") == ["1", "1", "1"])
        #expect(transport.sent("Authorization") == ["Bearer t", "Bearer t", nil])
    }

    @Test func bodyIsSentWithTheFirstPageOnly() async throws {
        let transport = StubTransport { request, _, _ in
            answer(200, "[]", headers: request.httpMethod == "POST" ? ["Link": "<?p=2>; rel=next"] : [:])
        }
        let client = NetworkClient(environment: try lab(), transport: transport)
        let search = Request<[Person]>(method: .post, path: "/search", body: leia)
        for try await _ in try client.builder(for: search).pages() {}
        #expect(transport.exchanges.map { $0.body == nil } == [false, true])
        #expect(transport.exchanges.map(\.request.httpMethod) == ["POST", "GET"])
    }
}

/// Collects the reports, as a logging interceptor does.
private final class Reporter: HTTPInterceptor, UnsentCallReporting {
    private let reports = Locked<[String]>([])
    var texts: [String] { reports.withLock { $0 } }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse { try await next(request) }

    func reportUnsent(_ report: String) { reports.withLock { $0.append(report) } }
}

@Suite struct UnsentCallTests {
    private let reporter = Reporter()
    private let transport = people()
    private let client: NetworkClient

    init() throws { client = NetworkClient(environment: try lab(), interceptors: [reporter], transport: transport) }

    /// Once for all copies.
    @Test func releasedUnsentCallIsReported() throws {
        do {
            let builder = client.request(GetPerson(id: "1")).timeout(3)
            _ = builder.header("X-A", "1")
            _ = builder.cached()
            #expect(reporter.texts.isEmpty)
        }
        #expect(
            reporter.texts == [
                "GET https://a.example/v1/people/1 was released without having been sent. "
                    + "Call send(), response(), stream() or pages(). At the top level of main.swift, a call without a type "
                    + "returns a builder: write let value: Value = try await client.request(…)."
            ])
        #expect(transport.exchanges.isEmpty)
    }

    #if os(Linux)
        /// On other systems the report is in the unified log.
        @Test(.ownProcess) func unsentCallIsReportedOnStandardError() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let client = NetworkClient(environment: try lab(), transport: people())
                _ = client.request(GetPerson(id: "1"))
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("GET https://a.example/v1/people/1 was released without having been sent."))
            #expect(text.contains("At the top level of main.swift"))
        }
    #endif

    /// Nor are the copies of a call that is sent.
    @Test func callsThatAreSentLaterAreNotReported() async throws {
        do {
            let copied: CallBuilder<Person> = client.request(GetPerson(id: "1"))
            _ = copied.header("X-A", "1")
            _ = try await copied.timeout(5).send()
            _ = copied.priority(.low)
            let calls: [CallBuilder<Person>] = (1...4).map { client.request(GetPerson(id: String($0))) }
            await Task.yield()
            _ = await calls[0].response()
            _ = try await calls[1].stream()
            _ = try calls[2].pages()
            _ = try await calls[3].send()
        }
        #expect(reporter.texts.isEmpty && transport.exchanges.count == 4)
    }
}
