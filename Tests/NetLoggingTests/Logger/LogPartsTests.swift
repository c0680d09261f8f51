import Testing

@testable import NetLogging

@Suite struct LogPartsTests {
    @Test func shortMessageIsOnePart() {
        for text in ["a", String(repeating: "x", count: 800)] { #expect(LogParts.of(text, limit: 800) == [text]) }
    }

    @Test(arguments: ["x", "ä", "漢", "👩‍👩‍👧‍👦", "e\u{301}"]) func partsJoinToTheMessage(_ unit: String) {
        let message = String(repeating: unit, count: 3000)
        let parts = LogParts.of(message, limit: 800)
        #expect(parts.count > 3 && parts.allSatisfy { $0.utf8.count <= 800 })
        var whole = ""
        for (number, part) in parts.enumerated() {
            let mark = "[\(number + 1)/\(parts.count)] "
            #expect(part.utf8.starts(with: mark.utf8))
            whole.unicodeScalars += part.unicodeScalars.dropFirst(mark.count)
        }
        #expect(whole == message)
    }
}
