import NetTesting
import TestLab
import Testing

@testable import NetTransfer

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
            let failure = try await failure {
                for try await item in stream.jsonLines(of: Item.self) {
                    items.append(item)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            #expect(failure.isCancellation && items == [Item(id: 1)])
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

    @Test func linesAreReadOnDemand() async throws {
        let taken = Locked(UInt64(0))
        let body = HTTPBody(pulling: { taken.next() <= 100 ? Data("one\ntwo\n".utf8) : nil })
        var lines = ResponseStream(TransportResponse(status: 200, url: nil, body: body)).lines().makeAsyncIterator()
        for count in 1...100 as ClosedRange<UInt64> {
            #expect(try await (lines.next(), lines.next(), taken.withLock { $0 }) == ("one", "two", count))
        }
        #expect(try await lines.next() == nil)
    }

    // MARK: The scanner

    private func lines(_ pieces: [Data], limit: Int = .max) throws -> [String] {
        var scanner = ChunkScanner(LineCursor(limit: limit))
        return try scanner.items(of: pieces).map { String(decoding: $0, as: UTF8.self) }
    }

    private func lines(_ pieces: String..., limit: Int = .max) throws -> [String] {
        try lines(pieces.map { Data($0.utf8) }, limit: limit)
    }

    @Test func crLFAndCRLFAlsoInTwoChunksEndALine() throws {
        #expect(try (lines("a\nb\r\nc\rd\n\re\r\r\n\n"), lines("")) == (["a", "b", "c", "d", "", "e", "", ""], []))
        #expect(try (lines("\n"), lines("a"), lines("a\n", "b")) == ([""], ["a"], ["a", "b"]))
        #expect(try (lines("a\r", "\nb"), lines("a\r", "", "\n", "\n")) == (["a", "b"], ["a", ""]))
        #expect(try lines("a\r", "b\r") == ["a", "b"])
    }

    @Test func lineOverTheLimitThrowsAfterEarlierLines() throws {
        #expect(try lines("abc\nde\r\nfgh", limit: 3) == ["abc", "de", "fgh"])
        for pieces in [["ab\nabcd\n"], ["ab\nab", "cd"], ["ab\n", "a", "b", "c", "d"]] {
            var scanner = ChunkScanner(LineCursor(limit: 3))
            var count = 0
            #expect(throws: NetworkError.responseTooLarge(limit: 3)) {
                for piece in pieces {
                    scanner.append(Data(piece.utf8))
                    while try scanner.first({ _ in true }) != nil { count += 1 }
                }
            }
            #expect(count == 1)
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func anySplitGivesTheSameLines(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        for _ in 0..<500 {
            let text = random.text(of: ["a", "b", "\n", "\r", "\r\n", "é", "\u{FEFF}"], upTo: 40)
            try #require(
                try lines(random.pieces(of: Data(text.utf8))) == Self.reference(text), "\(text.debugDescription)")
        }
    }

    private static func reference(_ text: String) -> [String] {
        var lines = referenceLines(text).map { String(String.UnicodeScalarView($0)) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

/// The lines of a text without its byte order mark, and what follows the last of them. A line ends with LF, CR or both.
func referenceLines(_ text: String) -> [[Unicode.Scalar]] {
    var (lines, last) = ([[Unicode.Scalar]()], Unicode.Scalar?.none)
    for (index, scalar) in text.unicodeScalars.enumerated() where index > 0 || scalar != "\u{FEFF}" {
        switch (last, scalar) {
        case ("\r", "\n"): break
        case (_, "\n"), (_, "\r"): lines.append([])
        default: lines[lines.count - 1].append(scalar)
        }
        last = scalar
    }
    return lines
}

extension SeededGenerator {
    /// The bytes in pieces of any size, none at all among them.
    mutating func pieces(of data: Data) -> [Data] {
        var pieces: [Data] = []
        var rest = data[...]
        while !rest.isEmpty {
            let size = Int.random(in: 0...Swift.min(rest.count, Bool.random(using: &self) ? 3 : 64), using: &self)
            pieces.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

extension ChunkScanner {
    /// The items of pieces, as the readers take them.
    mutating func items(of pieces: [Data]) throws -> [Data] {
        var items: [Data] = []
        for piece in pieces.map(Optional.some) + [nil] {
            if let piece { append(piece) } else { isFinished = true }
            while let item = try first({ Data($0) }) { items.append(item) }
        }
        return items
    }
}
