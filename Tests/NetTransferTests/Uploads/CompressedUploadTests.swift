import NetTransfer
import TestLab
import Testing

/// Compressed bodies, decoded by Python's zlib and the zstd program.
@Suite(.requires(.python3, .zstd), .timeLimit(.minutes(5))) struct CompressedUploadTests {
    private struct Report: Codable, Sendable {
        let coding: String?
        let framing: String
        let coded, decoded: Int
        let sha256: String
    }

    private struct Echo: Endpoint {
        var path = "/echo"
        var options = RequestOptions()
        var method: HTTPMethod { .post }
        typealias Response = Report
    }

    private static let codings: [RequestOptions.Compression] = [
        .gzip, .init(.gzip, level: 1), .init(.gzip, level: 9), .zstd, .init(.zstd, level: 19),
    ]

    private static func check(_ report: Report, _ setting: RequestOptions.Compression, _ data: Data, _ framing: String)
    {
        #expect(report.coding == setting.coding?.rawValue && report.framing == framing)
        #expect(report.decoded == data.count && report.coded < data.count / 2 && report.sha256 == SHA256.hex(data))
    }

    @Test(arguments: codings) func serverDecodesCompressedBodies(_ setting: RequestOptions.Compression) async throws {
        let server = try await DecodingServer.start()
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        let client = NetworkClient(baseURL: server.url).with { $0.requestCompression = setting }
        let text = Data((0..<60_000).map { "\($0 &* 7919 % 1000),\($0)\n" }.joined().utf8)
        let file = directory.file("table.csv")
        try text.write(to: file)
        Self.check(try await client.upload(.data(text), to: Echo()).task.value, setting, text, "length")
        let (progress, task) = client.upload(file: file, to: Echo())
        let states = try await progress.collected()
        Self.check(try await task.value, setting, text, "chunked")
        #expect(states.allSatisfy { $0.totalBytes == Int64(text.count) && $0.attempt == 0 })
        #expect(states.last?.bytesCompleted == Int64(text.count) && states.last?.isComplete == true)
        let stream = AsyncStream.of(stride(from: 0, to: text.count, by: 5000).map { text[$0...].prefix(5000) })
        let table = HTTPBody(stream: stream)
        let content = Uploader.Content { RequestContentType.EncodedBody(table, contentType: "text/csv") }
        try await Self.check(client.upload(content, to: Echo()).task.value, setting, text, "chunked")
        var plain = Echo()
        plain.options.requestCompression = .off
        let report = try await client.upload(.data(text), to: plain).task.value
        #expect(report.coding == nil && report.coded == text.count)
    }

    @Test func formIsCompressedAsAWhole() async throws {
        let server = try await DecodingServer.start()
        defer { server.stop() }
        let client = NetworkClient(baseURL: server.url).with { $0.requestCompression = .gzip }
        let formData = MultipartFormData()
        formData.append(value: String(repeating: "text ", count: 1000), name: "a")
        let report: Report = try await client.upload(
            for: Request(method: .post, path: "/echo"), from: .multipart(formData))
        #expect(report.coding == "gzip" && report.framing == "length")
        #expect(report.decoded > 5000 && report.coded < 1000)
    }
}

private enum DecodingServer {
    static func start() async throws -> PythonServer { try await PythonServer(program) }
    private static let program = #"""
        import gzip, hashlib, http.server, json, subprocess
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def chunked(self):
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    assert self.rfile.readline() == b"\r\n"
                assert self.rfile.readline() == b"\r\n"
                return body
            def do_POST(self):
                length = self.headers.get("Content-Length")
                assert (length is None) != (self.headers.get("Transfer-Encoding") is None)
                coded = self.chunked() if length is None else self.rfile.read(int(length))
                coding = self.headers.get("Content-Encoding")
                if coding == "gzip": decoded = gzip.decompress(coded)
                elif coding == "zstd":
                    decoded = subprocess.run(["zstd", "-dc"], input=coded, stdout=subprocess.PIPE, check=True).stdout
                else: decoded = coded
                answer = json.dumps({
                    "coding": coding, "framing": "chunked" if length is None else "length", "coded": len(coded),
                    "decoded": len(decoded), "sha256": hashlib.sha256(decoded).hexdigest()}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1])
        server.serve_forever()
        """#
}
