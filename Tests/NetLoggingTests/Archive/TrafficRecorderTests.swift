import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetLogging

/// Traffic of all kinds, as a recorder has it.
enum SampleTraffic {
    static func record(_ sanitization: SanitizationConfig = .default) async throws -> TrafficRecorder {
        let server = try MockServer()
        server.on(
            .get, "/users",
            .json(text: #"{"id":1,"name":"Leia","token":"S3CR3T"}"#).header("Set-Cookie", "sid=S3CR3T; Path=/"))
        server.on(.get, "/large", .bytes(count: 8 << 20))
        server.on(.post, "/form", .status(201))
        server.on(.get, "/image", .bytes(count: 2_000).header("Content-Type", "image/png"))
        server.on(.get, "/moved", .redirect(to: "/users?from=S3CR3T"))
        let recorder = TrafficRecorder(sanitization: sanitization)
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 1, delay: .immediate), callInterceptors: [recorder])
        for path in ["/users?q=S3CR3T&page=1", "/moved", "/image"] {
            _ = try await client.data(for: URLRequest(url: server.url(path)))
        }
        for (type, body) in [
            ("application/x-www-form-urlencoded", "user=S3CR3T&name=Leia"),
            ("application/json", #"{"password":"S3CR3T","id":7}"#),
            (
                "multipart/form-data; boundary=x",
                "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"S3CR3T\"\r\nContent-Type: image/png\r\n\r\nS3CR3T\r\n--x--\r\n"
            ),
        ] {
            let headers = ["Content-Type": type, "Authorization": "Bearer S3CR3T", "Cookie": "a=S3CR3T; b=S3CR3T"]
            let request = URLRequest(server.url("/form"), method: "POST", headers: headers)
            _ = try await client.data(for: request, body: HTTPBody(body))
        }
        server.enqueue(.status(503), .text("at last"))
        _ = try await client.data(for: URLRequest(url: server.url("/flaky")))
        let streamed = try await client.send(URLRequest(url: server.url("/large")))
        for try await _ in streamed.body {}
        await server.stop()
        // Nobody listens there, and nobody will: a port of the system's choosing may be somebody else's by now.
        if let gone = URL(string: "http://127.0.0.1:1/gone") { _ = try? await client.data(for: URLRequest(url: gone)) }
        await client.shutdown()
        return recorder
    }
}

@Suite struct TrafficRecorderTests {
    #if os(Linux)
        @Test func entriesHaveTheirConnection() async throws {
            let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make()
            let server = try MockServer(certificate: certificate) { _ in .text("ok") }
            var configuration = TransportConfiguration()
            configuration.certificateAuthorities = .only(pem: certificate.authority)
            let recorder = TrafficRecorder()
            let client = NetworkClient(transport: .platform(configuration), callInterceptors: [recorder])
            for _ in 0..<2 { _ = try await client.data(for: URLRequest(url: server.url)) }
            let entries = recorder.archive.log.entries
            #expect(entries.count == 2 && entries[0].connection == entries[1].connection)
            #expect(entries[0].connection.flatMap { Int($0) } != nil)
            let security = try #require(entries[1].securityDetails)
            #expect(security.protocol == "TLS 1.3" && security.cipher?.hasPrefix("TLS_") == true)
            #expect(recorder.calls[1].exchanges.first?.connection?.certificates != nil)
            let read = try JSONDecoder().decode(HTTPArchive.self, from: recorder.archive.jsonData())
            #expect(read.log.entries[0].securityDetails == entries[0].securityDetails)
        }
    #endif

