import NetTesting
import Networking

/// The end of the tour: what a few calls did, as a HAR file and as a page with a waterfall, both without secrets.
struct Recording {
    let server: MockServer

    func run() async throws {
        print("\nWhat happened, to look at and to hand on")
        let recorder = TrafficRecorder()
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 2, delay: .fixed(0.05)), callInterceptors: [recorder])
        try await makeCalls(client)
        await client.shutdown()

        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quickstart-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let archive = folder.appendingPathComponent("traffic.har")
        let page = folder.appendingPathComponent("traffic.html")
        try recorder.archive.write(to: archive)
        try recorder.waterfall(title: "Quickstart").write(to: page)
        print(
            """
                → \(recorder.calls.count) calls, \(recorder.archive.log.entries.count) exchanges, no secret in them
                → HAR file, for the developer tools of a browser: \(archive.path)
                → waterfall, for any browser: \(page.absoluteString)
            """)
    }

    /// Of each kind one: plain, sent, retried, large, and several at a time.
    private func makeCalls(_ client: NetworkClient) async throws {
        server.on(.get, "/report", MockResponse.bytes(count: 1 << 20).throttled(bytesPerSecond: 8 << 20))
        var login = URLRequest(url: server.url("/users?page=2"))
        login.httpMethod = "POST"
        login.allHTTPHeaderFields = ["Content-Type": "application/json", "Authorization": "Bearer a secret"]
        _ = try await client.data(for: login, body: HTTPBody(#"{"id": 3, "username": "han", "password": "a secret"}"#))
        server.enqueue(.status(503), .text("finally"))
        _ = try await client.data(for: URLRequest(url: server.url("/flaky")))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for path in ["/users/1", "/users", "/report"] {
                group.addTask { _ = try await client.data(for: URLRequest(url: server.url(path))) }
            }
            try await group.waitForAll()
        }
    }
}
