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

    /// In place of `https://api.example.com`, of `wss://example.com`, and of `api.example.com` in `hosts: […]`.
    var http: String { "http://127.0.0.1:\(server.port)" }
    var ws: String { "ws://127.0.0.1:\(server.port)" }
    var host: String { "127.0.0.1:\(server.port)" }

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
        default: return recipe(components, request)
        }
    }

    /// What Docs/Recipes.md asks for. It refuses what the recipe should have sent, so that a recipe without effect is an error.
    private static func recipe(_ components: [String], _ request: RecordedRequest) -> MockResponse? {
        let isSignedIn = request.headers["Authorization"] == "Bearer fresh"
        let isSigned = request.headers["Authorization"]?.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/") == true
        switch (components.first ?? "", request.method) {
        case ("account", .get): return isSignedIn ? .json(text: leia) : .status(401)
        case ("catalogue", .get): return request.headers["User-Agent"] == "Shop/2.1" ? .json(text: leia) : .status(400)
        case ("articles", .get): return .json(text: #"[{"word_count": 800, "published_at": "2026-11-23T10:00:00Z"}]"#)
        case ("busy", .get): return .json(text: leia).delayed(by: 5)
        case ("sessions", .post): return .status(request.bodyText == "note=a%2Bb&user=leia" ? 204 : 400)
        case ("wrapped", .get): return .json(text: #"{"data": {"user": \#(leia)}}"#)
        case ("graphql", .post): return graphQL(request)
        case ("hooks", .post):
            let code = HMAC<SHA256>.authenticationCode(for: request.body, using: SymmetricKey(data: Data("secret".utf8)))
            let signature = "sha256=" + code.map { String(format: "%02x", $0) }.joined()
            return .status(request.headers["X-Signature-256"] == signature ? 204 : 401)
        case ("reports", .put): return .status(isSigned && request.bodyText == "report" ? 200 : 403)
        case ("reports", .get): return isSigned ? .text("report") : .status(403)
        default: return nil
        }
    }

    /// One product, with the ID 7. All others are errors in a response of status 200.
    private static func graphQL(_ request: RecordedRequest) -> MockResponse {
        guard let call = try? request.json(as: JSONValue.self), call["query"]?.stringValue != nil else { return .status(400) }
        guard call["variables"]?["id"] == "7" else {
            return .json(text: #"{"data": null, "errors": [{"message": "There is no such product.", "path": ["product"]}]}"#)
        }
        return .json(text: #"{"data": {"product": {"id": 7, "title": "Tea"}}}"#)
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
