import NetTesting
import TestLab
import Testing

#if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
    struct MockServerLeakTests {
        @Test(.ownProcess) func stoppedServerLeaksNothing() async {
            await #expect(processExitsWith: .success) {
                try await LeakChecker().check { watch in
                    let server = try MockServer()
                    watch.track(server)
                    server.enqueue(.text("x"))
                    _ = try await server.rawAnswer()
                    await server.stop()
                }
            }
        }

        @Test(.ownProcess) func runningServerIsFoundByTheCensus() async {
            await #expect(processExitsWith: .success) {
                // Dispatch may start or end a thread of its own meanwhile, which the census counts too.
                try await withLimits([0.1, 0.2, 0.4, 0.8, 1.6]) { limit in
                    let found = await #expect(throws: LeakFound.self) {
                        try await LeakChecker(rounds: 4, timeout: limit).check {
                            let server = try MockServer()
                            // The server holds itself: a handler should capture it weakly.
                            server.on("/") { [server] _ in .text("\(server.port)") }
                        }
                    }
                    #expect(found?.descriptors.count ?? 0 >= 4)
                    #if os(Linux)
                        return found?.threads == 4
                    #else
                        return true
                    #endif
                }
            }
        }
    }
#endif
