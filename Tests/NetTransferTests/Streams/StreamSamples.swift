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

/// An answer of a stub.
typealias Answer = Result<TransportResponse, any Error>

extension Answer {
    static func stream(_ text: String, lost: Bool = false) -> Answer {
        let rest = Locked<Data?>(Data(text.utf8))
        let body = HTTPBody(pulling: {
            if let data = rest.withLock({ $0.take() }) { return data }
            if lost { throw TransportError(.connectionLost, phase: .receivingBody, message: "lost") }
            return nil
        })
        return .success(
            TransportResponse(
                status: 200, headers: ["Content-Type": "text/event-stream; charset=utf-8"], url: nil, body: body))
    }

    static func status(_ status: Int, _ headers: HTTPHeaders = [:], _ body: String = "") -> Answer {
        .success(TransportResponse(status: status, headers: headers, url: nil, body: HTTPBody(body)))
    }

    static var refused: Answer { .failure(TransportError(.connectionRefused, phase: .connecting, message: "refused")) }
    static var timeout: Answer { .failure(TransportError(.idleTimeout, phase: .waiting, message: "idle")) }
}

extension StubTransport {
    /// Gives these answers, one after the other; then always the last one given here.
    convenience init(_ answers: [Answer], then last: Answer = .status(204)) {
        let rest = Locked(answers[...])
        self.init { _, _, _ in try (rest.withLock { $0.popFirst() } ?? last).get() }
    }

    func sent(_ name: String) -> [String?] { exchanges.map { $0.request.value(forHTTPHeaderField: name) } }
}
