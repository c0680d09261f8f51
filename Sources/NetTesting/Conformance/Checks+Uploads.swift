extension TransportConformance {
    /// Requests with a body.
    static let uploadChecks: [Check] = [
        Check(.uploadData, "sends bytes with their length, for POST, PUT, PATCH and DELETE") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                for method in [HTTPMethod.post, .put, .patch, .delete] {
                    server.enqueue(.ok)
                    let sent = MockResponse.generatedBytes(count: 300_000)
                    _ = try await bench.collect(
                        bench.request(server.url, method), body: HTTPBody(sent), over: transport)
                    let received = server.requests.last
                    try bench.expect(received?.method, equals: method, "method")
                    try bench.expect(
                        received?.body == sent, "\(method): \(received?.bodyLength ?? -1) bytes, or others")
                    try bench.expect(received?.headers["Content-Length"] == "300000", "\(method): wrong Content-Length")
                }
            }
        },
        Check(.uploadData, "says Content-Length: 0 for a POST without a body") { bench in
            try await bench.withServer { server in
                server.enqueue(.ok)
                _ = try await bench.collect(bench.request(server.url, .post), over: bench.transport())
                try bench.expect(
                    server.requests.last?.headers["Content-Length"] == "0",
                    "Content-Length is \(server.requests.last?.headers["Content-Length"] ?? "missing")")
            }
        },
        Check(.uploadData, "gives an answer that comes before the body is sent") { bench in
            try await bench.withServer { server in
                server.enqueue(.text("too much", status: 413).beforeRequestBody().closingConnection())
                let (response, _) = try await bench.collect(
                    bench.request(server.url, .post, headers: ["Expect": "100-continue"]),
                    body: HTTPBody(MockResponse.generatedBytes(count: 200_000)), over: bench.transport())
                try bench.expect(response.status, equals: 413, "status")
            }
        },
        Check(.uploadFile, "sends a file") { bench in
            try await withTemporaryFile(MockResponse.generatedBytes(count: 3_000_000)) { file, bytes in
                try await bench.withServer { server in
                    server.enqueue(.ok)
                    _ = try await bench.collect(
                        bench.request(server.url, .put), body: HTTPBody(file: file), over: bench.transport())
                    try bench.expect(server.requests.last?.body == bytes, "the bytes differ")
                    try bench.expect(
                        server.requests.last?.headers["Content-Length"] == "3000000", "wrong Content-Length")
                }
            }
        },
        Check(.uploadFile, "fails when the file was cut after the body was made") { bench in
            try await withTemporaryFile(MockResponse.generatedBytes(count: 2_000_000)) { file, _ in
                try await bench.withServer { server in
                    let body = try HTTPBody(file: file)
                    try Data("short".utf8).write(to: file)
                    try await bench.expectFailure(
                        .requestBodyFailed, of: bench.request(server.url, .put), body: body, over: bench.transport())
                }
            }
        },
        Check(.uploadStream, "sends a stream of known length") { bench in
            try await bench.withServer { server in
                server.enqueue(.ok)
                let body = HTTPBody(stream: chunks(["ab", "cde", "f"]), length: 6)
                _ = try await bench.collect(bench.request(server.url, .post), body: body, over: bench.transport())
                try bench.expect(server.requests.last?.bodyText, equals: "abcdef", "body")
                try bench.expect(server.requests.last?.headers["Content-Length"] == "6", "wrong Content-Length")
            }
        },
        Check(.uploadStream, "sends a stream of unknown length in chunks", overHTTP2: false) { bench in
            try await bench.withServer { server in
                server.enqueue(.ok)
                let body = HTTPBody(stream: chunks(["ab", "", "cde", "f"]))
                _ = try await bench.collect(bench.request(server.url, .post), body: body, over: bench.transport())
                try bench.expect(server.requests.last?.bodyText, equals: "abcdef", "body")
                try bench.expect(
                    server.requests.last?.headers["Transfer-Encoding"]?.lowercased() == "chunked", "it is not chunked")
            }
        },
        Check(.uploadStream, "fails when the stream throws, ends early or goes on too long") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                let broken = AsyncThrowingStream<Data, any Error> { continuation in
                    continuation.yield(Data("ab".utf8))
                    continuation.finish(throwing: CocoaError(.fileReadUnknown))
                }
                for body in [
                    HTTPBody(stream: broken), HTTPBody(stream: chunks(["ab"]), length: 5),
                    HTTPBody(stream: chunks(["abc", "def"]), length: 5),
                ] {
                    try await bench.expectFailure(
                        .requestBodyFailed, of: bench.request(server.url, .post), body: body, over: transport)
                }
            }
        },
        Check(.progress, "reports the bytes sent and received, rising to the whole") { bench in
            try await bench.withServer { server in
                server.enqueue(.bytes(count: 1_000_000))
                let journal = Locked<[TransportProgress]>([])
                var context = RequestContext()
                context.progress = { progress in journal.withLock { $0.append(progress) } }
                context.delivery = .collected(limit: 2_000_000)
                let body = HTTPBody(MockResponse.generatedBytes(count: 2_000_000))
                let response = try await bench.transport()
                    .send(bench.request(server.url, .post), body: body, context: context)
                _ = try await response.body.collect(upTo: 2_000_000)
                let reports = journal.withLock { $0 }
                try bench.expect(reports.last?.bytesSent, equals: 2_000_000, "bytes sent")
                try bench.expect(reports.last?.bytesReceived, equals: 1_000_000, "bytes received")
                try bench.expect(reports.contains { $0.bytesToSend == 2_000_000 }, "the length to send is not told")
                try bench.expect(reports.last?.bytesToReceive, equals: 1_000_000, "the length to receive")
                let rises = zip(reports, reports.dropFirst())
                    .allSatisfy { $0.bytesSent <= $1.bytesSent && $0.bytesReceived <= $1.bytesReceived }
                try bench.expect(rises, "a number falls")
            }
        },
    ]

    /// A stream of these texts.
    private static func chunks(_ texts: [String]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    private static func withTemporaryFile(_ bytes: Data, _ body: (URL, Data) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("conformance-\(UUID().uuidString)")
        try bytes.write(to: file)
        defer { _ = try? FileManager.default.removeItem(at: file) }
        try await body(file, bytes)
    }
}
