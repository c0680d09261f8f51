import NetCore
import TestLab
import Testing

@Suite struct NextTests {
    private enum Key: RequestContext.Key { static let defaultValue = 0 }

    @Test func responseNamesRequestAndAttempt() async throws {
        var next = Next(body: HTTPBody("x")) { request, body, context in
            TransportResponse(status: 201, url: request.url, body: body ?? .empty)
        }
        next.context.attempt = 2
        let response = try await next(URLRequest(url: url("https://a.example/x")))
        #expect(response.status == 201 && response.attempt == 2 && response.body.data == Data("x".utf8))
        #expect(try response.request == URLRequest(url: url("https://a.example/x")))
    }

    @Test func errorsAreWrappedWithTheSentRequest() async throws {
        var next = Next { _, _, _ in throw TransportError(.connectionReset, phase: .waiting, message: "") }
        next.context.attempt = 1
        var request = URLRequest(url: try url())
        request.setValue("1", forHTTPHeaderField: "Accept")
        let failure = try await failure { try await next(request) }
        #expect(failure.cause == .networkUnavailable && failure.transportError?.code == .connectionReset)
        #expect(failure.request?.headers["Accept"] == "1" && failure.retryAttempt == 1)
    }

    @Test func cancellationIsNotWrapped() async throws {
        let next = Next { _, _, _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await next(URLRequest(url: url())) }
    }

    @Test func contextKeepsValuesOfPlugins() {
        var context = RequestContext()
        #expect(context[Key.self] == 0)
        context[Key.self] = 3
        let copy = context
        context[Key.self] = 4
        #expect(copy[Key.self] == 3 && context[Key.self] == 4 && copy.id == context.id)
        #expect(RequestContext().id != RequestContext().id)
    }

    @Test(arguments: [(12, 2), (8, -2), (.infinity, .infinity), (.nan, nil), (nil, nil)] as [(Double?, Double?)])
    func timeRemainingUntilTheDeadline(_ deadline: Double?, remaining: Double?) {
        struct Stopped: NetworkClock {
            let now = Date(timeIntervalSince1970: 0)
            let uptime: TimeInterval = 10
            func sleep(for seconds: TimeInterval) async throws {}
        }
        var context = RequestContext(clock: Stopped())
        context.deadline = deadline
        #expect(context.timeRemaining == remaining)
    }
}
