import NetCore
import NetLogging
import Testing
import os

@Suite struct OSLogSinkTests {
    private let subsystem = UUID().uuidString

    @Test func messagePrivacyIsKept() {
        let logger = NetworkLogger(subsystem: subsystem, category: "http")
        for privacy in [LogPrivacy.public, .private, .sensitive, .auto] {
            logger.logMessage(message: "page 12345", level: .info, logPrivacy: privacy)
        }
        let entries = FakeUnifiedLog.entries(of: subsystem)
        #expect(entries.map(\.category) == ["http", "http", "http", "http"])
        #expect(entries.map { $0.shown.contains("12345") } == [true, false, false, false])
        #expect(entries.compactMap(\.privacies.last) == [.public, .private, .sensitive, .auto])
    }

    @Test func categoryIsTheMessagesOrTheSinks() {
        let event = LogEvent(level: .info, category: "network.cache", message: "x", privacy: .public)
        OSLogSink(subsystem: subsystem).write(event)
        OSLogSink(subsystem: subsystem, category: "one").write(event)
        #expect(FakeUnifiedLog.entries(of: subsystem).map(\.category) == ["network.cache", "one"])
    }

    @Test func longMessageIsSplit() {
        let body = (0..<500).map { "line \($0)" }.joined(separator: "\n")
        let sink = OSLogSink(subsystem: subsystem, category: "long")
        sink.write(LogEvent(level: .info, message: body, privacy: .public))
        let parts = FakeUnifiedLog.entries(of: subsystem).map(\.shown)
        #expect(parts.count > 5 && parts.allSatisfy { $0.utf8.count <= 800 })
        let whole = parts.map { $0.split(separator: " ", maxSplits: 1)[1] }.joined()
        #expect(whole == body)
    }

    @Test func levelsMapToOSLogTypes() {
        let sink = OSLogSink(subsystem: subsystem, category: "levels")
        for level in LogEvent.Level.allCases { sink.write(LogEvent(level: level, message: "x", privacy: .public)) }
        #expect(
            FakeUnifiedLog.entries(of: subsystem).map(\.level)
                == LogEvent.Level.allCases.map { level in
                    switch level {
                    case .debug: OSLogType.debug
                    case .info: .info
                    case .notice: .default
                    case .warning, .error: .error
                    case .fault: .fault
                    }
                })
    }
}
