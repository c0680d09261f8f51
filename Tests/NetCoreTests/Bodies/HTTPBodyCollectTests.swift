import NetCore
import Testing

@Suite struct HTTPBodyCollectTests {
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
