import Foundation
import NetCache
import NetClient
import NetCore
import NetTesting
import NetTransfer
import NetworkingMacros
import Testing

private func withShop(_ body: (MockServer, ShopClient) async throws -> Void) async throws {
    try await withServer { server, client in try await body(server, ShopClient(client)) }
}

@Suite struct ShopTests {
    let item = MockResponse.json(text: #"{"id": "a"}"#)

    @Test func pathHeadersAndTypedThrows() async throws {
        try await withShop { server, shop in
            server.enqueue(item, .notFound)
            let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
            let received = try await shop.item(id: id, name: "a/b")
            #expect(received == Item(id: "a"))
            do throws(NetworkFailure) {
                _ = try await shop.item(id: id, name: "x")
                Issue.record("not thrown")
            } catch {
                #expect(error.kind == .notFound)
            }
            let request = try #require(server.requests.first)
            #expect(request.target == "/v1/items/00000000-0000-0000-0000-00000000000A/a%2Fb.json")
            #expect(request.headers["X-Client"] == "one" && request.headers["X-Common"] == "1")
        }
    }

    @Test func queryNamesAndConventions() async throws {
        try await withShop { server, shop in
            server.enqueue(.json(text: "[]"), .json(text: "[]"))
            let filter = Filter(color: "red", sizes: [1, 2])
            _ = try await shop.items(pageSize: 5, tags: ["a", "b"], filter: filter, requestID: 7)
            _ = try await shop.items(pageSize: 5, tags: [], filter: filter, requestID: nil)
            #expect(
                server.requests.map(\.target) == [
                    "/v1/items?page_size=5&tags=a&tags=b&color=red&sizes=1&sizes=2",
                    "/v1/items?page_size=5&color=red&sizes=1&sizes=2",
                ])
            #expect(server.requests.map { $0.headers["Request-ID"] } == ["7", nil])
        }
    }

    @Test func rootAndTrailingSlash() async throws {
        try await withShop { server, shop in
            server.enqueue(.text("here"), .text("root"))
            let list = try await shop.list(folder: "a b")
            let root = try await shop.root()
            #expect(list == "here" && root == Data("root".utf8))
            #expect(server.requests.map(\.target) == ["/v1/list/a%20b/", "/v1"])
            for folder in ["a/b", ""] {
                let failure = await #expect(throws: NetworkFailure.self) { _ = try await shop.list(folder: folder) }
                #expect(failure?.kind == .unsupported)
            }
            #expect(server.requestCount == 2)
        }
    }

    @Test func wholeResponses() async throws {
        try await withShop { server, shop in
            server.enqueue(.status(409), item, .status(204), .status(204, headers: ["Allow": "GET"]))
            let replaced = try await shop.replace(id: "1", with: Item(id: "1"))
            #expect(replaced.status == 409)
            let changed = await shop.change(id: "1", nil)
            #expect(changed.statusCode == 200 && changed.value == Item(id: "a"))
            try await shop.check(id: "1")
            let allowed = try await shop.allowed()
            #expect(allowed.headers["Allow"] == "GET")
            #expect(server.requests.map(\.method) == [.put, .patch, .head, .options])
            let bodies = server.requests.map(\.bodyText)
            #expect(bodies == [#"{"id":"1"}"#, "", "", ""])
        }
    }

    @Test func formWithoutCredentials() async throws {
        try await withServer { server, client in
            server.enqueue(.noContent, item)
            let shop = ShopClient(client.with { $0.authenticationProvider = Token() })
            try await shop.logIn(Login(user: "a", password: "b&c"))
            _ = try await shop.once()
            #expect(server.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t"])
            #expect(server.requests.first?.bodyText == "password=b%26c&user=a")
        }
    }

    @Test func cached() async throws {
        try await withShop { server, shop in
            // A client without a cache refuses to use one.
            let failure = await #expect(throws: NetworkFailure.self) { _ = try await shop.cached() }
            #expect(failure?.kind == .unsupported && server.requestCount == 0)
        }
        try await withServer { server, client in
            server.enqueue(.json(text: #"{"id": "a"}"#).header("Cache-Control", "max-age=60"))
            let shop = ShopClient(client.with { $0.cache = ResponseCache() })
            for _ in 0..<2 {
                let received = try await shop.cached()
                #expect(received == Item(id: "a"))
            }
            #expect(server.requestCount == 1)
        }
    }

    @Test func retries() async throws {
        try await withServer { server, client in
            server.enqueue(.status(503), .status(503), item, .status(503))
            let shop = ShopClient(client.with { $0.retryPolicy = RetryPolicy(maxRetries: 5, delay: .immediate) })
            let flaky = try await shop.flaky()
            #expect(flaky == Item(id: "a") && server.requestCount == 3)
            await #expect(throws: NetworkFailure.self) { _ = try await shop.once() }
            #expect(server.requestCount == 4)
        }
    }

    @Test func timeout() async throws {
        try await withShop { server, shop in
            server.enqueue(item.delayed(by: 60))
            let failure = await #expect(throws: NetworkFailure.self) { try await shop.slow() }
            #expect(failure?.kind == .timeout)
        }
    }

    @Test func parts() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withShop { server, shop in
            server.enqueue(.noContent)
            try await shop.send(title: "T", image: Data("image".utf8), note: nil, copyCount: 3, file: file)
            let request = try #require(server.requests.first)
            #expect(request.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
            let text = request.bodyText
            #expect(text.contains("name=\"title\"\r\n\r\nT\r\n") && text.contains("name=\"copy_count\"\r\n\r\n3\r\n"))
            #expect(text.contains("name=\"picture\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nimage\r\n"))
            #expect(text.contains("name=\"file\"; filename=\"\(file.lastPathComponent)\"") && !text.contains("note"))
            let missing = file.appendingPathComponent("none")
            let failure = await #expect(throws: NetworkFailure.self) {
                try await shop.send(title: "T", image: Data(), note: nil, copyCount: 3, file: missing)
            }
            #expect(failure?.kind == .uploadFailed && server.requestCount == 1)
        }
    }

