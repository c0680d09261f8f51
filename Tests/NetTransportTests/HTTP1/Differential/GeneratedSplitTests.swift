#if os(Linux)
    import TestLab
    import Testing

    /// However a generated response is split, the events are the same.
    @Suite struct GeneratedSplitTests {
        @Test func splitsByByteAndAtRandomGiveTheSameEvents() {
            var random = SeededGenerator(state: 7)
            for response in DifferentialTests.responses {
                let count = response.bytes.count
                let whole = FeedOutcome(response.bytes, isHead: response.isHead, pieces: [count])
                guard expect(whole, of: response, in: Array(repeating: 1, count: count)) else { return }
                for _ in 0..<2 {
                    var pieces: [Int] = []
                    var left = count
                    while left > 0 {
                        let piece = min(left, 1 + random.next(below: 40))
                        pieces.append(piece)
                        left -= piece
                    }
                    guard expect(whole, of: response, in: pieces) else { return }
                }
            }
        }

        @Test func splitAtEveryByteGivesTheSameEvents() {
            for response in DifferentialTests.responses.prefix(Volume.pick(quick: 100, full: 4000)) {
                let count = response.bytes.count
                let whole = FeedOutcome(response.bytes, isHead: response.isHead, pieces: [count])
                for first in 0...count {
                    guard expect(whole, of: response, in: [first, count - first]) else { return }
                }
            }
        }

        /// Returns whether the outcome is that of the whole response. The test ends at the first that is not: there may be thousands.
        private func expect(_ whole: FeedOutcome, of response: GeneratedResponse, in pieces: [Int]) -> Bool {
            let outcome = FeedOutcome(response.bytes, isHead: response.isHead, pieces: pieces)
            #expect(outcome == whole, "\(response) in \(pieces)")
            return outcome == whole
        }
    }
#endif
