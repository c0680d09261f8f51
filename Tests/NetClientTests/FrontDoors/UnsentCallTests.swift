import NetClient
import NetTesting
import TestLab
import Testing

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

    @Test func sentCopyIsNotReported() async throws {
        do {
            let builder: CallBuilder<Person> = client.request(GetPerson(id: "1"))
            _ = builder.header("X-A", "1")
            _ = try await builder.timeout(5).send()
            _ = builder.priority(.low)
        }
        #expect(reporter.texts.isEmpty && transport.exchanges.count == 1)
    }

    @Test func callsThatAreSentLaterAreNotReported() async throws {
        do {
            let calls: [CallBuilder<Person>] = (1...4).map { client.request(GetPerson(id: String($0))) }
            await Task.yield()
            _ = await calls[0].response()
            _ = try await calls[1].stream()
            _ = try calls[2].pages()
            _ = try await calls[3].send()
        }
        #expect(reporter.texts.isEmpty && transport.exchanges.count == 3)
    }
}
