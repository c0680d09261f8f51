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
                try counts.withLock { counts in
                    guard counts.left > 0 else { throw TransportError(.other, phase: .preparing, message: "no thread") }
                    (counts.left, counts.started) = (counts.left - 1, counts.started + 1)
                }
                return try EventLoop.start()
            }
            return (0..<2).map { _ in
                counts.withLock { $0.left = possible }
                return ((try? group.loops())?.count, counts.withLock(\.started))
            }
        }

        @Test(.ownProcess) func groupKeepsTheLoopsThatStartedAndFailsWithoutOne() async {
            await #expect(processExitsWith: .success) {
                for (possible, loops) in [(0, nil), (2, 2)] as [(Int, Int?)] {
                    let results = Self.start(possible)
                    #expect(results.map(\.loops) == [loops, loops], "\(results)")
                    #expect(results.map(\.started) == [possible, possible], "\(results)")
                }
            }
        }
    }
#endif
