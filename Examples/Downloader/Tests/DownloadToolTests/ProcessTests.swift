import Foundation
import NetTesting
import Testing

/// The program itself, as a process of its own that gets real signals.
struct ProcessTests {
    @Test(arguments: [SIGINT, SIGKILL])
    func aProcessThatIsEndedInTheMiddleLeavesWhatTheNextGoesOnWith(_ signal: Int32) async throws {
        try await Origin.run { origin in
            let first = try Program(origin.words)
            let shown = await first.output(upTo: "50.0%")
            #expect(shown.contains("50.0%"))
            first.send(signal)
            let rest = await first.end()
            if signal == SIGINT {
                #expect(rest.status == 130)
                #expect(rest.output.contains("500000 bytes are kept"))
            }
            #expect(origin.saved == nil)

            let second = try Program(origin.words)
            let (output, status) = await second.end()
            #expect(status == 0)
            #expect(output.contains("Going on at byte 500000."))
            #expect(origin.saved == Origin.content)
            #expect(origin.lastRangeStart == 500_000)
            #expect(origin.server.requests.count == 2)
        }
    }

    @Test func withoutAURLItSaysHowItIsUsed() async throws {
        let (output, status) = await (try Program([])).end()
        #expect(status == 2)
        #expect(output.contains("usage: download URL"))
    }
}