    @Test func everyExchangeIsAnEntry() async throws {
        let recorder = try await SampleTraffic.record()
        let entries = recorder.archive.log.entries
        #expect(
            entries.map { $0.request.url.split(separator: "/", maxSplits: 2).last.map(String.init) ?? "" } == [
                "users?q=%5BREDACTED%5D&page=1", "moved", "users?from=%5BREDACTED%5D", "image", "form", "form", "form",
                "flaky", "flaky", "large", "gone", "gone",
            ])
        #expect(entries.map(\.response.status) == [200, 302, 200, 200, 201, 201, 201, 503, 200, 200, 0, 0])
        #expect((entries.map(\.attempt), recorder.calls.count) == ([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1], 9))
        let (users, image) = (entries[0], entries[3].response.content)
        #expect(users.response.content.text == #"{"id":1,"name":"Leia","token":"[REDACTED]"}"#)
        #expect((users.request.queryString.map(\.name), users.serverIPAddress) == (["q", "page"], "127.0.0.1"))
        #expect(users.response.cookies == [HTTPArchive.Pair(name: "sid", value: "[REDACTED]")])
        #expect(users.time > 0 && abs(users.time - users.timings.total) < 0.001)
        #expect((image.text, image.size) == (nil, 2_000))
        #expect(entries[4].request.postData?.params?.map(\.value) == ["[REDACTED]", "Leia"])
        #expect(entries[5].request.postData?.text == #"{"password":"[REDACTED]","id":7}"#)
        let file = HTTPArchive.Parameter(name: "f", fileName: "[REDACTED]", contentType: "image/png")
        #expect((entries[6].request.postData?.params, entries[6].request.cookies.map(\.name)) == ([file], ["a", "b"]))
        #expect(entries[8].retryReason?.contains("503") == true)
        #expect(entries[9].response.content.comment == "not recorded: read as a stream")
        #expect(entries[10].error?.contains("connection_refused") == true)
        #expect(!String(decoding: try recorder.archive.jsonData(), as: UTF8.self).contains("S3CR3T"))
    }

    /// For recording and replaying in tests: all of it, and back again.
    @Test func withoutRedactionAllIsThere() async throws {
        let archive = try await SampleTraffic.record(.none).archive
        let folder = try TemporaryDirectory()
        let file = folder.file("traffic.har")
        try archive.write(to: file)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["traffic.har"])
        let read = try HTTPArchive(contentsOf: file).log.entries
        #expect(read.map(\.request) == archive.log.entries.map(\.request))
        #expect(read.map(\.response) == archive.log.entries.map(\.response))
        #expect(read[0].response.content.data == Data(#"{"id":1,"name":"Leia","token":"S3CR3T"}"#.utf8))
        let image = read[3].response.content
        #expect(image.encoding == "base64" || image.text != nil)
        #expect(image.data == MockResponse.generatedBytes(count: 2_000))
        #expect(read[5].request.postData?.data == Data(#"{"password":"S3CR3T","id":7}"#.utf8))
    }

    @Test func keepsTheLastCallsOnly() async throws {
        let recorder = TrafficRecorder(maximumCallCount: 3)
        let client = NetworkClient(transport: .ok, callInterceptors: [recorder])
        for number in 0..<10 { _ = try await client.response(for: URLRequest("https://a.example/\(number)")) }
        #expect(recorder.calls.map(\.url) == ["https://a.example/7", "https://a.example/8", "https://a.example/9"])
        recorder.reset()
        #expect(recorder.calls.isEmpty && recorder.archive.log.entries.isEmpty)
    }

    /// What a cache answers is recorded although nothing was sent.
    @Test func hitsOfACache() async throws {
        struct Hit: HTTPInterceptor {
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                TransportResponse(
                    status: 200, headers: ["Cache-Status": "Networking; hit"], url: request.url, body: HTTPBody("{}"))
            }
        }
        let recorder = TrafficRecorder()
        let client = NetworkClient(callInterceptors: [recorder, Hit()])
        _ = try await client.response(for: URLRequest("https://a.example/"))
        #expect((recorder.calls.first?.cache, recorder.calls.first?.exchanges.isEmpty) == (.hit, true))
        #expect(recorder.archive.log.entries.map(\.cacheState) == ["hit"])
    }
}

