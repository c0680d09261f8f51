public import NetCore

/// A server-sent event, or something else that stands in a stream of them (HTML standard, section 9.2).
///
/// ```swift
/// server.on("/news", .events([.event("one", id: "1"), .pause(0.1), .event("two", name: "update", id: "2"), .hold]))
/// ```
public enum MockEvent: Hashable, Sendable {
    /// An event. Each line of its data becomes a field of its own.
    case event(_ data: String, name: String? = nil, id: String? = nil)
    /// How many milliseconds a client waits before it connects again.
    case retry(Int)
    /// A line that clients pass over, as servers send it to keep a connection alive.
    case comment(String)
    /// Nothing for that many seconds.
    case pause(TimeInterval)
    /// Nothing any more, and the connection stays open.
    case hold

    fileprivate var piece: MockResponse.Piece {
        switch self {
        case .event(let data, let name, let id):
            let fields = [id.map { "id: \($0)\n" }, name.map { "event: \($0)\n" }].compactMap { $0 }
            let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
            return .bytes(Data(((fields + lines).joined() + "\n").utf8))
        case .retry(let milliseconds): return .bytes(Data("retry: \(milliseconds)\n\n".utf8))
        case .comment(let text): return .bytes(Data(": \(text)\n\n".utf8))
        case .pause(let seconds): return .pause(seconds)
        case .hold: return .hold
        }
    }
}

extension MockResponse {
    /// A stream of server-sent events, each in a chunk of its own. Behind the last one the body ends, and the client connects again.
    public static func events(_ events: [MockEvent]) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"],
            body: .stream(events.map(\.piece)))
    }
}
