import NetCore
import Testing

@Suite struct HTTPBodyCollectTests {
    private static func bodies() -> [HTTPBody] {
        [
            HTTPBody("abcdef"), HTTPBody(stream: Chunks(["ab", "cd", "ef"])),
            HTTPBody(stream: Chunks(["ab", "cd", "ef"]), length: 6), HTTPBody(replaying: { Chunks(["abc", "def"]) }),
        ]
    }

    @Test func collectsUpToExactlyTheLimit() async throws {
        for body in Self.bodies() { #expect(try await body.collect(upTo: 6) == Data("abcdef".utf8)) }
        for body in Self.bodies() { #expect(try await body.collect(upTo: .max) == Data("abcdef".utf8)) }
    }

    @Test(arguments: [5, 1, 0, -1, .min])
    func refusesOneByteMore(_ limit: Int) async throws {
        for body in Self.bodies() {
            await #expect(throws: NetworkError.responseTooLarge(limit: limit)) { try await body.collect(upTo: limit) }
        }
    }

    @Test func knownLengthIsRefusedUnread() async throws {
        let wasRead = Locked(false)
        let body = HTTPBody(
            length: 11,
            pulling: {
                wasRead.withLock { $0 = true }
                return nil
            })
        await #expect(throws: NetworkError.responseTooLarge(limit: 10)) { try await body.collect(upTo: 10) }
        #expect(!wasRead.withLock { $0 })
    }

    @Test func endlessBodyIsReadNoFurtherThanTheLimit() async throws {
        let count = Locked(0)
        let body = HTTPBody(pulling: {
            count.withLock { $0 += 1 }
            return Data(count: 1000)
        })
        await #expect(throws: NetworkError.responseTooLarge(limit: 2500)) { try await body.collect(upTo: 2500) }
        #expect(count.withLock { $0 } == 3)
    }

    /// A server may claim any length: it is not believed with memory.
    @Test func hugeClaimedLengthIsNotReserved() async throws {
        let rest = Locked(["abc"][...])
        let body = HTTPBody(length: .max, pulling: { rest.withLock { $0.popFirst() }.map { Data($0.utf8) } })
        #expect(try await body.collect(upTo: .max) == Data("abc".utf8))
    }

    @Test(arguments: [(-1, ""), (0, ""), (1, "a"), (2, "ab"), (3, "abc"), (6, "abcdef"), (7, "abcdef")])
    func prefixIsTheStart(_ limit: Int, text: String) async throws {
        for body in Self.bodies() { #expect(try await body.prefix(upTo: limit) == Data(text.utf8)) }
    }

    @Test func prefixReadsNoFurther() async throws {
        let rest = Locked(["ab", "cd", "ef"][...])
        let body = HTTPBody(pulling: { rest.withLock { $0.popFirst() }.map { Data($0.utf8) } })
        #expect(try await body.prefix(upTo: 3) == Data("abc".utf8))
        #expect(rest.withLock { $0 } == ["ef"])
    }

    @Test(arguments: [-1, 0, 1, 2, 3, 5, 6, 7])
    func peekingTakesNothingAway(_ limit: Int) async throws {
        for body in Self.bodies() {
            let (start, whole) = try await body.peek(upTo: limit)
            #expect(start == Data("abcdef".utf8.prefix(max(0, limit))))
            #expect(try await whole.collect(upTo: 6) == Data("abcdef".utf8))
            if limit > 6 { #expect(whole.isReplayable, "what is in memory as a whole can be read again") }
        }
    }

    @Test func peekingReadsNoFurtherThanItMust() async throws {
        let rest = Locked(["ab", "cd", "ef"][...])
        let body = HTTPBody(length: 6, pulling: { rest.withLock { $0.popFirst() }.map { Data($0.utf8) } })
        let (start, whole) = try await body.peek(upTo: 3)
        #expect(start == Data("abc".utf8))
        #expect(whole.length == 6 && !whole.isReplayable)
        #expect(rest.withLock { $0 } == ["ef"])
    }
}
