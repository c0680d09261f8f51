import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct LineSequenceTests {
    private struct Item: Codable, Hashable, Sendable { let id: Int }

    private func stream(_ pieces: String..., status: Int = 200) async throws -> ResponseStream {
        let body = HTTPBody.of(pieces.map { Data($0.utf8) })
        let response = TransportResponse(status: status, headers: ["X-Total": "3"], url: nil, body: body)
        let client = NetworkClient(transport: StubTransport(.success(response)))
        return try await client.stream(for: URLRequest(url: .example))
    }

    @Test func linesAreTextAndBytesKeepTheirChunks() async throws {
        let stream = try await stream("on", "e\r", "\ntwo\n\nfo", "ur")
        #expect(stream.status == 200 && stream.headers["X-Total"] == "3")
        #expect(try await stream.lines().collected() == ["one", "two", "", "four"])
        #expect(try await self.stream("on", "e").bytes.collected() == [Data("on".utf8), Data("e".utf8)])
        let response = TransportResponse(status: 500, url: nil, body: HTTPBody("a\nb"))
        #expect(try await ResponseStream(response).lines().collected() == ["a", "b"])
    }

    @Test func jsonLinesSkipBlankLines() async throws {
        let stream = try await stream("{\"id\":1}\n\n \t \r\n{\"id\"", ":2}\r\n{\"id\": 3}")
        #expect(try await stream.jsonLines(of: Item.self).collected() == [1, 2, 3].map(Item.init))
    }

    @Test func invalidLineIsReportedWithItsNumber() async throws {
        let stream = try await stream("{\"id\":1}\n\n{\"id\":\"secret\"}\n{\"id\":4}\n")
        var iterator = stream.jsonLines(of: Item.self).makeAsyncIterator()
        #expect(try await iterator.next() == Item(id: 1))
        let failure = try #require(await #expect(throws: NetworkFailure.self) { try await iterator.next() })
        #expect(failure.kind == .decodingFailed && failure.statusCode == 200)
        #expect((failure.underlyingError as? ResponseStream.JSONLineError)?.line == 3)
        #expect(failure.description.contains("line 3: expected Int at id") && !failure.description.contains("secret"))
        #expect(try await iterator.next() == nil, "an error is the end")
    }

    @Test func lineOverTheLimitThrows() async throws {
        let stream = try await stream("{\"id\":1}\n", "{\"id\":", "22222222}")
        var iterator = stream.jsonLines(of: Item.self, maximumLength: 10).makeAsyncIterator()
        #expect(try await iterator.next() == Item(id: 1))
        await #expect(throws: NetworkFailure(cause: .responseTooLarge(limit: 10))) { try await iterator.next() }
    }

    @Test func errorStatusThrowsWithItsBody() async throws {
        let failure = try await failure { try await stream("{\"why\":", "1}", status: 422) }
        #expect(failure.cause == .requestFailed(statusCode: 422, data: Data("{\"why\":1}".utf8)))
    }

    @Test func secondIterationIsRefused() async throws {
        let stream = try await stream("a\nb\n")
        #expect(try await stream.lines().collected() == ["a", "b"])
        await #expect(throws: NetworkFailure(cause: .bodyNotReplayable)) { try await stream.lines().collected() }
    }

    @Test @MainActor func mainActorCanReadLines() async throws {
        var lines: [String] = []
        for try await line in try await stream("a\nb").lines() { lines.append(line) }
        #expect(lines == ["a", "b"])
    }

    /// The first line is read while the server still holds back the rest; the head came before that.
    @Test func firstLinesArriveBeforeTheEndOfTheBody() async throws {
        let server = try MockServer { _ in .chunked(["{\"id\":1}\n", "{\"id\":2}\n"], delay: 3600) }
        let client = NetworkClient(environment: Site(baseURL: server.url))
        let task = Task {
            let stream = try await client.stream(Drop(method: .get))
            #expect(stream.status == 200)
            var items: [Item] = []
            do {
                for try await item in stream.jsonLines(of: Item.self) {
                    items.append(item)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                Issue.record("a cancelled task has read to the end")
            } catch let failure as NetworkFailure {
                #expect(failure.isCancellation)
            }
            #expect(items == [Item(id: 1)])
            // Although the stream is still held, its connection is gone.
            try await Task { try await server.waitForOpenConnections() }.value
            return stream
        }
        _ = try await task.value
    }

    @Test func cancellationWhileWaitingClosesTheConnection() async throws {
        let server = try MockServer { _ in .chunked(["one\n", "two\n"], delay: 3600) }
        let stream = try await NetworkClient(transport: .platform).stream(for: URLRequest(url: server.url))
        let (seen, announce) = AsyncStream<String>.makeStream()
        let task = Task { for try await line in stream.lines() { announce.yield(line) } }
        #expect(await seen.first { _ in true } == "one")
        task.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await task.value }
        try await server.waitForOpenConnections()
    }

    @Test func truncatedBodyThrows() async throws {
        let server = try MockServer { _ in .chunked(["one\n", "two\n"]).fault(.truncatedChunkedBody) }
        let stream = try await NetworkClient(transport: .platform).stream(for: URLRequest(url: server.url))
        let failure = try #require(await #expect(throws: NetworkFailure.self) { try await stream.lines().collected() })
        #expect(failure.transportError != nil && failure.statusCode == 200 && failure.request?.url == server.url)
    }
}
