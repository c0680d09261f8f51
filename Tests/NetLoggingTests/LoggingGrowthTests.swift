import TestLab
import Testing

@testable import NetLogging

/// Everything in NetLogging that reads text of a server or a file, at its worst inputs.
@Suite(.serialized, .optimized) struct LoggingGrowthTests {
    static let readers = [
        GrowthReader(
            "Multipart body", of: "NetLogging/Text/BodyText.swift",
            units: [
                ("--b", Array("\r\n--b".utf8)), ("--b\r\n", Array("a: b\r\n".utf8)),
                ("--b", Array("\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b".utf8)),
                ("--b\r\nContent-Disposition: form-data; name=\"", Array("a;".utf8)),
            ]
        ) {
            let data = Data($0.utf8)
            for boundary in ["b", "\r\n"] {
                guard let text = MultipartText(data, boundary: boundary) else { continue }
                _ = text.line(.standard)
                _ = text.redacted(.standard)
            }
            _ = MultipartScanner.boundary(in: $0)
        },
        GrowthReader("Cache-Status", of: "NetLogging/Metrics/CallMetrics.swift") {
            _ = CallMetrics.CacheState(cacheStatus: $0)
        },
        GrowthReader("HAR", of: "NetLogging/Archive/TrafficRecorder.swift") {
            _ = try? JSONDecoder().decode(HTTPArchive.self, from: Data($0.utf8))
        },
        GrowthReader("Log parts", of: "NetLogging/Logger/LogParts.swift") { _ = LogParts.of($0, limit: 800) },
        GrowthReader("cURL word", of: "NetLogging/Text/CURLCommand.swift") {
            _ = ShellQuoting.word($0)
            _ = ShellQuoting.printing($0.utf8)
        },
    ]

    @Test("Work is linear in the text", arguments: readers) func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
