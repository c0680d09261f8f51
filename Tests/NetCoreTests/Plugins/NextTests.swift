import NetCore
import Testing

@Suite struct NextTests {
    private func request(_ url: String = "https://a.example/") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    private enum Key: RequestContextKey { static let defaultValue = 0 }

    @Test func closureIsTheEndOfThePipeline() async throws {
        let next = Next(body: HTTPBody("x")) { request, body, context in
            TransportResponse(status: 201, url: request.url, body: body ?? .empty)
        }
        let response = try await next(request())
        #expect(response.status == 201)
        #expect(response.body.data == Data("x".utf8))
        #expect(try response.request == request())
    }

    @Test func responseNamesRequestAndAttempt() async throws {
        var next = Next { request, _, _ in TransportResponse(status: 200, url: request.url) }
        next.context.attempt = 2
        let response = try await next(request("https://a.example/x"))
        #expect(response.attempt == 2)
        #expect(response.request?.url?.path == "/x")
    }

    @Test func errorsAreWrappedWithTheRequestAsSent() async throws {
        var next = Next { _, _, _ in throw TransportError(.connectionReset, phase: .waiting, message: "") }
        next.context.attempt = 1
        var request = try request()
        request.setValue("1", forHTTPHeaderField: "Accept")
        let failure = await #expect(throws: NetworkFailure.self) { try await next(request) }
        #expect(failure?.cause == .networkUnavailable)
        #expect(failure?.request?.headers["Accept"] == "1")
        #expect(failure?.retryAttempt == 1)
        #expect(failure?.transportError?.code == .connectionReset)
    }

    @Test func cancellationPassesAsItIs() async throws {
        let next = Next { _, _, _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await next(request()) }
    }

    @Test func contextHoldsValuesOfPlugins() {
        var context = RequestContext()
        #expect(context[Key.self] == 0)
        context[Key.self] = 3
        let copy = context
        context[Key.self] = 4
        #expect(copy[Key.self] == 3 && context[Key.self] == 4)
        #expect(copy.id == context.id)
        #expect(RequestContext().id != RequestContext().id)
    }

    @Test func timeRemainingIsByTheClock() {
        struct Stopped: NetworkClock {
            let now = Date(timeIntervalSince1970: 0)
            let uptime: TimeInterval = 10
            func sleep(for seconds: TimeInterval) async throws {}
        }
        var context = RequestContext(clock: Stopped())
        #expect(context.timeRemaining == nil)
        context.deadline = 12
        #expect(context.timeRemaining == 2)
        context.deadline = 8
        #expect(context.timeRemaining == -2)
        context.deadline = .infinity
        #expect(context.timeRemaining == .infinity)
        context.deadline = .nan
        #expect(context.timeRemaining == nil)
    }
}
