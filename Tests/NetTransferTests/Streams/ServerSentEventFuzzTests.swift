import NetTransfer
import TestLab
import Testing

/// Random streams, compared with a parser that follows the specification letter by letter, on the whole text.
@Suite struct ServerSentEventFuzzTests {
    private static let pieces: [Character] = Array("da:: \n\n\r\0\u{FEFF}1éx") + ["\r\n"]
    private static let words = [
        "data", "data:", "data: ", "event:", "id:", "id", "retry:", "\n\n", "\r\r", "\r\n\r\n", ":", "12", "\0",
        "Data:", "😀",
    ]

    private static func stream(_ random: inout SeededGenerator) -> Data {
        var text = random.text(of: ["\u{FEFF}"], upTo: 1)
        for _ in 0..<Int.random(in: 0..<30, using: &random) {
            text += words.randomElement(using: &random) ?? ""
            text += random.text(of: pieces, upTo: 3)
        }
        let data = Data(text.utf8)
        return Bool.random(using: &random) ? data : random.mutate(data)
    }

    @Test(arguments: 1...16 as ClosedRange<UInt64>) func anySplitGivesTheEventsOfTheSpecification(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        for round in 0..<400 {
            let noise = Data((0..<random.next(below: 500)).map { _ in UInt8(random.next(below: 256)) })
            let stream = round % 8 == 0 ? noise : Self.stream(&random)
            let expected = Reference(stream)
            for pieces in [[stream], stream.map { Data([$0]) }, random.pieces(of: stream)] {
                var parser = ServerSentEvent.Parser()
                try #require(try parser.events(pieces) == expected.events, "\(stream.map { $0 })")
                try #require(parser.lastEventID == expected.lastEventID && parser.reconnectionTime == expected.retry)
            }
        }
    }

    /// With a limit, too, the pieces make no difference: the same events, then the same error.
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func anySplitMeetsTheLimitAtTheSamePlace(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var failures = 0
        for _ in 0..<400 {
            // Without an end that is too long: whether that is seen depends on nothing but where it is cut.
            let stream = Self.stream(&random) + Data("\n\n".utf8)
            let limit = Int.random(in: 4...20, using: &random)
            func outcome(_ pieces: [Data]) -> (events: [ServerSentEvent], error: NetworkError?) {
                var parser = ServerSentEvent.Parser(maximumEventSize: limit)
                var events: [ServerSentEvent] = []
                for piece in pieces {
                    parser.append(piece)
                    do { while let event = try parser.next() { events.append(event) } } catch { return (events, error) }
                }
                return (events, nil)
            }
            let (whole, cut) = (outcome([stream]), outcome(random.pieces(of: stream)))
            try #require(whole.events == cut.events && whole.error == cut.error, "\(limit): \(stream.map { $0 })")
            try #require(whole.events.allSatisfy { $0.data.utf8.count <= limit * 3 })
            failures += whole.error == nil ? 0 : 1
        }
        #expect(failures > 40)
    }
}

/// The rules of WHATWG HTML, section 9.2.6, in their own words.
private struct Reference {
    private(set) var events: [ServerSentEvent] = []
    private(set) var lastEventID = ""
    private(set) var retry: TimeInterval?

    init(_ stream: Data) {
        var text = Array(String(decoding: stream, as: UTF8.self).unicodeScalars)
        if text.first == "\u{FEFF}" { text.removeFirst() }
        var (data, type, id) = ("", "", "")
        for line in Self.lines(text) {
            if line.isEmpty {
                lastEventID = id
                if !data.isEmpty {
                    data.unicodeScalars.removeLast()
                    events.append(ServerSentEvent(event: type.isEmpty ? "message" : type, data: data, id: lastEventID))
                }
                (data, type) = ("", "")
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var value = parts.count > 1 ? parts[1] : []
            if value.first == " " { value.removeFirst() }
            let field = String(String.UnicodeScalarView(parts[0]))
            let text = String(String.UnicodeScalarView(value))
            switch field {
            case "event": type = text
            case "data": data += text + "\n"
            case "id": if !value.contains("\0") { id = text }
            case "retry":
                if !value.isEmpty, value.allSatisfy({ ("0"..."9").contains($0) }) { retry = (Double(text) ?? 0) / 1000 }
            default: break
            }
        }
    }

    private static func lines(_ text: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        var lines: [[Unicode.Scalar]] = []
        var line: [Unicode.Scalar] = []
        var index = 0
        while index < text.count {
            if text[index] == "\r" || text[index] == "\n" {
                if text[index] == "\r", index + 1 < text.count, text[index + 1] == "\n" { index += 1 }
                lines.append(line)
                line = []
            } else {
                line.append(text[index])
            }
            index += 1
        }
        return lines
    }
}
