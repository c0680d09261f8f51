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
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(LogLevel.allCases.map { "\($0)" } == ["debug", "info", "notice", "warning", "error", "fault"])
    }
}
