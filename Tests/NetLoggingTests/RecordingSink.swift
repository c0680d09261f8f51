import NetLogging
import NetTesting
import Testing

final class RecordingSink: LogSink {
    private let kept = Locked<[LogEvent]>([])
    var events: [LogEvent] { kept.withLock { $0 } }
    var messages: [String] { events.map(\.message) }
    func write(_ event: LogEvent) { kept.withLock { $0.append(event) } }
}

/// A clock that a test advances. A sleep takes no time.
final class HandClock: NetworkClock {
    private let time = Locked(TimeInterval(1_700_000_000.123))
    var now: Date { Date(timeIntervalSince1970: uptime) }
    var uptime: TimeInterval { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
    func sleep(for seconds: TimeInterval) async throws {}
}

extension URLRequest {
    init(_ url: URL, method: String = "GET", headers: [String: String] = [:], body: Data? = nil) {
        self.init(url: url)
        (httpMethod, allHTTPHeaderFields, httpBody) = (method, headers, body)
    }

    init(
        _ url: String = "https://example.com/", method: String = "GET", headers: [String: String] = [:],
        body: Data? = nil
    ) throws {
        self.init(try #require(URL(string: url)), method: method, headers: headers, body: body)
    }
}

extension HTTPTransport where Self == StubTransport {
    /// Answers each request with 200.
    static var ok: Self { StubTransport { _, _, _ in TransportResponse(status: 200, url: nil) } }
}
