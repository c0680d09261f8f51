extension TransportConformance {
    /// Requests with a body.
    static let uploadChecks: [Check] = [
        Check(.uploadData, "sends bytes with their length, for POST, PUT, PATCH and DELETE") { test, server in
            let transport = try test.transport()
            for method in [HTTPMethod.post, .put, .patch, .delete] {
                server.enqueue(.ok)
                let sent = MockResponse.generatedBytes(count: 300_000)
                _ = try await test.collect(test.request(server.url, method), body: HTTPBody(sent), over: transport)
                let received = server.requests.last
                try test.expect(received?.method, equals: method, "method")
                try test.expect(received?.body == sent, "\(method): \(received?.bodyLength ?? -1) bytes, or others")
                try test.expect(received?.headers["Content-Length"], equals: "300000", "\(method): Content-Length")
            }
        },
        Check(.uploadData, "says Content-Length: 0 for a POST without a body") { test, server in
            server.enqueue(.ok)
            _ = try await test.collect(test.request(server.url, .post))
            try test.expect(server.requests.last?.headers["Content-Length"], equals: "0", "Content-Length")
        },
        Check(.uploadData, "returns a response that arrives before the body is sent") { test, server in
            server.enqueue(.text("too much", status: 413).beforeRequestBody().closingConnection())
            var request = test.request(server.url, .post)
            request.setValue("100-continue", forHTTPHeaderField: "Expect")
            let body = HTTPBody(MockResponse.generatedBytes(count: 200_000))
            try await test.expectStatus(413, of: request, body: body)
        },
        Check(.uploadFile, "sends a file") { test in
            try await withTemporaryFile(MockResponse.generatedBytes(count: 3_000_000)) { file, bytes in
                try await test.withServer { test, server in
                    server.enqueue(.ok)
                    _ = try await test.collect(test.request(server.url, .put), body: HTTPBody(file: file))
                    try test.expect(server.requests.last?.body == bytes, "the bytes differ")
                    try test.expect(
                        server.requests.last?.headers["Content-Length"], equals: "3000000", "Content-Length")
                }
            }
        },
        Check(.uploadFile, "fails when the file was cut after the body was made") { test in
            try await withTemporaryFile(MockResponse.generatedBytes(count: 2_000_000)) { file, _ in
                try await test.withServer { test, server in
                    let body = try HTTPBody(file: file)
                    try Data("short".utf8).write(to: file)
                    try await test.expectFailure(.requestBodyFailed, of: test.request(server.url, .put), body: body)
                }
            }
        },
        Check(.uploadStream, "sends a stream of known length") { test, server in
            server.enqueue(.ok)
            let body = HTTPBody(stream: chunks(["ab", "cde", "f"]), length: 6)
            try await test.expectStatus(200, of: test.request(server.url, .post), body: body)
            try test.expect(server.requests.last?.bodyText, equals: "abcdef", "body")
            try test.expect(server.requests.last?.headers["Content-Length"], equals: "6", "Content-Length")
        },
        Check(.uploadStream, "sends a stream of unknown length in chunks", overHTTP2: false) { test, server in
            server.enqueue(.ok)
            let body = HTTPBody(stream: chunks(["ab", "", "cde", "f"]))
            _ = try await test.collect(test.request(server.url, .post), body: body)
            try test.expect(server.requests.last?.bodyText, equals: "abcdef", "body")
            try test.expect(
                server.requests.last?.headers["Transfer-Encoding"]?.lowercased(), equals: "chunked", "Transfer-Encoding"
            )
        },
        Check(.uploadStream, "fails when the stream throws, ends early or goes on too long") { test, server in
            let transport = try test.transport()
            let broken = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data("ab".utf8))
                continuation.finish(throwing: CocoaError(.fileReadUnknown))
            }
            for body in [
                HTTPBody(stream: broken), HTTPBody(stream: chunks(["ab"]), length: 5),
                HTTPBody(stream: chunks(["abc", "def"]), length: 5),
            ] {
                try await test.expectFailure(
                    .requestBodyFailed, of: test.request(server.url, .post), body: body, over: transport)
            }
        },
        Check(.progress, "reports the bytes sent and received, rising to the whole") { test, server in
            server.enqueue(.bytes(count: 1_000_000))
            let journal = Locked<[RequestContext.Progress]>([])
            let body = HTTPBody(MockResponse.generatedBytes(count: 2_000_000))
            _ = try await test.collect(
                test.request(server.url, .post), body: body, limit: 2_000_000,
                progress: { progress in journal.withLock { $0.append(progress) } })
            let reports = journal.withLock { $0 }
            try test.expect(reports.last?.bytesSent, equals: 2_000_000, "bytes sent")
            try test.expect(reports.last?.bytesReceived, equals: 1_000_000, "bytes received")
            try test.expect(reports.contains { $0.bytesToSend == 2_000_000 }, "the length to send is not reported")
            try test.expect(reports.last?.bytesToReceive, equals: 1_000_000, "the length to receive")
            let rises = zip(reports, reports.dropFirst())
                .allSatisfy { $0.bytesSent <= $1.bytesSent && $0.bytesReceived <= $1.bytesReceived }
            try test.expect(rises, "a number falls")
        },
    ]

    /// Returns a stream of the texts.
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
