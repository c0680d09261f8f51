import NetCore

/// Chooses the response to a request: from the script, then by the routes, then by the handler.
struct Dispatcher: Sendable {
    enum Answer: Sendable {
        /// The response is known as soon as the head of the request is complete.
        case fixed(MockResponse)
        /// The handler returns the response to the complete request.
        case ask(MockHandler)
    }

    struct Route: Sendable {
        let method: HTTPMethod?
        let path: String
        let answer: Answer

        /// Whether the path is equal, or begins with the text before a `*` at the end.
        func matches(_ requestPath: Substring) -> Bool {
            path.hasSuffix("*") ? requestPath.hasPrefix(path.dropLast()) : requestPath == path
        }
    }

    var script = ArraySlice<MockResponse>()
    var routes: [Route] = []
    var handler: MockHandler?

    /// Removes and returns the next scripted response, if it is a fault at that point, which is before a request is known.
    mutating func takeFault(at point: MockFault.Point) -> MockResponse? {
        script.first?.fault?.point == point ? script.popFirst() : nil
    }

    mutating func answer(to head: RequestHead) -> Answer {
        script.popFirst().map(Answer.fixed) ?? routed(head) ?? handler.map(Answer.ask) ?? .fixed(.notFound)
    }

    /// The route added last wins, so that a test can replace the route of a helper.
    private func routed(_ head: RequestHead) -> Answer? {
        let path = RecordedRequest.path(of: head.target)
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

/// The requests and connections that a server has seen.
struct Journal {
    /// A slice, whose indices stay when the oldest are dropped: the index of a request is the number of requests before it.
    var requests = ArraySlice<RecordedRequest>()
    /// The index of the next request that ``takeRequest()`` returns.
    private var next = 0
    /// The number of connections accepted so far.
    var accepted = 0
    /// The number of open connections.
    var open = 0
    /// The reasons why requests were refused.
    var protocolErrors: [String] = []
    /// The HTTP/2 connections, in the order of their numbers.
    var http2Connections: [MockHTTP2Connection] { http2.values.sorted { $0.number < $1.number } }
    private var http2: [Int: MockHTTP2Connection] = [:]
    var isStopped = false

    /// Changes the entry of an HTTP/2 connection, and adds it if there is none.
    mutating func updateHTTP2(_ number: Int, _ change: (inout MockHTTP2Connection) -> Void) {
        change(&http2[number, default: MockHTTP2Connection(number: number)])
    }

    /// Returns the oldest request that was not taken and is still kept.
    mutating func takeRequest() -> RecordedRequest? {
        next = max(next, requests.startIndex)
        guard next < requests.endIndex else { return nil }
        defer { next += 1 }
        return requests[next]
    }
}
