import NetLogging
import TestLab
import Testing

@Suite("LogEvent") struct LogEventTests {
    @Test(arguments: [LogPrivacy.private, .sensitive, .auto])
    func showsOnlyWhatIsPublic(privacy: LogPrivacy) {
        let event = LogEvent(level: .info, message: "S3CR3T", privacy: privacy)
        #expect((event.visibleMessage, event.message, textsShowing("S3CR3T", of: event)) == ("<private>", "S3CR3T", []))
        #expect(LogEvent(level: .info, message: "open", privacy: .public).visibleMessage == "open")
    }

    @Test func levelsAreInOrder() {
        #expect(LogEvent.Level.allCases == LogEvent.Level.allCases.sorted())
        #expect(LogEvent.Level.allCases.map { "\($0)" } == ["debug", "info", "notice", "warning", "error", "fault"])
    }
}
