#if os(Linux)
    import TestLab
    import Testing

    /// However a generated response is split, the events are the same.
    @Suite struct GeneratedSplitTests {
        private struct Outcome: Equatable {
            let events: [Event]
            let isReusable: Bool
            let rest: [UInt8]
        }

        private func outcome(_ response: GeneratedResponse, _ pieces: [Int]) -> Outcome {
            let (events, isReusable, rest) = ParserVerdict.ours(response, pieces: pieces)
            return Outcome(events: events, isReusable: isReusable, rest: rest)
        }

        @Test func byteByByteAndAtRandom() {
            var random = SeededGenerator(state: 7)
            for response in DifferentialTests.responses {
                let count = response.bytes.count
                let whole = outcome(response, [count])
                #expect(outcome(response, Array(repeating: 1, count: count)) == whole, "\(response)")
                for _ in 0..<2 {
                    var pieces: [Int] = []
                    var left = count
                    while left > 0 {
                        let piece = min(left, 1 + random.next(below: 40))
                        pieces.append(piece)
                        left -= piece
                    }
                    #expect(outcome(response, pieces) == whole, "\(response) in \(pieces)")
                }
            }
        }

        @Test func atEveryByte() {
            for response in DifferentialTests.responses.prefix(Volume.pick(quick: 100, full: 4000)) {
                let count = response.bytes.count
                let whole = outcome(response, [count])
                for first in 0...count {
                    #expect(outcome(response, [first, count - first]) == whole, "\(response) at \(first)")
                }
            }
        }
    }
#endif
