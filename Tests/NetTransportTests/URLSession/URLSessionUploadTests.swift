import NetTesting
import TestLab
import Testing

@testable import NetTransport

extension URLSessionSuites {
    /// Request bodies, beyond what the conformance suite asks.
    struct URLSessionUploadTests {
        let transport = URLSessionTransport()
        let server: MockServer

        init() throws { server = try MockServer() }

        private func send(_ body: HTTPBody?, _ method: String = "POST", headers: [String: String] = [:]) async throws {
            let response = try await transport.fetch(server.url, method, headers: headers, body: body, streamed: true)
            #expect(response.status == 200)
        }

        @Test func streamedUploadAddsNoHeaders() async throws {
            server.enqueue(.ok)
            try await send(HTTPBody(stream: dataStream("ab", "c"), length: 3))
            let seen = try #require(server.requests.last)
            #expect(seen.bodyText == "abc" && seen.headers["Content-Length"] == "3")
            #expect(seen.headers["Transfer-Encoding"] == nil)
            #if os(Linux)
                #expect(seen.headers["Expect"] == nil && seen.headers["Content-Type"] == nil)
            #endif
        }

        @Test func contentLengthAndTransferEncodingAreTheTransports() async throws {
            let headers = ["content-length": "99", "transfer-encoding": "chunked", "Content-Type": "text/x"]
            for body in [HTTPBody("abc"), HTTPBody(stream: dataStream("abc"), length: 3)] {
                server.enqueue(.ok)
                try await send(body, headers: headers)
                let seen = try #require(server.requests.last)
                #expect(seen.bodyText == "abc" && seen.headers.values(for: "Content-Length") == ["3"])
                #expect(seen.headers["Transfer-Encoding"] == nil && seen.headers["Content-Type"] == "text/x")
            }
        }

        @Test(arguments: ["GET", "DELETE", "POST"]) func framingFieldsNeedABody(_ method: String) async throws {
            server.enqueue(.ok, .ok)
            let wrong = ["content-length": "30", "transfer-encoding": "chunked"]
            for _ in 0..<2 { try await send(nil, method, headers: wrong) }
            #expect(server.requests.count == 2)
            for seen in server.requests {
                #expect([nil, "0"].contains(seen.headers["Content-Length"]))
                #expect(seen.headers["Transfer-Encoding"] == nil)
            }
        }

        @Test func fileSegmentIsUploaded() async throws {
            let folder = try TemporaryDirectory()
            try Data("0123456789".utf8).write(to: folder.file("part"))
            server.enqueue(.ok)
            let segment = FileSegment(url: folder.file("part"), offset: 2, length: 5)
            try await send(HTTPBody(source: .file(segment), length: 5, isReplayable: true))
            #expect(server.requests.last?.bodyText == "23456")
        }

        @Test func largeStreamIsUploadedWhole() async throws {
            server.enqueue(.ok)
            let chunks = Array(repeating: MockResponse.generatedBytes(count: 100_003), count: 50)
            try await send(HTTPBody(replaying: { dataStream(chunks) }))
            #expect(server.requests.last?.body == Data(chunks.joined()))
        }

        @Test func concurrentStreamsAreUploaded() async throws {
            let server = try MockServer { .text($0.bodyText) }
            let answers = try await atOnce(40) { [transport] number in
                let body = HTTPBody(stream: dataStream("number ", String(number)))
                return try await transport.fetch(server.url, "PUT", body: body, streamed: true).body
            }
            #expect(Set(answers) == Set((0..<40).map { Data("number \($0)".utf8) }))
        }

        /// On Linux one queue serves all sessions: a stream that was read there by waiting would wait forever.
        @Test func responseBodyCanBeUploadedByTheSameTransport() async throws {
            server.enqueue(.bytes(count: 3_000_000), .ok)
            try await send(transport.stream(server.url).body)
            #expect(server.requests.last?.body == MockResponse.generatedBytes(count: 3_000_000))
        }

        @Test func bodyNotReplayableOfTheStreamIsTheError() async throws {
            let body = HTTPBody(stream: dataStream("used up"))
            _ = try await body.collect(upTo: 100)
            await #expect(throws: NetworkError.bodyNotReplayable) { try await send(body) }
            try await server.waitForOpenConnections(timeout: 120)
        }

        @Test(arguments: [false, true]) func cancellationAndShutdownEndAStalledUpload(isShutdown: Bool) async throws {
            if isShutdown { server.enqueue(.ok.fault(.stall(.beforeResponse))) }
            let (asked, stopped) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            let body = HTTPBody(pulling: {
                asked.continuation.finish()
                defer { stopped.continuation.finish() }
                try await SystemClock().sleep(for: .infinity)
                return nil
            })
            let task = Task { try await transport.failure(server.url, "POST", body: body, streamed: !isShutdown) }
            for await _ in asked.stream {}
            if isShutdown { await transport.shutdown() } else { task.cancel() }
            let error = try await task.value
            #expect(isShutdown ? (error as? TransportError)?.code == .shutDown : error is CancellationError, "\(error)")
            guard !isShutdown else { return }
            for await _ in stopped.stream {}
            try await server.waitForOpenConnections(timeout: 120)
        }

        #if !canImport(Security)
            /// libcurl repeats the request without bytes, so it would hang.
            @Test func postOnAClosedConnectionIsStale() async throws {
                server.enqueue(.ok, .ok.fault(.reset(.beforeResponse)))
                try await send(HTTPBody("first"))
                let error = try await transport.expectFailure(
                    .connectionLost, of: server.url, "POST", body: HTTPBody("second"))
                #expect(error?.isStaleConnection == true && error?.isUnprocessed == false)
            }
        #endif

        @Test func getWithBodyIsUnsupportedUnlessEmpty() async throws {
            #expect(isUnsupported(try await transport.failure(server.url, "GET", body: HTTPBody("x"))))
            server.enqueue(.ok, .ok)
            for method in ["GET", "POST"] { try await send(.empty, method) }
            #expect(server.requests.last?.headers["Content-Length"] == "0")
        }
    }
}