@Suite struct HTTPArchiveTests {
    /// By a validator of others, against the schemas of har-schema.
    @Test(.requires(.pythonPackages, .harSchemas), arguments: [false, true])
    func fitsTheSchema(isRedacted: Bool) async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("traffic.har")
        let archive = try await SampleTraffic.record(isRedacted ? .default : .none).archive
        try archive.write(to: file)
        let good = try await validate(file)
        #expect(good.text == "valid: \(archive.log.entries.count) entries\n", "\(good.text) \(good.errorText)")
        // And it is seen to find fault.
        let broken = String(decoding: try archive.jsonData(), as: UTF8.self).replacingOccurrences(
            of: "\"bodySize\"", with: "\"bodyLength\"")
        try Data(broken.utf8).write(to: file)
        #expect(try await validate(file).text.contains("'bodySize' is a required property"))
    }

    private func validate(_ file: URL) async throws -> ProcessResult {
        let root = String(URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst())
        let arguments = try ["\(root)/Scripts/validate-har.py", Tool.harSchemas.path(), file.path]
        return try await ProcessRunner.run(Tool.pythonPackages.path(), arguments)
    }

    /// As browsers and proxies write it: without what is optional, and with what is theirs.
    @Test func readsWhatOthersWrite() throws {
        let text = """
            {"log":{"version":"1.2","creator":{"name":"Firefox","version":"128.0","comment":""},"browser":{"name":"Firefox","version":"128.0"},
            "pages":[{"id":"page_1"}],"entries":[{"startedDateTime":"2009-04-16T12:07:23.596123+02:00","time":50,"_initiator":{"type":"other"},
            "request":{"method":"GET","url":"http://www.example.com/path?param=value","httpVersion":"HTTP/1.1","headers":[],
            "queryString":[{"name":"param","value":"value","comment":""}],"headersSize":150,"bodySize":0,"cookies":[{"name":"a","value":"b","expires":null}]},
            "response":{"status":200,"content":{"size":5,"mimeType":"text/plain","text":"aGVsbG8=","encoding":"base64"}},
            "cache":{"beforeRequest":null},"timings":{"blocked":-1,"dns":-1,"send":1,"wait":40.5,"receive":8,"ssl":-1}},
            {"startedDateTime":"2009-04-16T12:07:25Z","request":{"method":"POST","url":"/x","postData":{"mimeType":"a/b","text":"t"}},"response":{"status":0}}]}}
            """
        func decode(_ text: String) throws -> [HTTPArchive.Entry] {
            try JSONDecoder().decode(HTTPArchive.self, from: Data(text.utf8)).log.entries
        }
        let entries = try decode(text)
        #expect(abs(entries[0].startedDateTime.timeIntervalSince1970 - 1_239_876_443.596123) < 1e-6)
        #expect(entries[1].startedDateTime.timeIntervalSince1970 == 1_239_883_645)
        #expect(entries[0].timings == HTTPArchive.Timings(send: 1, wait: 40.5, receive: 8))
        #expect((entries[0].response.content.data, entries[0].timings.total) == (Data("hello".utf8), 49.5))
        #expect((entries[1].request.postData?.data, entries[1].response.bodySize) == (Data("t".utf8), -1))
        let badDate = text.replacingOccurrences(of: "2009-04-16T12:07:25Z", with: "yesterday")
        for malformed in [#"{"log":{}}"#, badDate] { #expect(throws: DecodingError.self) { try decode(malformed) } }
    }

    @Test func unwritableFileIsAnError() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: FileSink.FileError.self) { try HTTPArchive().write(to: folder.file("no/such.har")) }
        try FileManager.default.createDirectory(at: folder.file("x"), withIntermediateDirectories: true)
        #expect(throws: FileSink.FileError.self) { try HTTPArchive().write(to: folder.file("x")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["x"], "nothing is left behind")
    }
}
