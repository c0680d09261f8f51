// The server against which Scripts/check-snippets runs snippets: what README.md and Docs/ ask for, it has.
import NetTesting
import Networking

nonisolated let snippetServer = SnippetServer()

nonisolated final class SnippetServer: Sendable {
    let server: MockServer

    init() {
        do {
            server = try MockServer { request in Self.answer(to: request) ?? .notFound }
        } catch {
            fail("no server: \(error)")
        }
    }

    /// In place of `https://api.example.com`, and of `wss://example.com`.
    var http: String { "http://127.0.0.1:\(server.port)" }
    var ws: String { "ws://127.0.0.1:\(server.port)" }

    /// The requests to which there is no answer: a snippet that made one is wrong.
    var unexpected: [String] {
        server.requests.filter { Self.answer(to: $0) == nil }.map { "\($0.method) \($0.path)" }
    }

    private static let leia = #"{"id": 1, "name": "Leia", "title": "Tea"}"#

    private static func answer(to request: RecordedRequest) -> MockResponse? {
        if request.headers["Upgrade"] != nil { return .webSocket() }
        if request.headers["Accept"]?.contains("text/event-stream") == true { return events(for: request) }
        var components = request.path.split(separator: "/").map(String.init)
        if components.first == "v1" { components.removeFirst() }
        let isSafe = request.method.isSafe
        switch (components.first ?? "", components.dropFirst().first) {
        case ("status", let status?): return Int(status).map { .status($0) }
        case ("users", nil) where isSafe && request.queryValue("page") == nil:
            return .json(text: "[\(leia)]").header("Link", #"</users?page=2>; rel="next", </users?page=2>; rel="last""#)
        case ("users", nil) where isSafe, ("search", nil), ("items", nil), ("photos", nil):
            return .json(text: "[\(leia)]")
        case ("batches", _): return .json(text: #"{"users": [\#(leia)], "cursor": null}"#)
        case ("users", nil): return .json(text: leia, status: 201)
        case ("users", _) where request.method == .delete, ("tasks", _): return .noContent
        case ("users", _), ("user", _), ("me", _), ("profile", _), ("login", _), ("files", _), ("upload", _),
            ("products", _):
            return file(leia)
        case ("large", _), ("movie.mp4", _), ("file", _), ("file.zip", _): return .bytes(count: 1 << 20)
        case ("messages", "poll"): return .json(text: #"["hello", "disconnect"]"#)
        case ("temperature", _): return .json(text: "21.5")
        case ("log", _): return .text("one\ntwo")
        default: return nil
        }
    }

    /// What can be cached, and asked for again.
    private static func file(_ text: String) -> MockResponse {
        .json(text: text).header("ETag", "\"1\"").header("Cache-Control", "max-age=60")
    }

    /// Two events and the end: at the second connection there is no more.
    private static func events(for request: RecordedRequest) -> MockResponse {
        if request.headers["Last-Event-ID"] == "2" { return .noContent }
        let end: [MockEvent] = request.method == .post ? [.event("[DONE]")] : []
        return .events([.event(leia, id: "1"), .event(leia, id: "2")] + end)
    }
}

/// Ends the program that runs a snippet: the check turns red with this text.
nonisolated func fail(_ what: String) -> Never {
    FileHandle.standardError.write(Data("\(what)\n".utf8))
    exit(1)
}
