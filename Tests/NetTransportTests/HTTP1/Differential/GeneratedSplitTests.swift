#if os(Linux)
    import TestLab
    import Testing

    /// However a generated response is split, the events are the same.
    @Suite struct GeneratedSplitTests {
        /// Byte by byte, at random, and some of them at every byte.
        @Test func splitResponsesGiveTheSameEvents() {
            var random = SeededGenerator(state: 7)
            for (index, response) in DifferentialTests.responses.enumerated() {
                let count = response.bytes.count
                let whole = FeedOutcome(response.bytes, isHead: response.isHead, pieces: [count])
                var splits = [Array(repeating: 1, count: count), [], []]
                for split in 1...2 {
                    var left = count
                    while left > 0 {
                        splits[split].append(min(left, 1 + random.next(below: 40)))
                        left -= splits[split].last ?? 0
                    }
                }
                if index < Volume.pick(quick: 100, full: 4000) { splits += (0...count).map { [$0, count - $0] } }
                for pieces in splits {
                    let outcome = FeedOutcome(response.bytes, isHead: response.isHead, pieces: pieces)
                    #expect(outcome == whole, "\(response) in \(pieces)")
                    // There may be thousands.
                    guard outcome == whole else { return }
                }
            }
        }
    }
#endif
