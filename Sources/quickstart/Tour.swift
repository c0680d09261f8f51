import NetTesting
import Networking

/// One request in each call style, and one for each kind of failure, over real sockets to a server in this process.
struct Tour {
    struct User: Codable, Sendable {
        let id: Int
        let name: String
    }

    private let networking = Networking()

    func run() async throws {
        let server = try MockServer()
        Self.stock(server)
        print(
            """
            A tour of Networking. A small web server runs in this very program, at \(server.url.absoluteString).
            Every request below goes to it over a real socket; nothing leaves this machine.

            Four ways to make the same call
            """)
        try await callStyles(server)
        print("\nSending something")
        await post(server)
        print("\nWhen things go wrong")
        await failures(server)
        print("\nA large file")
        try await download(server)

        print(
            """

            The server counted \(server.requests.count) requests on \(server.connectionCount) connections: \
            connections are reused.
            Next: swift run quickstart https://example.com, or read Sources/quickstart/Tour.swift, the source of this tour.
            """)
        await networking.shutdown()
        await server.stop()
    }

    private static func stock(_ server: MockServer) {
        server.on(.get, "/users/1", .json(text: #"{"id": 1, "name": "Leia"}"#))
        server.on(.get, "/users", .json(text: #"[{"id": 1, "name": "Leia"}, {"id": 2, "name": "Han"}]"#))
        server.on(.post, "/users", respond: { .data($0.body, contentType: "application/json", status: 201) })
        server.on(.get, "/slow", MockResponse.text("too late").delayed(by: 5))
        // A file with ranges (RFC 9110, section 14). The connection is cut in the middle of the first answer.
        let (file, validator) = (MockResponse.generatedBytes(count: 4 << 20), "\"v1\"")
        server.on(.get, "/file") { request in
            let headers: HTTPHeaders = ["ETag": validator, "Accept-Ranges": "bytes"]
            let range = request.headers["Range"]?.dropFirst("bytes=".count).prefix { $0 != "-" }
            guard let first = range.flatMap({ Int($0) }), file.indices.contains(first) else {
                return MockResponse(status: 200, headers: headers, body: .data(file)).fault(.truncatedBody)
            }
            return MockResponse(status: 206, headers: headers, body: .data(file[first...]))
                .header("Content-Range", "bytes \(first)-\(file.count - 1)/\(file.count)")
        }
    }

    private func callStyles(_ server: MockServer) async throws {
        step("async, throws", "let user: User = try await networking.request(url: url)")
        let user: User = try await networking.request(url: server.url("/users/1"))
        say("got user \(user.id), \(user.name)")
        step("async, never throws", "let response: NetworkResponse<[User]> = await networking.request(config)")
        let config = RequestConfig(url: server.url("/users"), queryParameters: ["sort": "name"])
        let response: NetworkResponse<[User]> = await networking.request(config)
        say("status \(response.statusCode ?? 0), \(response.value?.count ?? 0) users")
        step("completion handler", "networking.request(url: url) { (response: NetworkResponse<User>) in … }")
        await withCheckedContinuation { continuation in
            networking.request(url: server.url("/users/1")) { (response: NetworkResponse<User>) in
                say("called back on the main actor with \(response.value?.name ?? "nothing")")
                continuation.resume()
            }
        }
        step("chain", "networking.request(url: url).responseDecodable(of: User.self) { … }.responseVoid { … }")
        let before = server.requests.count
        await withCheckedContinuation { continuation in
            networking.request(url: server.url("/users/1"))
                .responseDecodable(of: User.self) { say("first handler: \($0.value?.name ?? "nothing")") }
                .responseVoid { response in
                    say("second handler: \(response.isSuccess ? "it worked" : "it failed")")
                    continuation.resume()
                }
        }
        say("two handlers, \(server.requests.count - before) request")
    }

    private func post(_ server: MockServer) async {
        step("POST", #"networking.request(url: url, method: .post, bodyParameters: ["id": 3, "name": "Chewbacca"])"#)
        let config = RequestConfig(
            url: server.url("/users"), method: .post, bodyParameters: ["id": 3, "name": "Chewbacca"],
            headers: [.authorization(bearerToken: "a secret")])
        let response: NetworkResponse<User> = await networking.request(config)
        say("sent as JSON: \(server.requests.last?.bodyText ?? "nothing")")
        say("status \(response.statusCode ?? 0), the server made \(response.value?.name ?? "nothing")")
        say("to repeat it in a shell, .cURLLog() of a chain logs a command without the secrets:")
        let logger = NetworkLogger(sinks: [ClosureSink { say($0.visibleMessage) }])
        Networking(logger: logger).chain(config).cURLLog().cancel()
        await logger.flush()
    }

    private func failures(_ server: MockServer) async {
        step("retry", "networking.request(url: url, retryCount: 3), and the server answers 503 twice")
        server.enqueue(.status(503), .status(503), .text("finally"))
        let before = server.requests.count
        let flaky: NetworkResponse<String> = await networking.request(url: server.url("/flaky"), retryCount: 3)
        say("\(flaky.value ?? "nothing") at attempt \(server.requests.count - before), with pauses between them")
        step("timeout", "RequestConfig(url: url, timeout: 0.5), and the server needs 5 seconds")
        let slow: NetworkResponse<String> = await networking.request(
            RequestConfig(url: server.url("/slow"), timeout: 0.5))
        say(slow.failure.map(explanation(of:)) ?? "it worked")
        step("unexpected reply", "NetworkResponse<[User]>, and the server sends a single user")
        let single: NetworkResponse<[User]> = await networking.request(url: server.url("/users/1"))
        say(single.failure.map(explanation(of:)) ?? "it worked")
    }

    private func download(_ server: MockServer) async throws {
        step(
            "download",
            "downloader.download(.url(url), to: .file(file)): 4 MiB, and the connection is cut in the middle")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("quickstart-\(UUID().uuidString).bin")
        defer { _ = try? FileManager.default.removeItem(at: file) }
        let downloader = Downloader(client: networking.client)
        let (progress, task) = downloader.download(.url(server.url("/file")), to: .file(file))
        var attempt = 0
        for await state in progress where state.attempt > attempt {
            attempt = state.attempt
            say("the connection dropped: continuing at byte \(state.bytesCompleted)")
        }
        let saved = try await task.value.get()
        let isWhole = try Data(contentsOf: saved) == MockResponse.generatedBytes(count: 4 << 20)
        let range = server.requests.last?.headers["Range"] ?? "nothing"
        say("the second request asked for \(range); \(isWhole ? "the file is whole" : "the file is damaged")")
    }

    private func step(_ title: String, _ code: String) { print("\n  • \(title): \(code)") }

    private func say(_ text: String) { for line in text.split(separator: "\n") { print("    → \(line)") } }
}
