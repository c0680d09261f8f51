import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetLogging

struct ReplayTransportTests {
    private struct Item: Codable, Equatable, Sendable { var id = 1, status = "fine" }

    private func request(
        _ url: String, _ method: String = "GET", body: String? = nil, type: String = "application/json"
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.setValue(type, forHTTPHeaderField: "Content-Type") }
        return request
    }

    private func entry(
        _ url: String, _ method: String = "GET", post: HTTPArchive.PostData? = nil, answer: String = "x",
        headers: [HTTPArchive.Pair] = []
    ) -> HTTPArchive.Entry {
        HTTPArchive.Entry(
            startedDateTime: Date(timeIntervalSince1970: 0),
            request: HTTPArchive.Request(method: method, url: url, postData: post),
            response: HTTPArchive.Response(
                status: 200, headers: headers,
                content: HTTPArchive.Content(size: Int64(answer.utf8.count), mimeType: "text/plain", text: answer)))
    }

    private func answer(_ client: NetworkClient, _ request: URLRequest) async throws -> String {
        String(decoding: try await client.data(for: request).data, as: UTF8.self)
    }

    /// The answer of an archive with one entry, or nil if the request does not match it.
    private func replayed(_ url: String, for request: URLRequest) async -> String? {
        try? await answer(NetworkClient(transport: ReplayTransport(HTTPArchive(entries: [entry(url)]))), request)
    }

    /// Recorded from a real server, written, read, and replayed when the server is gone.
    @Test func replaysWhatWasRecorded() async throws {
        let server = try MockServer { request in
            request.path == "/old" ? .redirect(to: "/items/1") : .json(Item(), status: 201)
        }
        let recorder = TrafficRecorder()
        let recording = NetworkClient(callInterceptors: [recorder])
        let base = server.url.absoluteString
        let requests = [
            try request("\(base)/items?token=secret-token-1&page=2"), try request("\(base)/old"),
            try request("\(base)/items", "POST", body: #"{"password":"secret-word-2","page":1}"#),
        ]
        for request in requests { _ = try await recording.data(for: request) }
        await recording.shutdown()
        await server.stop()
        let directory = try TemporaryDirectory()
        try recorder.archive.write(to: directory.file("traffic.har"))
        #expect(try !String(contentsOf: directory.file("traffic.har"), encoding: .utf8).contains("secret-"))
        let replay = try ReplayTransport(contentsOf: directory.file("traffic.har"), matching: [.method, .url, .body])
        #expect(replay.unused.count == 4)
        let client = NetworkClient(transport: replay)
        for request in requests {
            let (data, response) = try await client.data(for: request)
            #expect(try JSONDecoder().decode(Item.self, from: data) == Item())
            #expect(response.status == 201)
        }
        #expect(replay.unused.isEmpty)
    }

    @Test func failsOnWhatWasNotRecorded() async throws {
        let replay = ReplayTransport(HTTPArchive(entries: [entry("https://a.example/x?key=%5BREDACTED%5D")]))
        let client = NetworkClient(transport: replay)
        let failure = try await failure { try await answer(client, try request("https://a.example/y?key=my-secret")) }
        let text = if case .notRecorded(let text) = failure.underlyingError as? NetTestingError { text } else { "" }
        #expect(text.contains("GET https://a.example/y") && text.contains("GET https://a.example/x"))
        #expect(!text.contains("my-secret"))
    }

    @Test(arguments: [
        ("https://a.example/x", "GET", true), ("https://A.example:443/x", "GET", true),
        ("https://a.example/x", "PUT", false), ("http://a.example/x", "GET", false),
        ("https://b.example/x", "GET", false), ("https://a.example:444/x", "GET", false),
        ("https://a.example/X", "GET", false), ("https://a.example/x?a", "GET", false),
    ]) func matchesMethodAndURL(_ url: String, _ method: String, _ fits: Bool) async throws {
        #expect(try await replayed("https://a.example/x", for: request(url, method)) == (fits ? "x" : nil))
    }

    @Test func matchesOnlyWhatIsAskedFor() async throws {
        let archive = HTTPArchive(entries: [entry("https://a.example/x?a=1", "POST")])
        let loose = NetworkClient(transport: ReplayTransport(archive, matching: .path, repeats: true))
        #expect(try await answer(loose, try request("http://b.example/x?c")) == "x")
        await #expect(throws: NetworkFailure.self) { try await answer(loose, try request("http://b.example/y")) }
    }

    @Test(arguments: [
        ("?a=1&b=2", "?b=2&a=1", true), ("?a=1&a=2", "?a=2&a=1", true), ("?a=1&a=1", "?a=1&a=2", false),
        ("?a=%5BREDACTED%5D&a=1", "?a=1&a=7", true), ("?a=%5BREDACTED%5D", "?b=1", false),
        ("?a=%5BREDACTED%5D", "", false),
        ("?a=pre-%5BREDACTED%5D-post", "?a=pre-1-post", true), ("?a=pre-%5BREDACTED%5D-post", "?a=pre-1", false),
        ("/users/%5BREDACTED%5D/x", "/users/7/x", true), ("/users/%5BREDACTED%5D/x", "/users/7/8/x", false),
    ]) func matchesWhateverWasLeftOut(_ recorded: String, _ asked: String, _ fits: Bool) async throws {
        let asked = try request("https://a.example" + asked)
        #expect(await replayed("https://a.example" + recorded, for: asked) == (fits ? "x" : nil))
    }

    private static let json = "application/json"
    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        (json, #"{"a":1,"b":[1,2]}"#, #"{ "b": [1, 2], "a": 1 }"#, true),
        (json, #"{"a":1,"b":[1,2]}"#, #"{"a":1,"b":[2,1]}"#, false),
        (json, #"{"a":"[REDACTED]"}"#, #"{"a":{"b":1}}"#, true),
        (json, #"{"a":"[REDACTED]"}"#, #"{"a":1,"b":2}"#, false), (json, #"{"a":1}"#, #"{"a":1,"#, false),
        (form, "a=1&b=%5BREDACTED%5D", "b=x+y&a=1", true), (form, "a=1&b=%5BREDACTED%5D", "b=x+y&a=2", false),
        ("text/plain", "abc", "abc", true), ("text/plain", "abc", "abd", false),
        ("text/plain", "a[REDACTED]c", "aXXc", true),
    ]) func matchesBodies(_ type: String, _ recorded: String, _ asked: String, _ fits: Bool) async throws {
        let archive = HTTPArchive(entries: [
            entry("https://a.example/", "POST", post: HTTPArchive.PostData(mimeType: type, text: recorded))
        ])
        let client = NetworkClient(transport: ReplayTransport(archive, matching: [.default, .body]))
        let result = try? await answer(client, try request("https://a.example/", "POST", body: asked, type: type))
        #expect(result == (fits ? "x" : nil))
    }

    @Test func givesEachEntryOnceAndInOrder() async throws {
        let archive = HTTPArchive(entries: ["1", "2"].map { entry("https://a.example/", answer: $0) })
        let once = NetworkClient(transport: ReplayTransport(archive))
        let request = try request("https://a.example/")
        for expected in ["1", "2"] { #expect(try await answer(once, request) == expected) }
        await #expect(throws: NetworkFailure.self) { try await answer(once, request) }
        let again = NetworkClient(transport: ReplayTransport(archive, repeats: true))
        for expected in ["1", "2", "2", "2"] { #expect(try await answer(again, request) == expected) }
    }

    @Test func leavesOutWhatIsNotTrueAnyMore() async throws {
        let replay = ReplayTransport(
            HTTPArchive(entries: [
                entry(
                    "https://a.example/",
                    headers: [
                        .init(name: "Content-Encoding", value: "gzip"), .init(name: "Content-Length", value: "99"),
                        .init(name: "Transfer-Encoding", value: "chunked"), .init(name: "X-A", value: "1"),
                        .init(name: "X-A", value: "2"),
                    ])
            ]))
        let response = try await replay.send(try request("https://a.example/"), body: nil, context: RequestContext())
        #expect((response.headers["Content-Encoding"], response.headers["Transfer-Encoding"]) == (nil, nil))
        #expect((response.headers["Content-Length"], response.headers.values(for: "X-A")) == ("1", ["1", "2"]))
        #expect(response.url?.absoluteString == "https://a.example/")
    }

    @Test func failsWhereNothingWasKept() async throws {
        var failed = entry("https://a.example/failed")
        failed.response = HTTPArchive.Response(status: 0)
        failed.error = "refused"
        var unkept = entry("https://a.example/unkept")
        unkept.response.content = HTTPArchive.Content(size: 5, text: nil, comment: "too long")
        let replay = ReplayTransport(HTTPArchive(entries: [failed, unkept]))
        for (path, reason) in [("failed", "refused"), ("unkept", "too long")] {
            let error = await #expect(throws: NetTestingError.self) {
                try await replay.send(try request("https://a.example/\(path)"), body: nil, context: RequestContext())
            }
            #expect(error?.errorDescription?.contains(reason) == true)
        }
    }

    @Test func readsNoOtherFile() throws {
        let directory = try TemporaryDirectory()
        try Data("{}".utf8).write(to: directory.file("x.har"))
        #expect(throws: (any Error).self) { try ReplayTransport(contentsOf: directory.file("x.har")) }
        #expect(throws: (any Error).self) { try ReplayTransport(contentsOf: directory.file("none.har")) }
    }
}
