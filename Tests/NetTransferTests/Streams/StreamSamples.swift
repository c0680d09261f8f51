import NetTesting
import NetTransfer

extension AsyncSequence where Self: Sendable, Element: Sendable {
    func collected() async throws -> [Element] { try await reduce(into: []) { $0.append($1) } }

    func collected(_ count: Int) async throws -> [Element] {
        try await prefix(count).reduce(into: []) { $0.append($1) }
    }
}

extension URL {
    /// Where a stub answers.
    static let example = URL(string: "https://api.example/stream") ?? URL(fileURLWithPath: "/")
}

extension HTTPBody {
    /// A body of these chunks, which can be read once.
    static func of(_ chunks: [Data]) -> HTTPBody {
        let rest = Locked(chunks[...])
        return HTTPBody(pulling: { rest.withLock { $0.popFirst() } })
    }
}

/// An answer of a stub: what it is, or a failure to connect.
enum Answer: Sendable {
    case stream(String, lost: Bool = false)
    case response(TransportResponse)
    case failure(any Error)

    func response() throws -> TransportResponse {
        switch self {
        case .response(let response): return response
        case .failure(let error): throw error
        case .stream(let text, let isLost):
            let rest = Locked<Data?>(Data(text.utf8))
            let body = HTTPBody(pulling: {
                if let data = rest.withLock({ $0.take() }) { return data }
                if isLost { throw TransportError(.connectionLost, phase: .receivingBody, message: "lost") }
                return nil
            })
            return TransportResponse(
                status: 200, headers: ["Content-Type": "text/event-stream; charset=utf-8"], url: nil, body: body)
        }
    }

    static func status(_ status: Int, _ headers: HTTPHeaders = [:], _ body: String = "") -> Answer {
        .response(TransportResponse(status: status, headers: headers, url: nil, body: HTTPBody(body)))
    }

    static let refused = failure(TransportError(.connectionRefused, phase: .connecting, message: "refused"))
    static let timeout = failure(TransportError(.idleTimeout, phase: .waiting, message: "idle"))
}

extension StubTransport {
    /// Gives these answers, one after the other; then always the last one given here.
    convenience init(_ answers: [Answer], then last: Answer = .status(204)) {
        let rest = Locked(answers[...])
        self.init { _, _, _ in try (rest.withLock { $0.popFirst() } ?? last).response() }
    }

    func sent(_ name: String) -> [String?] { exchanges.map { $0.request.value(forHTTPHeaderField: name) } }
}
