#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    @Suite(.serialized, .timeLimit(.minutes(5))) struct EventLoopGroupTests {
        /// Asks twice for the loops of a group of eight, each time with so many that can be started.
        ///
        /// - Returns: the number of loops, or nil for an error, and the number of threads that were started so far, both after each time.
        private static func start(_ possible: Int) -> [(loops: Int?, started: Int)] {
            let counts = Locked((left: 0, started: 0))
            let group = EventLoopGroup(count: 8) {
                let isPossible = counts.withLock { counts in
                    guard counts.left > 0 else { return false }
                    counts.left -= 1
                    counts.started += 1
                    return true
                }
                guard isPossible else {
                    throw TransportError(.other, phase: .preparing, message: "There is no thread left.")
                }
                return try EventLoop.start()
            }
            return (0..<2).map { _ in
                counts.withLock { $0.left = possible }
                return ((try? group.loops())?.count, counts.withLock(\.started))
            }
        }

        @Test(.ownProcess) func groupKeepsTheLoopsThatStarted() async {
            await #expect(processExitsWith: .success) {
                let results = Self.start(2)
                #expect(results.map(\.loops) == [2, 2] && results.map(\.started) == [2, 2], "\(results)")
            }
        }

        @Test(.ownProcess) func groupWithoutALoopFails() async {
            await #expect(processExitsWith: .success) {
                let results = Self.start(0)
                #expect(results.map(\.loops) == [nil, nil] && results.map(\.started) == [0, 0], "\(results)")
            }
        }
    }
#endif
