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
                let found = await #expect(throws: LeakFound.self) {
                    try await LeakChecker(rounds: 4, timeout: 0.1).check {
                        let server = try MockServer()
                        // The server holds itself: a handler should capture it weakly.
                        server.on("/") { [server] _ in .text("\(server.port)") }
                    }
                }
                #expect(found?.descriptors.count ?? 0 >= 4)
                #if os(Linux)
                    #expect(found?.threads == 4)
                #endif
            }
        }
    }
#endif
