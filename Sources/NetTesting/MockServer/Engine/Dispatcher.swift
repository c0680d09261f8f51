import NetCore

extension MockServer {
    /// What a handler answers; 500 if it throws.
    static func answer(of handler: Handler, to request: RecordedRequest) async -> MockResponse {
        do {
            return try await handler(request)
        } catch {
            return .text("The handler threw an error: \(error)", status: 500)
        }
    }
}

/// Decides which response a request gets: the script first, then the routes, then the handler.
final class Dispatcher: Sendable {
    enum Answer: Sendable {
        /// Known when the head of the request is there.
        case fixed(MockResponse)
        /// Known when the whole request is there and the closure was asked.
        case ask(MockServer.Handler)
    }

    struct Route: Sendable {
        let method: HTTPMethod?
        let path: String
        let answer: Answer

        /// `path` matches as it is, or by what stands before a `*` at its end.
        func matches(_ requestPath: Substring) -> Bool {
            path.hasSuffix("*") ? requestPath.hasPrefix(path.dropLast()) : requestPath == path
        }
    }

    private struct State {
        var script = ArraySlice<MockResponse>()
        var routes: [Route] = []
        var handler: MockServer.Handler?
    }

    private let state: Locked<State>

    init(handler: @escaping MockServer.Handler) {
        state = Locked(State(handler: handler))
    }

    func enqueue(_ responses: [MockResponse]) {
        state.withLock { $0.script.append(contentsOf: responses) }
    }

    func add(_ route: Route) {
        state.withLock { $0.routes.append(route) }
    }

    /// Lets go of everything, the closures too: they may hold on to the server.
    func clear() {
        state.withLock { $0 = State() }
    }

    var scriptedCount: Int { state.withLock { $0.script.count } }

    /// The next scripted response, if it is a fault that strikes at that point, before there is a request to answer.
    func takeFault(at point: MockFault.Point) -> MockResponse? {
        state.withLock { state in
            state.script.first?.fault?.point == point ? state.script.popFirst() : nil
        }
    }

    func answer(to head: RequestHead) -> Answer {
        let (answer, handler) = state.withLock { state -> (Answer?, MockServer.Handler?) in
            if let next = state.script.popFirst() { return (.fixed(next), nil) }
            return (Self.answer(to: head, from: state.routes), state.handler)
        }
        return answer ?? handler.map(Answer.ask) ?? .fixed(.notFound)
    }

    /// The route that was added last wins, so that a test can replace one that a helper has set up.
    private static func answer(to head: RequestHead, from routes: [Route]) -> Answer? {
        let path = RequestHead.path(of: head.target)
        let matching = routes.reversed().filter { $0.matches(path) }
        guard !matching.isEmpty else { return nil }
        let route =
            matching.first { $0.method == nil || $0.method == head.method }
            ?? (head.method == .head ? matching.first { $0.method == .get } : nil)
        if let route { return route.answer }
        let allowed = Set(matching.compactMap(\.method?.rawValue)).sorted().joined(separator: ", ")
        return .fixed(.status(405, headers: ["Allow": allowed]))
    }
}
