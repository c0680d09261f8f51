@testable import NetClient

@Suite(.timeLimit(.minutes(2))) struct RequestCompressionTests {
    private let server: MockServer

    init() throws { server = try MockServer { _ in .text("ok") } }

    static func client(
        _ setting: RequestOptions.Compression = .gzip, _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) -> NetworkClient {
        var configuration = NetworkClient.Configuration()
        configuration.requestCompression = setting
        change(&configuration)
        return NetworkClient(configuration: configuration)
    }

    static let text = Data(String(repeating: #"{"name":"Ada","city":"London"},"#, count: 400).utf8)

    static func post(_ url: URL, _ fields: [String: String] = ["Content-Type": "application/json"]) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = fields
        return request
    }

    static func replaying(_ data: Data, length: Int64? = nil) -> HTTPBody {
        HTTPBody(length: length) {
            AsyncStream<Data> { continuation in
                continuation.yield(data)
                continuation.finish()
            }
        }
    }

    private func send(
        _ body: HTTPBody, _ fields: [String: String] = ["Content-Type": "application/json"],
        by client: NetworkClient = client(), options: RequestOptions = RequestOptions()
    ) async throws -> RecordedRequest {
        let context = RequestContext.with { $0.options = options }
        _ = try await client.response(for: Self.post(server.url("/"), fields), body: body, context: context)
        return try #require(server.requests.last)
    }

    @Test func bodyInMemoryHasAContentLength() async throws {
        let request = try await send(HTTPBody(Self.text), ["Content-Type": "application/json", "Content-Length": "9"])
        #expect(request.headers["Content-Encoding"] == "gzip")
        #expect(request.headers.values(for: "Content-Length") == ["\(request.body.count)"])
        #expect(request.headers["Transfer-Encoding"] == nil && request.body.count < Self.text.count / 4)
        #expect(request.decodedBody == Self.text)
    }

    @Test func filesAndStreamsAreCompressedWhileSending() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("body.json")
        let long = Data((0..<100).flatMap { _ in Self.text })
        try long.write(to: file)
        let chunks = AsyncStream<Data> { continuation in
            for start in stride(from: 0, to: long.count, by: 10_000) {
                continuation.yield(long[start...].prefix(10_000))
            }
            continuation.finish()
        }
        for body in [try HTTPBody(file: file), HTTPBody(stream: chunks, length: Int64(long.count)), oneShot("short")] {
            let request = try await send(body)
            #expect(request.headers["Content-Encoding"] == "gzip")
            #expect(request.headers["Transfer-Encoding"] == "chunked" && request.headers["Content-Length"] == nil)
            #expect(request.decodedBody == (body.length == nil ? Data("short".utf8) : long))
        }
    }

    /// A server must not receive the start of a changed file as the whole.
    @Test func changedFileFails() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("body.json")
        try Self.text.write(to: file)
        let body = try HTTPBody(file: file)
        try (Self.text + Self.text).write(to: file)
        #expect(try await failure { try await send(body) }.transportError?.code == .requestBodyFailed)
    }

    @Test(arguments: [
        ["Content-Type": "image/jpeg"], ["Content-Type": "Video/mp4; codecs=x"], ["Content-Type": "application/zip"],
        ["Content-Type": "application/grpc+proto"], ["Content-Type": "font/woff2"],
        ["Content-Type": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
        ["content-encoding": "br"], ["Content-Encoding": "identity"], ["Content-Range": "bytes 0-9/20"],
        ["Content-Digest": "sha-256=:AAAA:"], ["Upload-Offset": "0"], ["Tus-Resumable": "1.0.0"],
    ]) func bodiesThatAreNotCompressed(_ fields: [String: String]) async throws {
        let request = try await send(HTTPBody(Self.text), fields)
        let coding = fields.first { $0.key.lowercased() == "content-encoding" }?.value
        #expect(request.body == Self.text && request.headers["Content-Encoding"] == coding)
    }

    @Test(arguments: [
        "text/plain", "image/svg+xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
    ]) func compressedContentTypes(_ type: String) async throws {
        let request = try await send(HTTPBody(Self.text), type.isEmpty ? [:] : ["Content-Type": type])
        #expect(request.headers["Content-Encoding"] == "gzip" && request.decodedBody == Self.text)
    }

    @Test func incompressibleBodyIsSentUncompressed() async throws {
        var generator = SeededGenerator(state: 1)
        let noise = generator.bytes(5000)
        let request = try await send(HTTPBody(noise))
        #expect(request.body == noise && request.headers["Content-Encoding"] == nil)
    }

    @Test func minimumSize() async throws {
        let (short, long) = (Data(count: 1023), Data(count: 1024))
        #expect(try await send(HTTPBody(short)).headers["Content-Encoding"] == nil)
        #expect(try await send(HTTPBody(long)).headers["Content-Encoding"] == "gzip")
        let client = Self.client(.init(.gzip, minimumSize: 100, level: 400))
        #expect(try await send(HTTPBody(short), by: client).headers["Content-Encoding"] == "gzip")
        #expect(try await send(.empty, by: client).headers["Content-Encoding"] == nil)
    }

    @Test func optionOfTheCallWins() async throws {
        var options = RequestOptions()
        options.requestCompression = .off
        #expect(try await send(HTTPBody(Self.text), options: options).body == Self.text)
        options.requestCompression = .gzip
        let request = try await send(HTTPBody(Self.text), by: NetworkClient(), options: options)
        #expect(request.decodedBody == Self.text && request.headers["Content-Encoding"] == "gzip")
    }

    /// Interceptors see the compressed body.
    @Test func hooksSeeTheUncompressedBody() async throws {
        let seen = Locked<[Data?]>([])
        let hook = Hook(adapting: { request in
            seen.withLock { $0.append(request.httpBody) }
            request.httpBody = Self.text + Self.text
        })
        let watcher = Before { _, next in seen.withLock { $0.append(next.body?.data) } }
        let client = Self.client { $0.interceptors = [hook, watcher] }
        let request = try await send(HTTPBody(Self.text), by: client)
        #expect(request.decodedBody == Self.text + Self.text && seen.withLock { $0 } == [Self.text, request.body])
    }

    @Test(arguments: [true, false]) func progressCountsTheBodyBeforeCompression(_ isInMemory: Bool) async throws {
        var generator = SeededGenerator(state: 1)
        let text = generator.bytes(2_250_000).base64EncodedData()
        let reports = Locked<[RequestContext.Progress]>([])
        let context = RequestContext.with { $0.progress = { report in reports.withLock { $0.append(report) } } }
        let body = isInMemory ? HTTPBody(text) : Self.replaying(text, length: Int64(text.count))
        _ = try await Self.client().response(for: Self.post(server.url("/")), body: body, context: context)
        let sent = reports.withLock { $0 }
        #expect(sent.allSatisfy { $0.bytesToSend == Int64(text.count) })
        #expect(sent.first?.bytesSent == 0 && sent.last?.bytesSent == Int64(text.count))
        #expect(sent.map(\.bytesSent) == sent.map(\.bytesSent).sorted())
    }

    @Test func missingLibraryIsNamed() throws {
        let context = RequestContext()
        for (setting, name) in [(RequestOptions.Compression.gzip, "libz"), (.zstd, "libzstd")] {
            let compressor = RequestCompressor(setting: setting, isAvailable: { _ in false })
            var request = Self.post(server.url("/"))
            let error = try #require(throws: NetworkError.self) {
                _ = try compressor.compress(HTTPBody("x"), of: &request, context)
            }
            guard case .unsupported(let advice) = error else { throw error }
            #expect(advice.contains("(\(name))"))
            #expect(try compressor.compress(.empty, of: &request, context).length == 0)
        }
    }

    #if os(Linux)
        @Test func overHTTP2() async throws {
            let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make()
            let server = try MockServer(certificate: certificate, httpVersions: .automatic) { _ in .text("ok") }
            var settings = TransportConfiguration()
            settings.certificateAuthorities = .only(pem: certificate.authority)
            let client = NetworkClient(transport: CurlTransport(configuration: settings))
                .with { $0.requestCompression = .gzip }
            for body in [HTTPBody(Self.text), oneShot(String(decoding: Self.text, as: UTF8.self))] {
                let response = try await client.response(for: Self.post(server.url("/")), body: body)
                let request = try #require(server.requests.last)
                #expect(response.version == .http2 && request.decodedBody == Self.text)
                #expect(request.headers["Content-Length"] == (body.length == nil ? nil : "\(request.body.count)"))
            }
        }
    #endif
}