    @Test func downloads() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try await withShop { server, shop in
            server.on("/v1/files/a", .data(Data(repeating: 7, count: 10_000)))
            let (progress, task) = shop.load(name: "a", to: file, options: Downloader.Options())
            var last: TransferProgress?
            for await value in progress { last = value }
            let url = try await task.value
            #expect(last?.isComplete == true && url == file)
            let data = try Data(contentsOf: file)
            #expect(data.count == 10_000)
        }
    }

    @Test func uploads() async throws {
        try await withShop { server, shop in
            server.enqueue(item, item)
            let (progress, task) = shop.store(name: "a", content: .data(Data("abc".utf8), mimeType: "text/csv"))
            var last: TransferProgress?
            for await value in progress { last = value }
            let stored = try await task.value
            #expect(stored == Item(id: "a") && last?.isComplete == true)
            _ = try await shop.storeForm(photo: HTTPBody("photo")).task.value
            #expect(server.requests.map(\.target) == ["/v1/files/a", "/v1/files"])
            #expect(server.requests[0].bodyText == "abc" && server.requests[0].headers["Content-Type"] == "text/csv")
            #expect(server.requests[1].bodyText.contains("name=\"photo\""))
        }
    }

    @Test func streams() async throws {
        try await withShop { server, shop in
            server.enqueue(.text("done"), .events([.event("one", id: "1"), .event("two")]))
            let sent = try await shop.stream(HTTPBody("body"))
            #expect(sent == "done" && server.requests[0].bodyText == "body")
            var configuration = ServerSentEventSequence.Configuration()
            configuration.reconnection = .never
            var events: [String] = []
            for try await event in shop.events(since: 3, configuration: configuration) { events.append(event.data) }
            #expect(events == ["one", "two"] && server.requests[1].target == "/v1/events?since=3")
        }
    }
}

@Suite struct SettingsTests {
    @Test func calls() async throws {
        try await withServer { server, client in
            server.enqueue(.status(503), .json(text: "1").header("Cache-Control", "max-age=60"), .json(text: "2"))
            let settings = SettingsClient(client.with { $0.cache = ResponseCache() })
            let first = try await settings.value()
            let second = try await settings.value()
            let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
            let posted = try await settings.post(id: id)
            #expect(first == 1 && second == 1 && posted == 2 && server.requestCount == 3)
            #expect(server.requests.allSatisfy { $0.headers["X-Client"] == "settings" })
            #expect(server.requests[2].queryValue("id") == id.uuidString)
        }
    }

    @Test func downloads() async throws {
        let server = try MockServer()
        let settings = SettingsClient(NetworkClient(environment: Server(baseURL: server.url)))
        server.enqueue(.status(503), .text("file"), .text("report"))
        let file = try await settings.file(filter: Filter(color: "red", sizes: [1, 2]), tags: ["a", "b"]).task.value
        let report = try await settings.report(HTTPBody("body")).task.value
        #expect(try String(contentsOf: file, encoding: .utf8) == "file")
        #expect(try String(contentsOf: report, encoding: .utf8) == "report")
        let requests = server.requests
        #expect(requests.count == 3 && requests[1].target == requests[0].target)
        #expect(requests[1].target == "/file?tags=a&tags=b&color=red&sizes=1&sizes=2")
        #expect(requests[2].bodyText == "body" && requests[2].headers["X-Client"] == "settings")
        for url in [file, report] { try FileManager.default.removeItem(at: url) }
        await server.stop()
    }

    /// Without the attribute they would take an hour.
    @Test(.timeLimit(.minutes(1))) func timeouts() async throws {
        try await withServer { server, client in
            server.on("/slow", MockResponse.text("slow").delayed(by: 3600))
            let settings = SettingsClient(client.with { $0.timeoutInterval = 3600 })
            var options = Downloader.Options()
            options.stallTimeout = 3600
            let load = await #expect(throws: NetworkFailure.self) {
                _ = try await settings.loadSlowly(options: options).task.value
            }
            let store = await #expect(throws: NetworkFailure.self) {
                _ = try await settings.storeSlowly(content: Data("a".utf8)).task.value
            }
            #expect(load?.kind == .timeout && store?.kind == .timeout)
        }
    }

    @Test func uploads() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withServer { server, client in
            server.enqueue(.status(503), .json(text: "1"), .json(text: "2"))
            let settings = SettingsClient(client)
            let first = try await settings.store(content: Data("data".utf8)).task.value
            let second = try await settings.storeFile(content: file).task.value
            #expect(first == 1 && second == 2 && server.requests.map(\.bodyText) == ["data", "data", "file"])
        }
    }

    @Test func events() async throws {
        try await withServer { server, client in
            server.enqueue(.events([.event("one")]))
            let settings = SettingsClient(client.with { $0.authenticationProvider = Token() })
            for try await event in settings.events().prefix(1) { #expect(event.data == "one") }
            let request = try await server.takeRequest()
            #expect(request.headers["Authorization"] == nil && request.headers["X-Client"] == "settings")
        }
    }
}

nonisolated private struct Token: AuthenticationProvider {
    func authenticate(_ request: inout URLRequest) async throws {
        request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
    }
    func reauthenticate() async throws {}
}
