import Foundation

/// A sequence that can be iterated repeatedly.
struct AsyncChunks: AsyncSequence, Sendable {
    typealias Element = ArraySlice<UInt8>
    let chunks: [Element]

    init(_ chunks: [Element]) { self.chunks = chunks }

    func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Element>

        mutating func next() async throws -> Element? { rest.popFirst() }
    }
}

/// A sequence that counts the chunks that were taken from it.
final class CountedChunks: AsyncSequence, Sendable {
    typealias Element = ArraySlice<UInt8>
    private let count: Int
    private let size: Int
    private nonisolated(unsafe) var taken = 0
    private let lock = NSLock()

    init(count: Int, size: Int) {
        self.count = count
        self.size = size
    }

    var produced: Int { lock.withLock { taken } }

    /// Returns when no chunk has been taken for 300 ms, after the first one.
    func waitUntilIdle() async throws {
        var last = 0
        while last == 0 || produced != last {
            last = produced
            try await Task.sleep(nanoseconds: 300_000_000)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        let chunks: CountedChunks

        mutating func next() async throws -> Element? {
            let isOver = chunks.lock.withLock {
                chunks.taken += 1
                return chunks.taken > chunks.count
            }
            return isOver ? nil : ArraySlice(repeating: 0, count: chunks.size)
        }
    }
}
