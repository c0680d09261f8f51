import NetCore
import Testing

@Suite struct HTTPBodyTests {
    private func chunks(_ body: HTTPBody) async throws -> [String] {
        try await body.reduce(into: []) { $0.append(String(decoding: $1, as: UTF8.self)) }
    }

    @Test func dataIsOneChunkAndReplayable() async throws {
        let body = HTTPBody(Data("hello".utf8))
        #expect(body.length == 5 && body.isReplayable && body.data == Data("hello".utf8))
        for _ in 0..<2 { #expect(try await chunks(body) == ["hello"]) }
        #expect(try await chunks(HTTPBody("hellö".dropLast() + "o")) == ["hello"])
        #expect(HTTPBody("ö").length == 2 && HTTPBody.empty.length == 0)
        #expect(try await chunks(.empty) == [])
        #expect(try await HTTPBody.empty.collect(upTo: 0) == Data())
    }

    @Test func sliceOfData() async throws {
        let body = HTTPBody(Data("hello".utf8)[2...])
        #expect(body.length == 3)
        #expect(try await body.collect(upTo: 3) == Data("llo".utf8))
        #expect(try await body.prefix(upTo: 2) == Data("ll".utf8))
    }

    @Test func streamIsNotReplayable() async throws {
        let body = HTTPBody(stream: Chunks(["a", "", "b"]))
        #expect(body.length == nil && !body.isReplayable && body.data == nil)
        #expect(try await chunks(body) == ["a", "b"], "empty chunks are skipped")
        await #expect(throws: NetworkError.bodyNotReplayable) { try await chunks(body) }
        await #expect(throws: NetworkError.bodyNotReplayable) { try await body.collect(upTo: 10) }
    }

    @Test func secondReaderOfAStreamIsRefused() async throws {
        let body = HTTPBody(stream: Chunks(["a"]))
        var first = body.makeAsyncIterator()
        var second = body.makeAsyncIterator()
        await #expect(throws: NetworkError.bodyNotReplayable) { try await second.next() }
        #expect(try await first.next() == Data("a".utf8))
        for _ in 0..<2 { #expect(try await first.next() == nil) }
    }

    @Test func replayableStreamIsCreatedForEachRead() async throws {
        let count = Locked(0)
        let body = HTTPBody(
            length: 2,
            replaying: {
                count.withLock { $0 += 1 }
                return Chunks(["a", "b"])
            })
        #expect(body.isReplayable && body.length == 2)
        for _ in 0..<3 { #expect(try await chunks(body) == ["a", "b"]) }
        #expect(count.withLock { $0 } == 3)
    }

    @Test func pulledBodyIsReadOnDemand() async throws {
        let body = pulled()
        #expect(!body.isReplayable)
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("ab".utf8))
        #expect(rest.withLock { $0 } == ["cd", "ef"], "nothing is fetched ahead of the reader")
        await #expect(throws: NetworkError.bodyNotReplayable) { try await body.collect(upTo: 10) }
    }

    @Test func errorOfAStreamIsRethrown() async throws {
        let body = HTTPBody(pulling: { throw URLError(.networkConnectionLost) })
        await #expect(throws: URLError.self) { try await body.collect(upTo: 10) }
    }

    @Test(arguments: [0, 1, 3, 4, 5, 7], [true, false])
    func streamMustHaveItsDeclaredLength(_ length: Int64, replayable: Bool) async throws {
        let stream = Chunks(["ab", "cd"])
        let body =
            replayable ? HTTPBody(length: length, replaying: { stream }) : HTTPBody(stream: stream, length: length)
        #expect(body.length == length)
        if length == 4 { return #expect(try await chunks(body) == ["ab", "cd"]) }
        let error = await #expect(throws: TransportError.self) { try await chunks(body) }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test func negativeLengthIsUnknown() async throws {
        #expect(HTTPBody(length: -1, pulling: { nil }).length == nil)
        let body = HTTPBody(stream: Chunks(["a"]), length: -1)
        #expect(body.length == nil)
        #expect(try await chunks(body) == ["a"])
    }

    @Test func descriptionDoesNotShowTheContent() {
        #expect(HTTPBody("secret").description == "HTTPBody(data, 6 bytes)")
        #expect(HTTPBody(stream: Chunks([])).description == "HTTPBody(stream, unknown length)")
        #expect(HTTPBody(stream: Chunks([]), length: 3).description == "HTTPBody(stream, 3 bytes)")
    }

    private static func bodies() -> [HTTPBody] {
        [
            HTTPBody("abcdef"), HTTPBody(stream: Chunks(["ab", "cd", "ef"])),
            HTTPBody(stream: Chunks(["ab", "cd", "ef"]), length: 6), HTTPBody(replaying: { Chunks(["abc", "def"]) }),
        ]
    }

    private let rest = Locked(["ab", "cd", "ef"][...])

    private func pulled(length: Int64? = nil) -> HTTPBody {
        HTTPBody(length: length, pulling: { [rest] in rest.withLock { $0.popFirst() }.map { Data($0.utf8) } })
    }

    @Test(arguments: [6, .max]) func bodyWithinTheLimitIsCollected(_ limit: Int) async throws {
        for body in Self.bodies() { #expect(try await body.collect(upTo: limit) == Data("abcdef".utf8)) }
    }

    @Test(arguments: [5, 1, 0, -1, .min]) func bodyOverTheLimitIsRefused(_ limit: Int) async throws {
        for body in Self.bodies() {
            await #expect(throws: NetworkError.responseTooLarge(limit: limit)) { try await body.collect(upTo: limit) }
        }
    }

    @Test func declaredLengthOverTheLimitIsRefusedUnread() async throws {
        let body = pulled(length: 11)
        await #expect(throws: NetworkError.responseTooLarge(limit: 10)) { try await body.collect(upTo: 10) }
        #expect(rest.withLock { $0.count } == 3)
    }

    @Test func endlessBodyIsReadUpToTheLimit() async throws {
        let count = Locked(0)
        let body = HTTPBody(pulling: {
            count.withLock { $0 += 1 }
            return Data(count: 1000)
        })
        await #expect(throws: NetworkError.responseTooLarge(limit: 2500)) { try await body.collect(upTo: 2500) }
        #expect(count.withLock { $0 } == 3)
    }

    /// A server may claim any length. No memory is reserved for it.
    @Test func hugeDeclaredLengthIsNotAllocated() async throws {
        #expect(try await pulled(length: .max).collect(upTo: .max) == Data("abcdef".utf8))
    }

    @Test(arguments: [-1, 0, 1, 2, 3, 5, 6, 7]) func prefixAndPeekedBytes(_ limit: Int) async throws {
        let expected = Data("abcdef".utf8.prefix(max(0, limit)))
        for body in Self.bodies() { #expect(try await body.prefix(upTo: limit) == expected) }
        for body in Self.bodies() {
            let (start, whole) = try await body.peek(upTo: limit)
            #expect(start == expected)
            #expect(try await whole.collect(upTo: 6) == Data("abcdef".utf8), "the start stays in the body")
            if limit > 6 { #expect(whole.isReplayable, "a body in memory is replayable") }
        }
    }

    @Test func prefixAndPeekReadNoChunkBeyondTheLimit() async throws {
        #expect(try await pulled().prefix(upTo: 3) == Data("abc".utf8) && rest.withLock { $0 } == ["ef"])
        rest.withLock { $0 = ["ab", "cd", "ef"] }
        let (start, whole) = try await pulled(length: 6).peek(upTo: 3)
        #expect(start == Data("abc".utf8) && whole.length == 6 && !whole.isReplayable && rest.withLock { $0 } == ["ef"])
    }
}

/// A sequence of chunks that can be iterated repeatedly.
struct Chunks: AsyncSequence, Sendable {
    let texts: [String]

    init(_ texts: [String]) { self.texts = texts }

    func makeAsyncIterator() -> Iterator { Iterator(rest: texts[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<String>
        mutating func next() async throws -> Data? { rest.popFirst().map { Data($0.utf8) } }
    }
}
