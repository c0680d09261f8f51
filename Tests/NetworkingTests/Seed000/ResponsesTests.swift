import NetTesting
import Networking
import Testing

/// Seed 000, chapter Responses with `NetworkingResponse`.
@Suite struct ResponsesTests {
    let server: MockServer
    let api: String
    let networking = Networking()
    private let print = Transcript()

    init() throws {
        server = try MockServer()
        api = server.url.absoluteString
        server.on(.get, "/profile", .json(text: Self.leia).header("Server", "nginx/1.18"))
        server.on(.get, "/broken", .text("<html>").header("Server", "nginx/1.18"))
        server.on(.get, "/photos", .json(text: #"[{"id": 7, "url": "https://example.com/7.jpg"}]"#))
    }

    struct User: Codable, Sendable {
        let id: Int
        let name: String
        let avatar: String
    }

    typealias Timeline = User

    static let leia = #"{"name":"Leia","id":42,"avatar":"https://example.com/42.png"}"#

    private func response(_ path: String) async -> NetworkingResponse<User> {
        await networking.request(url: server.url(path))
    }

    /// The table at the head of the chapter.
    @Test func table() async throws {
        let response = await response("/profile")
        #expect(response.request?.url == server.url("/profile") && response.response is HTTPURLResponse)
        #expect(try (response.data, response.result.get().name) == (Data(Self.leia.utf8), "Leia"))
        #expect(response.value?.id == 42 && response.error == nil && response.isSuccess)
    }

    /// Section 1, Reading success or failure. The cases, which the seed leaves empty, are filled in.
    @Test(arguments: ["/profile", "/broken"]) func readingSuccessOrFailure(path: String) async {
        let response = await response(path)
        switch response.result {
        case .success(let model):
            /// `model` is the decoded `Value` (e.g. User, [Product]…)
            print(model.name)
        case .failure(let error):
            /// Handle .invalidURL, .requestFailed(statusCode:data:), etc.
            print(error.code)
        }
        #expect(print.texts == [path == "/profile" ? "Leia" : "decoding_error"])
    }

    /// Section 1: "If you only care whether it worked".
    @Test func onlyWhetherItWorked() async {
        let show = Transcript()
        func handle(_ response: NetworkResponse<User>) {
            guard response.isSuccess else {
                return show(error: response.error)
            }
            print("✅ got", response.value)
        }
        handle(await response("/profile"))
        handle(await response("/missing"))
        #expect(print.texts.count == 1 && print.texts[0].hasPrefix("✅ got User("))
        #expect(show.texts == ["error: request_failed"])
    }

    /// Section 2, Accessing headers, status code & raw payload: also when the decoding fails.
    @Test(arguments: ["/profile", "/broken"]) func metadata(path: String) async {
        let response = await response(path)
        let debugPrint = Transcript()

        if let http = response.response as? HTTPURLResponse {
            print("Status:", http.statusCode)
            /// 200, 404 …
            print("Server:", http.allHeaderFields["Server"] ?? "")/// nginx/1.18 …
        }

        if let bytes = response.data,
            let pretty = String(data: bytes, encoding: .utf8)
        {
            debugPrint("↙︎ Raw JSON\n", pretty)
        }
        #expect(print.texts == ["Status: 200", "Server: nginx/1.18"])
        #expect(debugPrint.texts == ["↙︎ Raw JSON\n " + (path == "/profile" ? Self.leia : "<html>")])
    }

    /// Section 3, Chaining heavy work off the main thread.
    @Test func heavyWork() async throws {
        MarkedQueue.markMain()
        let performComplexGraphLayout = Transcript()
        let requestConfig = RequestConfig(url: server.url("/profile"))

        networking.request(requestConfig)
            .responseDecodable(
                of: Timeline.self,
                queue: .global(qos: .userInitiated)
            ) { response in
                performComplexGraphLayout(with: response.value)
            }
        #expect(try await performComplexGraphLayout.line().contains("Leia"))
        #expect(performComplexGraphLayout.queues == [nil])
    }

    /// Section 4, Transforming a response.
    @Test func transforming() async {
        let response = await response("/profile")

        /// Turn User → avatarURL String
        let avatar: Result<URL, NetworkError> = response.result
            .flatMap { user in
                guard let url = URL(string: user.avatar) else {
                    return .failure(.invalidURL)
                }
                return .success(url)
            }
        #expect(avatar == .success(URL(string: "https://example.com/42.png")!))
        // The same with the metadata kept.
        #expect(response.map { URL(string: $0.avatar)?.host }.value == "example.com")
    }

    /// Section 5, Debug description: the same four lines. How ours differ in the second, `Docs/Deviations.md` says.
    @Test func debugDescription() async {
        let response = await response("/profile")
        print(response.description)
        #expect(
            print.texts == [
                """
                Request: GET \(api)/profile
                Response: 200 successful
                Data: \(Self.leia.utf8.count) bytes
                Result: success(User(id: 42, name: "Leia", avatar: "https://example.com/42.png"))
                """
            ])
        let failed = await self.response("/missing").description
        #expect(failed.contains("Response: 404 clientError\nData: 0 bytes\nResult: failure(request_failed)"))
    }

    /// Section 6, Sample end-to-end flow.
    @Test(arguments: [true, false]) func endToEnd(isThere: Bool) async throws {
        let show = print
        let cache = ImaginaryCache(print: print)
        func render(_ photos: [Photo]) { print("render", photos.map(\.url)) }
        if !isThere { server.enqueue(.status(500)) }

        struct Photo: Decodable { let id: Int, url: String }

        Task {
            guard let url = URL(string: "\(api)/photos") else { return }
            let requestConfig = RequestConfig(url: url)
            let response: NetworkingResponse<[Photo]> = await networking.request(requestConfig)

            guard response.isSuccess, let photos = response.value else {
                return show(error: response.error)
            }

            cache.persist(raw: response.data, expires: .hours(12))
            render(photos)
        }
        let said = try await print.said(isThere ? 2 : 1)
        #expect(
            said
                == (isThere
                    ? ["47 bytes for 12 h", #"render ["https://example.com/7.jpg"]"#] : ["error: request_failed"]))
    }

    /// Section 7, Cheat-sheet.
    @Test func cheatSheet() async {
        let response = await response("/profile")
        let isSuccess = response.isSuccess
        /// Bool
        let value = response.value
        /// Your decoded model or nil
        let error = response.error
        /// NetworkError on failure
        let responseCode = response.responseCode
        /// Convenience via (response.response as? HTTPURLResponse)?.statusCode
        let prettyPrinted = response.prettyPrinted
        /// Custom extension → String(JSON) for logs
        #expect(isSuccess && value?.id == 42 && error == nil)
        #expect(responseCode == 200 && responseCode == (response.response as? HTTPURLResponse)?.statusCode)
        #expect(
            prettyPrinted?.split(separator: "\n").map { $0.filter { $0 != " " } } == [
                "{", #""avatar":"https:\/\/example.com\/42.png","#, #""id":42,"#, #""name":"Leia""#, "}",
            ])
        #expect(await self.response("/broken").prettyPrinted == "<html>")
    }
}

private struct ImaginaryCache: Sendable {
    enum Expiry: Sendable { case hours(Int) }

    let print: Transcript

    func persist(raw: Data?, expires: Expiry) {
        if case .hours(let hours) = expires { print("\(raw?.count ?? 0) bytes for \(hours) h") }
    }
}
