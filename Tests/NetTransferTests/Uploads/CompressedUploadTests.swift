import NetTesting
import NetTransfer
import TestLab
import Testing

/// Compressed bodies, decoded by Python's zlib and the zstd program.
@Suite(.requires(.python3, .zstd), .timeLimit(.minutes(5))) struct CompressedUploadTests {
    private let server: MockServer
    init() throws { server = try MockServer.receiving() }

    private static let codings: [RequestOptions.Compression] = [
        .gzip, .init(.gzip, level: 1), .init(.gzip, level: 9), .zstd, .init(.zstd, level: 19),
    ]

    private func decoded(_ request: RecordedRequest) async throws -> Data {
        let python = "import gzip, sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))"
        let isGzip = request.headers["Content-Encoding"] == "gzip"
        let (program, arguments) = isGzip ? ("python3", ["-c", python]) : ("zstd", ["-dc"])
        return try await ProcessRunner.run(program, arguments, input: request.body).checked().output
    }

    /// Checks the last request: of a body whose compressed length is known only at its end, the length is not sent.
    private func check(_ setting: RequestOptions.Compression, _ data: Data, isChunked: Bool) async throws {
        let request = try #require(server.requests.last)
        #expect(request.headers["Content-Encoding"] == setting.coding?.rawValue)
        #expect(request.headers["Content-Length"] == (isChunked ? nil : "\(request.bodyLength)"))
        #expect(request.headers["Transfer-Encoding"] == (isChunked ? "chunked" : nil))
        #expect(try await decoded(request) == data && request.body.count < data.count / 2)
    }

    @Test(arguments: codings) func serverDecodesCompressedBodies(_ setting: RequestOptions.Compression) async throws {
        let directory = try TemporaryDirectory()
        let client = NetworkClient(baseURL: server.url).with { $0.requestCompression = setting }
        let text = Data((0..<60_000).map { "\($0 &* 7919 % 1000),\($0)\n" }.joined().utf8)
        let file = directory.file("table.csv")
        try text.write(to: file)
        _ = try await client.upload(.data(text), to: Drop()).task.value
        try await check(setting, text, isChunked: false)
        let (progress, task) = client.upload(file: file, to: Drop())
        let states = try await progress.collected()
        _ = try await task.value
        try await check(setting, text, isChunked: true)
        #expect(states.allSatisfy { $0.totalBytes == Int64(text.count) && $0.attempt == 0 })
        #expect(states.last?.bytesCompleted == Int64(text.count) && states.last?.isComplete == true)
        let stream = AsyncStream.of(stride(from: 0, to: text.count, by: 5000).map { text[$0...].prefix(5000) })
        let table = HTTPBody(stream: stream)
        let content = Uploader.Content { RequestContentType.EncodedBody(table, contentType: "text/csv") }
        _ = try await client.upload(content, to: Drop()).task.value
        try await check(setting, text, isChunked: true)
        var plain = Drop()
        plain.options.requestCompression = .off
        _ = try await client.upload(.data(text), to: plain).task.value
        let last = try #require(server.requests.last)
        #expect(last.headers["Content-Encoding"] == nil && last.body == text)
    }

    @Test func formIsCompressedAsAWhole() async throws {
        let client = NetworkClient(baseURL: server.url).with { $0.requestCompression = .gzip }
        let formData = MultipartFormData([.text(name: "a", value: String(repeating: "text ", count: 1000))])
        let form = try await formData.makeBody().collect(upTo: .max)
        _ = try await client.upload(for: Request<Receipt>(method: .post, path: "/form"), from: .multipart(formData))
        try await check(.gzip, form, isChunked: false)
        #expect(form.count > 5000 && server.requests.last?.bodyLength ?? .max < 1000)
    }
}
