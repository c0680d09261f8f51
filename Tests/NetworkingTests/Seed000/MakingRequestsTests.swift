import NetTesting
import Networking
import Testing

/// Seed 000, chapter Making Requests.
@Suite struct MakingRequestsTests {
    let server: MockServer
    let api: String
    private let print = Transcript()
    /// As `Networking()`, but the pauses before retries take no time.
    let networking = Networking(transport: .platform, clock: TestClock(autoAdvance: true))

    init() throws {
        server = try MockServer()
        api = server.url.absoluteString
        server.on(.post, "/login", .json(text: #"{"value": "t0k"}"#))
        server.on(.get, "/search", .json(text: #"{"hits": ["swift"]}"#))
        server.on(.get, "/profile", .json(text: #"{"id": 1, "name": "Leia"}"#))
        server.on(.get, "/me", .json(text: #"{"id": 1, "name": "Leia"}"#))
    }

    /// Section 1, URL-Only (5-liner): with `retryCount: 1`, and a POST is obeyed.
    @Test(arguments: [0, 1]) func urlOnly(failures: Int) async throws {
        server.enqueue(Array(repeating: .status(503), count: failures))
        let app = App()
        @Sendable func handleResponse<T>(_ response: NetworkResponse<T>) { app.handleResponse(response) }

        let loginURL = URL(string: "\(api)/login")!

        networking.request(
            url: loginURL,
            method: .post,
            bodyParameters: [
                "username": "john",
                "password": "12345",
            ],
            retryCount: 1  // optional automatic retry
        ) { (response: NetworkResponse<Token>) in
            handleResponse(response)
        }
        #expect(try await app.print.line().contains("t0k") && server.requests.count == failures + 1)
        for request in server.requests {
            #expect(request.description == "POST /login")
            #expect(try request.json() == ["username": "john", "password": "12345"])
            #expect(request.headers["Content-Type"] == "application/json")
        }
    }

    /// Section 1: `retryCount: 1` is one retry and no more.
    @Test func retriesAreCounted() async throws {
        server.enqueue(.status(503), .status(502), .status(500))
        let response: NetworkResponse<Data> = await networking.request(url: server.url("/me"), retryCount: 1)
        #expect((response.statusCode, response.failure?.retryAttempt, server.requests.count) == (502, 1, 2))
    }

    /// Section 2, RequestConfig.
    @Test func requestConfig() async throws {
        let app = App()
        @Sendable func handleResponse<T>(_ response: NetworkResponse<T>) { app.handleResponse(response) }
        let token = "t0k"
        server.enqueue(.status(503), .status(503))

        let requestConfig = RequestConfig(
            url: URL(string: "\(api)/search")!,
            method: .get,
            queryParameters: ["q": "swift"],
            headers: HTTPHeaders([
                .accept("application/json"),
                .authorization(bearerToken: token),
            ]),
            cachePolicy: CachePolicy(useCache: true, storeCache: true),
            retryCount: 2
        )

        networking.request(requestConfig) { (response: NetworkResponse<SearchResult>) in
            handleResponse(response)
        }
        #expect(try await app.print.line().contains("swift") && server.requests.count == 3)
        let last = try #require(server.requests.last)
        #expect((last.target, last.headers["Authorization"]) == ("/search?q=swift", "Bearer t0k"))

        // From the cache, as the policy says.
        let again: NetworkResponse<SearchResult> = await networking.request(requestConfig)
        #expect((again.value?.hits, server.requests.count) == (["swift"], 3))
    }

    /// Section 2: "Serialize it (Codable) for offline queuing". What comes back sends the same bytes.
    @Test func requestConfigIsCodable() async throws {
        server.on(.put, "/queued", .ok)
        let config = RequestConfig(
            url: server.url("/queued?a=1"), method: .put, queryParameters: ["q": "ä b", "n": 2],
            bodyParameters: ["user": ["id": 1, "name": "Leia"] as JSONValue, "tags": ["x", "y"], "on": true],
            headers: [.accept("application/json")], cachePolicy: CachePolicy(useCache: false, storeCache: true),
            retryCount: 3, timeout: 7)
        let stored = try JSONEncoder().encode(config)
        let restored = try JSONDecoder().decode(RequestConfig.self, from: stored)
        #expect((restored.method, restored.headers, restored.cachePolicy) == (.put, config.headers, config.cachePolicy))
        #expect(restored.retryCount == 3 && restored.timeout == 7)

        try await networking.request(config)
        try await networking.request(restored)
        let (first, second) = (try await server.takeRequest(), try await server.takeRequest())
        #expect((first.target, second.target) == ("/queued?a=1&n=2&q=%C3%A4%20b", first.target))
        let (sent, resent): (JSONValue, JSONValue) = (try first.json(), try second.json())
        #expect((sent, resent) == (["user": ["id": 1, "name": "Leia"], "tags": ["x", "y"], "on": true], sent))
    }

    /// Section 3, Fluent Chain API.
    @Test func fluentChain() async throws {
        let showAlert = Transcript()
        let log = Transcript()
        let networking = Networking(logger: NetworkLogger(sinks: [ClosureSink { log($0.message) }]))

        let requestConfig = RequestConfig(
            url: URL(string: "\(api)/profile")!
        )

        networking
            .request(requestConfig)
            .cURLLog()/// 1 optional debugging hook
            .responseDecodable(of: User.self) { response in
                /// 2 typed decoding
                switch response.result {
                case .success(let user):
                    print("👋", user.name)
                case .failure(let error):
                    showAlert(error)
                }
            }.responseVoid { _ in
                /// 3 you can attach more handlers
                print("Finished")
            }
        #expect(try await print.said(2) == ["👋 Leia", "Finished"] && showAlert.texts.isEmpty)
        await networking.logger.flush()
        #expect(log.texts.contains("curl \(api)/profile") && server.requests.count == 1)
    }

    /// Section 4, Pure async/await, URL-Only.
    @Test func asyncByURL() async throws {
        Task {
            guard let url = URL(string: "\(api)/me") else { return }
            let user: User = try await networking.request(url: url)  // throws `NetworkError`
            print(user.name)
        }
        #expect(try await print.line() == "Leia")
    }

    /// Section 4, Pure async/await, RequestConfig.
    @Test func asyncByConfig() async throws {
        let requestConfig = RequestConfig(url: server.url("/me"))

        let response: NetworkResponse<User> = await networking.request(requestConfig)
        print(response.statusCode)  // easy access to HTTP metadata
        #expect((print.texts, response.value?.name) == (["200"], "Leia"))
    }

    /// Section 5, Common Parameters Cheat-Sheet.
    @Test func commonParameters() async throws {
        struct Event: Decodable { let at: Date }
        server.on(.get, "/events", .json(text: #"{"at": "2026-01-31T12:00:00Z"}"#))
        server.on(.get, "/seconds", .json(text: #"{"at": 10}"#))

        let iso: Event = try await networking.request(
            url: server.url("/events"), queryParameters: ["q": "swift", "sort": "stars"], decoder: .iso8601)
        #expect(iso.at == Date(timeIntervalSince1970: 1_769_860_800))
        #expect(server.requests.last?.target == "/events?q=swift&sort=stars")

        let seconds = JSONDecoder()
        seconds.dateDecodingStrategy = .secondsSince1970
        let event: NetworkResponse<Event> = await networking.request(url: server.url("/seconds"), decoder: seconds)
        #expect(event.value?.at == Date(timeIntervalSince1970: 10))

        let json = "application/json"
        try await networking.request(
            url: server.url("/me"), headers: [.authorization(bearerToken: "t0k"), .contentType(json)])
        #expect(server.requests.last?.headers["Content-Type"] == json)
    }

    /// Section 6, Error Handling Pattern, with the broken `switch` line put right.
    @Test func errorHandlingPattern() async throws {
        let app = App()
        let refused: NetworkResponse<User> = await networking.request(url: server.url("/none"))
        server.enqueue(.status(401))
        let expired: NetworkResponse<User> = await networking.request(url: server.url("/me"))
        let loaded: NetworkResponse<User> = await networking.request(url: server.url("/me"))
        let offline = NetworkResponse<User>(
            request: nil, response: nil, data: nil, result: .failure(.noInternetConnection))
        for response in [refused, expired, loaded, offline] { app.handleResponse(response) }
        await app.logger.flush()
        #expect(app.print.texts.count == 4)
        // Who logs does not wait for the sink.
        #expect(app.print.texts.contains("logged error: request_failed: status 404"))
        let others = app.print.texts.filter { !$0.hasPrefix("logged") }
        #expect(others.first == "refresh and retry" && others[1].hasPrefix("🎉 User(") && others.last == "offline")
    }
}

/// What the chapter's snippets belong to.
private struct App: Sendable {
    let print = Transcript()
    let logger: NetworkLogger

    init() {
        logger = NetworkLogger(sinks: [ClosureSink { [print] in print("logged \($0.level): \($0.visibleMessage)") }])
    }

    private func showOfflineBanner() { print("offline") }
    private func refreshTokenAndRetry() { print("refresh and retry") }

    /// Section 6.
    func handleResponse<T>(_ response: NetworkResponse<T>) {
        switch response.result {
        case .success(let value):
            print("🎉", value)
        case .failure(let error):
            if error == .noInternetConnection {
                showOfflineBanner()
            } else if case .requestFailed(let code, _) = error, code == 401 {
                refreshTokenAndRetry()
            } else {
                logger.logMessage(message: "\(error)", level: .error, logPrivacy: .public)
            }
        }
    }
}

private struct Token: Decodable { let value: String }

private struct SearchResult: Decodable { let hits: [String] }
