import NetCore
import TestLab
import Testing

/// The pipeline asks adjacent interceptors that need not wait in one function. The order is as if each called the next.
@Suite struct ImmediateInterceptorTests {
    private let log = Locked<[String]>([])

    private struct Gate: ImmediateInterceptor {
        enum Decision { case passes, observes, waits, refuses }

        let name: String
        let decision: Decision
        let log: Locked<[String]>

        private func note(_ text: String) { log.withLock { $0.append("\(name) \(text)") } }

        func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
            note("admit")
            switch decision {
            case .passes: return .passes(nil)
            case .observes: return .passes(Admission.Ticket(origin: request.origin, generation: 7))
            case .waits: return .waits
            case .refuses: throw NetworkError.invalidRequest
            }
        }

        func waitForAdmission(of request: URLRequest, _ next: Next) async throws -> Admission.Ticket? {
            await Task.yield()
            note("waited")
            return Admission.Ticket()
        }

        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            note("intercept")
            return try await admitAndSend(request, next)
        }

        func receive(
            _ response: inout TransportResponse, to request: URLRequest, _ ticket: Admission.Ticket, _ next: Next
        ) {
            note("response \(response.status) \(ticket.generation) \(ticket.origin?.host ?? "-")")
            response.status += 1
        }

        func receive(_ error: any Error, of request: URLRequest, _ ticket: Admission.Ticket, _ next: Next) {
            note("error \(NetworkError(error) == .invalidRequest) \(ticket.generation)")
        }
    }

    private struct Plain: HTTPInterceptor {
        let log: Locked<[String]>
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            log.withLock { $0.append("plain") }
            var next = next
            next.context.attempt += 1
            return try await next(request)
        }
    }

    private struct Transport: HTTPTransport {
        let log: Locked<[String]>
        func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
            log.withLock { $0.append("send \(context.attempt)") }
            return TransportResponse(status: 200, url: request.url)
        }
    }

    private func gate(_ name: String, _ decision: Gate.Decision) -> Gate {
        Gate(name: name, decision: decision, log: log)
    }

    private func send(_ interceptors: any HTTPInterceptor...) async throws -> TransportResponse {
        let chain = InterceptorChain(interceptors: interceptors, transport: Transport(log: log))
        return try await Next(chain: chain, body: nil, context: RequestContext())(URLRequest(url: try url()))
    }

    @Test func responsePassesInterceptorsInReverseOrder() async throws {
        let response = try await send(
            gate("a", .observes), gate("b", .passes), Plain(log: log), gate("c", .observes), gate("d", .observes))
        #expect(response.status == 203)
        #expect(
            log.withLock { $0 } == [
                "a admit", "b admit", "plain", "c admit", "d admit", "send 1", "d response 200 7 a.example",
                "c response 201 7 a.example", "a response 202 7 a.example",
            ])
    }

    @Test func waitingInterceptorIsCalledInOrder() async throws {
        let response = try await send(gate("a", .observes), gate("b", .waits), gate("c", .observes))
        #expect(response.status == 203)
        #expect(
            log.withLock { $0 } == [
                "a admit", "b admit", "b intercept", "b admit", "b waited", "c admit", "send 0",
                "c response 200 7 a.example", "b response 201 0 -", "a response 202 7 a.example",
            ])
    }

    @Test func refusalReachesEarlierInterceptors() async throws {
        await #expect(throws: NetworkError.invalidRequest) {
            try await send(gate("a", .observes), gate("b", .passes), gate("c", .refuses), gate("d", .observes))
        }
        #expect(log.withLock { $0 } == ["a admit", "b admit", "c admit", "a error true 7"])
    }

    @Test func copiesOfARequestShareStorage() throws {
        let request = URLRequest(url: try url())
        var other = request
        #expect(haveSameStorage(request, other))
        other.setValue("1", forHTTPHeaderField: "X-A")
        #expect(!haveSameStorage(request, other) && request.value(forHTTPHeaderField: "X-A") == nil)
        other.setValue(nil, forHTTPHeaderField: "X-A")
        #expect(!haveSameStorage(request, other), "Equal, but made anew.")
        #expect(RequestChanges(from: request, to: other).fields.isEmpty)
    }

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
