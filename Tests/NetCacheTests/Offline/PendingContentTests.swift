import TestLab
import Testing

@testable import NetCache

@Suite("Pending operations: what is stored") struct PendingContentTests {
    private let sender = ScriptedSender()
    private let lab: QueueLab
    init() throws { lab = try QueueLab() }

    private struct Shop: NetworkEnvironment {
        let baseURL: URL
        var defaultHeaders: [String: String] { ["X-API-Key": "fresh", "X-App": "shop"] }
    }

    private struct Like: Endpoint {
        var path: String { "/likes/7 8" }
        var method: HTTPMethod { .put }
        var body: (any Encodable & Sendable)? { ["liked": true] }
    }

    @Test func credentialsAndPasswordsOfURLsAreNotOnTheDisk() async throws {
        let queue = try await lab.open(sender)
        for url in [
            "https://leia:alder%61an@example.com/a?b=c@d#e", "https://leia@example.com/a",
            "https://:alderaan@example.com",
        ] {
            var request = URLRequest(url: try #require(URL(string: url)))
            for name in ["Authorization", "cookie", "Proxy-Authorization", "X-API-Key", "X-Auth-Token"] {
                request.setValue("s3cret", forHTTPHeaderField: name)
            }
            request.setValue("kept", forHTTPHeaderField: "X-Other")
            try await queue.add(request)
        }
        let bytes = try Data(contentsOf: lab.file)
        for secret in ["s3cret", "leia", "alder"] { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)") }
        #expect(bytes.range(of: Data("kept".utf8)) != nil)
        await queue.processAll()
        let sent = sender.sent.map(\.request)
        let urls = ["https://example.com/a?b=c@d#e", "https://example.com/a", "https://example.com"]
        #expect(sent.map { $0.url?.absoluteString } == urls)
        #expect(sent.allSatisfy { $0.allHTTPHeaderFields?.values.contains("s3cret") == false })
    }

    @Test func credentialsAreKeptIfAskedFor() async throws {
        let queue = try await lab.open(sender, keepsCredentials: true)
        var request = URLRequest(url: try #require(URL(string: "https://leia:alderaan@example.com/a")))
        request.setValue("s3cret", forHTTPHeaderField: "Authorization")
        try await queue.add(request, partition: "alice")
        await queue.processAll()
        let sent = try #require(sender.sent.first)
        #expect((sent.request.url, sent.partition) == (request.url, "alice"))
        #expect(sent.request.value(forHTTPHeaderField: "Authorization") == "s3cret")
    }

    @Test func filesAndFoldersArePrivateToTheUser() async throws {
        let folder = lab.directory.file("new/folder")
        let file = folder.appendingPathComponent("queue")
        try await PendingOperationsQueue(fileURL: file, client: ScriptedSender()).add(QueueLab.request("a"))
        for (path, mode) in [(file.path, 0o600), (file.path + ".lock", 0o600), (folder.path, 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
        }
    }

    @Test func endpointUsesTheClientsEnvironment() async throws {
        let base = try #require(URL(string: "https://example.com/v1"))
        let sender = ScriptedSender(environment: Shop(baseURL: base))
        let queue = try await lab.open(sender)
        try await queue.add(Like())
        #expect(try Data(contentsOf: lab.file).range(of: Data("fresh".utf8)) == nil)
        await queue.processAll()
        let sent = try #require(sender.sent.first?.request)
        #expect(sent.url?.absoluteString == "https://example.com/v1/likes/7%208" && sent.httpMethod == "PUT")
        #expect(sent.value(forHTTPHeaderField: "X-API-Key") == nil, "the client adds it when it prepares the request")
        #expect(sent.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(sender.sent.first?.body == Data(#"{"liked":true}"#.utf8))
    }

    @Test func requestConfigIsEncodedWhenAdded() async throws {
        let queue = try await lab.open(sender)
        let url = try #require(URL(string: "https://example.com/notes"))
        try await queue.add(
            RequestConfig(
                url: url, method: .post, queryParameters: ["draft": 1], bodyParameters: ["text": "a"],
                headers: ["X-A": "b"]))
        await queue.processAll()
        let sent = try #require(sender.sent.first)
        #expect(sent.request.url?.absoluteString == "https://example.com/notes?draft=1")
        #expect((sent.body, sent.request.value(forHTTPHeaderField: "X-A")) == (Data(#"{"text":"a"}"#.utf8), "b"))
    }

    @Test func unsendableRequestsAreRefused() async throws {
        let queue = try await lab.open(sender)
        let file = try #require(URL(string: "file:///etc/passwd"))
        await #expect(throws: NetworkError.invalidURL) { try await queue.add(URLRequest(url: file)) }
        var stream = try QueueLab.request("a", body: nil)
        stream.httpBodyStream = InputStream(data: Data([1]))
        let streamed = stream
        await #expect(throws: PendingOperationsQueue.Failure.bodyIsStream) { try await queue.add(streamed) }
        var method = try QueueLab.request("a")
        method.httpMethod = "NO TOKEN"
        let wrong = method
        await #expect(throws: RequestBuildingError.self) { try await queue.add(wrong) }
        let url = try #require(URL(string: "https://example.com/notes"))
        var withoutCookies = RequestConfig(url: url)
        withoutCookies.options.usesCookies = false
        var withoutRedirects = RequestConfig(url: url)
        withoutRedirects.options.redirectPolicy = .doNotFollow
        for config in [withoutCookies, withoutRedirects] {
            let error = await #expect(throws: NetworkError.self) { try await queue.add(config) }
            #expect(error?.code == "unsupported")
        }
        #expect(await queue.operations.isEmpty)
    }
}
