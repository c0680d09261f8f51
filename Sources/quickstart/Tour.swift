import NetTesting
import Networking

/// One request in each call style, and one for each thing that goes wrong, over real sockets to a server in this process.
struct Tour {
    struct User: Codable, Sendable {
        let id: Int
        let name: String
    }

    private let networking = Networking()

    func run() async throws {
        let server = try MockServer()
        Self.stock(server)
        print("A MockServer listens on \(server.url.absoluteString). Every request below goes to it over a real socket.\n")

        try await asyncThrows(server)
        await asyncResponse(server)
        await completion(server)
        await chain(server)
        await post(server)
        await retry(server)
        await timeout(server)
        await decodeFailure(server)
        try await download(server)

        print("\nThe server answered \(server.requests.count) requests on \(server.connectionCount) connections. Bye.")
        await networking.shutdown()
        await server.stop()
    }

    private static func stock(_ server: MockServer) {
        server.on(.get, "/users/1", .json(text: #"{"id": 1, "name": "Leia"}"#))
        server.on(.get, "/users", .json(text: #"[{"id": 1, "name": "Leia"}, {"id": 2, "name": "Han"}]"#))
        server.on(.post, "/users", respond: { .data($0.body, contentType: "application/json", status: 201) })
        server.on(.get, "/slow", MockResponse.text("too late").delayed(by: 5))
        server.on(.get, "/file", MockResponse.bytes(count: 4 << 20).throttled(bytesPerSecond: 8 << 20))
    }

    private func asyncThrows(_ server: MockServer) async throws {
        step("async throws: let user: User = try await networking.request(url: url)")
        let user: User = try await networking.request(url: server.url("/users/1"))
        say("got user \(user.id), \(user.name)")
    }

    private func asyncResponse(_ server: MockServer) async {
        step("async: let response: NetworkResponse<[User]> = await networking.request(config)")
        let config = RequestConfig(url: server.url("/users"), queryParameters: ["sort": "name"])
        let response: NetworkResponse<[User]> = await networking.request(config)
        say("status \(response.statusCode ?? 0), \(response.value?.count ?? 0) users, \(response.data?.count ?? 0) bytes")
    }

    private func completion(_ server: MockServer) async {
        step("completion: networking.request(url: url) { response in … }")
        await withCheckedContinuation { continuation in
            networking.request(url: server.url("/users/1")) { (response: NetworkResponse<User>) in
                say("called back on the main actor with \(response.value?.name ?? "nothing")")
                continuation.resume()
            }
        }
    }

    private func chain(_ server: MockServer) async {
        step("chain: .request(url:).cURLLog().responseDecodable(of: User.self) { … }.responseVoid { … }")
        await withCheckedContinuation { continuation in
            networking.request(url: server.url("/users/1"))
                .cURLLog()
                .responseDecodable(of: User.self) { say("first handler: \($0.value?.name ?? "nothing")") }
                .responseVoid { response in
                    say("second handler, same request: \(response.isSuccess ? "it worked" : "it failed")")
                    continuation.resume()
                }
        }
    }

    private func post(_ server: MockServer) async {
        step("POST: bodyParameters become JSON")
        let response: NetworkResponse<User> = await networking.request(
            url: server.url("/users"), method: .post, bodyParameters: ["id": 3, "name": "Chewbacca"])
        say("status \(response.statusCode ?? 0), the server made \(response.value?.name ?? "nothing")")
    }

    private func retry(_ server: MockServer) async {
        step("retryCount: the server answers 503 twice, then 200")
        server.enqueue(.status(503), .status(503), .text("finally"))
        let before = server.requests.count
        let response: NetworkResponse<String> = await networking.request(url: server.url("/flaky"), retryCount: 3)
        say("\"\(response.value ?? "nothing")\" after \(server.requests.count - before) attempts")
    }

    private func timeout(_ server: MockServer) async {
        step("timeout: half a second, and the server needs five")
        let response: NetworkResponse<String> = await networking.request(
            RequestConfig(url: server.url("/slow"), timeout: 0.5))
        say(explain(response.failure))
    }

    private func decodeFailure(_ server: MockServer) async {
        step("a reply that does not fit its type: [User] from an object")
        let response: NetworkResponse<[User]> = await networking.request(url: server.url("/users/1"))
        say(explain(response.failure))
    }

    private func download(_ server: MockServer) async throws {
        step("a streamed download of 4 MiB, with a progress bar")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("quickstart-\(UUID().uuidString).bin")
        defer { _ = try? FileManager.default.removeItem(at: file) }
        let bar = ProgressBar()
        let size = try await Download(client: networking.client).save(server.url("/file"), to: file) { received, total in
            bar.show(received, of: total)
        }
        bar.finish()
        say("saved \(size) bytes; memory stayed flat, chunk by chunk")
    }

    private func explain(_ failure: NetworkFailure?) -> String {
        guard let failure else { return "no error?" }
        return "\(failure.localizedDescription) \(failure.failureReason ?? "")\n    [\(failure)]"
    }

    private func step(_ title: String) {
        print("• \(title)")
    }

    private func say(_ text: String) {
        print("    \(text)")
    }
}
