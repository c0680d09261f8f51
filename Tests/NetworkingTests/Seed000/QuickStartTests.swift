import NetTesting
import Networking
import Testing

/// Seed 000, chapter Quick Start. Only the host is replaced: `https://api.example.com` is a server in this process.
@Suite struct QuickStartTests {
    let server: MockServer
    let api: String
    private let print = Transcript()

    init() throws {
        server = try MockServer()
        api = server.url.absoluteString
        server.on(.get, "/users", .json(text: #"[{"id": 1, "name": "Leia"}, {"id": 2, "name": "Han"}]"#))
        server.on(.get, "/profile", .json(text: #"{"id": 1, "name": "Leia"}"#))
        server.on(.get, "/products/42", .json(text: #"{"id": 42, "title": "Lightsaber"}"#))
    }

    /// Section 1, Completion-Handler Style.
    @Test func completionHandlerStyle() async throws {
        MarkedQueue.markMain()
        /// 1. Boot-strap the client (default configuration)
        let networking = Networking()

        /// 2. Prepare an endpoint
        guard let url = URL(string: "\(api)/users") else { return }

        /// 3. Create your DTO
        struct User: Decodable {
            let id: Int
            let name: String
        }

        /// 4. Fire!
        networking.request(url: url) { (response: NetworkResponse<[User]>) in
            switch response.result {
            case .success(let users):
                print("👥 Loaded users:", users)
            case .failure(let error):
                print("❌ Networking error:", error)
            }
        }
        let line = try await print.line()
        #expect(line.hasPrefix("👥 Loaded users: [") && line.contains("Leia") && line.contains("Han"))
        // "default = .main".
        #expect((print.queues, server.requests.map(\.description)) == (["main"], ["GET /users"]))
    }

    /// Section 1: "marshals the callback back to the queue you provide".
    @Test func completionOnAQueue() async throws {
        let networking = Networking()
        networking.request(url: server.url("/users"), queue: MarkedQueue.make("parsing")) {
            (response: NetworkResponse<[User]>) in print(response.value?.count)
        }
        networking.request(RequestConfig(url: server.url("/missing")), queue: MarkedQueue.make("failing")) {
            (response: NetworkResponse<[User]>) in print(response.error)
        }
        _ = try await print.said(2)
        #expect(Set(print.queues) == ["parsing", "failing"])
    }

    /// Section 2, Modern async/await.
    @Test(arguments: ["/profile", "/nobody"]) func modernAsyncAwait(path: String) async throws {
        let networking = Networking()

        /// detach a child-task
        Task {
            /// Build endpoint
            guard let url = URL(string: "\(api)\(path)") else { return }

            /// Optional: fine-grained configuration (method, query, headers…)
            let requestConfig = RequestConfig(url: url, method: .get)

            /// Hit the API - returns `NetworkResponse<User>`
            let response: NetworkResponse<User> = await networking.request(requestConfig)

            if let user = response.value {
                print("🎉 Logged-in as:", user.name)
            } else {
                print("🚨 ", response.error ?? .unknown(nil))
            }
        }
        let line = try await print.line()
        #expect(path == "/profile" ? line == "🎉 Logged-in as: Leia" : line == "🚨  request_failed: status 404")
    }

    /// Section 2, the tip: "if you prefer throwing style". `user` is used here, or the compiler would warn.
    @Test(arguments: ["/profile", "/nobody"]) func throwingStyle(path: String) async throws {
        let networking = Networking()
        let url = server.url(path)
        var handled: NetworkError?
        var loaded: User?
        func handle(_ error: NetworkError) { handled = error }

        do {
            let user: User = try await networking.request(url: url)
            loaded = user
        } catch {
            handle(error)/// `error` is already a `NetworkError`
        }
        #expect(loaded?.name == (path == "/profile" ? "Leia" : nil))
        #expect(handled?.statusCode == (path == "/profile" ? nil : 404))
    }

    /// Section 3, Fluent Chain API.
    @Test func fluentChain() async throws {
        let networking = Networking()

        guard let url = URL(string: "\(api)/products/42") else { return }

        networking
            .request(url: url)/// or `.request(RequestConfig(...))`
            .responseDecodable(of: Product.self) { response in
                switch response.result {
                case .success(let product):
                    print("🛒 Product:", product)
                case .failure(let error):
                    print("❗️", error)
                }
            }.responseVoid { result in
                /// attach more handlers if you want
                print("Finished:", result)
            }
        let lines = try await print.said(2)
        #expect(lines[0].hasPrefix("🛒 Product: ") && lines[0].contains("Lightsaber"))
        #expect(lines[1].hasPrefix("Finished: Request: GET \(api)/products/42") && server.requests.count == 1)
    }

    /// Section 4, Common Extras: "Add Static Auth Header".
    @Test func staticAuthHeader() async throws {
        let url = server.url("/profile")

        var headers = HTTPHeaders.default
        headers.add(name: "Authorization", value: "Bearer <token>")
        let requestConfig = RequestConfig(url: url, headers: headers)

        try await Networking().request(requestConfig)
        let request = try await server.takeRequest()
        #expect(request.headers["Authorization"] == "Bearer <token>")
        #expect(request.headers["User-Agent"] == HTTPHeaders.default["User-Agent"])
    }

    /// Section 4: "Opt-in Cache (1-hour)".
    @Test func optInCache() async throws {
        let networking = Networking()
        let url = server.url("/profile")

        let policy = CachePolicy(
            useCache: true,
            storeCache: true,
            expireTime: Date().addingTimeInterval(3600))
        let response: NetworkResponse<Data> =
            await networking.request(
                url: url,
                cachePolicy: policy)
        let second: NetworkResponse<Data> = await networking.request(url: url, cachePolicy: policy)
        #expect(response.value.map { String(decoding: $0, as: UTF8.self) } == #"{"id": 1, "name": "Leia"}"#)
        #expect((second.value, server.requests.count) == (response.value, 1))
    }

    /// Section 4: "Plug Interceptor". The bodies, which the seed leaves out, are filled in.
    @Test func plugInterceptor() async throws {
        struct AuthInterceptor: RequestInterceptor {
            func adapt(_ req: URLRequest) async throws -> URLRequest {
                var req = req
                req.setValue("Bearer fresh", forHTTPHeaderField: "Authorization")
                return req
            }
            func retry(
                _ req: URLRequest,
                dueTo error: NetworkError,
                currentRetryCount: Int
            ) async throws -> RetryResult { currentRetryCount == 0 ? .retry : .doNotRetry }
        }

        let networking = Networking(interceptor: AuthInterceptor())

        server.enqueue(.status(500))
        let user: User = try await networking.request(url: server.url("/profile"))
        #expect(user.name == "Leia")
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer fresh", "Bearer fresh"])
    }

    /// Section 5, Troubleshooting Checklist: each symptom has its cause.
    @Test func troubleshooting() async throws {
        let networking = Networking()
        let noURL: NetworkResponse<User> = await networking.request(url: try #require(URL(string: "ftp://127.0.0.1/")))
        #expect(noURL.error == .invalidURL)

        server.on("/html", .text("<html>"))
        let noJSON: NetworkResponse<User> = await networking.request(url: server.url("/html"))
        #expect(noJSON.error == .decodingError(URLError(.unknown)))

        server.on("/expired", .text("go away", status: 401))
        let expired: NetworkResponse<User> = await networking.request(url: server.url("/expired"))
        #expect(expired.error == .requestFailed(statusCode: 401, data: Data("go away".utf8)))
    }
}

private struct Product: Decodable {
    let id: Int
    let title: String
}
