import NetTransfer
import TestLab
import Testing

/// WHATWG HTML, sections 9.2.5 and 9.2.6, and what the Web Platform Tests of `EventSource` send.
@Suite struct ServerSentEventParserTests {
    private func events(_ stream: String) throws -> [ServerSentEvent] {
        var parser = ServerSentEvent.Parser()
        return try parser.events([Data(stream.utf8)])
    }

    private func data(_ stream: String) throws -> [String] { try events(stream).map(\.data) }

    @Test func examplesOfTheSpecificationAreParsed() throws {
        let second = "data: This is the second message, it\ndata: has two lines.\n\n"
        let expected = ["This is the first message.", "This is the second message, it\nhas two lines."]
        #expect(try data("data: This is the first message.\n\n" + second) == expected)
        #expect(
            try events("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n") == [
                ServerSentEvent(event: "add", data: "73857293"), ServerSentEvent(event: "remove", data: "2153"),
            ])
        #expect(try data("data: YHOO\ndata: +2\ndata: 10\n\n") == ["YHOO\n+2\n10"])
        #expect(
            try events(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n")
                == [
                    ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
                    ServerSentEvent(data: " third event"),
                ])
        #expect(try data("data\n\ndata\ndata\n\ndata:") == ["", "\n"])
        #expect(try data("data:test\n\ndata: test\n\n") == ["test", "test"])
    }

    @Test func webPlatformTests() throws {
        // format-field-parsing
        #expect(
            try data(
                "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n"
            ) == ["\0\n 2\n1\n3\n\n4"])
        // format-bom, format-bom-2
        #expect(try data("\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n") == ["1", "3"])
        #expect(try data("\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n") == ["2", "3"])
        // format-comments
        let long = String(repeating: "x", count: 2048)
        let comments = "data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:fail\r:\(long)\ndata:4\n\n"
        #expect(try data(comments) == ["1\n2\n3\n4"])
        // format-newlines, format-leading-space, format-null-character, format-utf-8
        #expect(try data("data:test\r\ndata\ndata:test\r\n\r") == ["test\n\ntest"])
        #expect(try data("data:\ttest\rdata: \ndata:test\n\n") == ["\ttest\n\ntest"])
        #expect(try (data("data:\0\n\n\n\n"), data("data:ok…\n\n")) == (["\0"], ["ok…"]))
        // format-data-before-final-empty-line
        #expect(try data("retry:1000\ndata:test1\n\nid:test\ndata:test2") == ["test1"])
        // format-field-event, format-field-event-empty
        let types = try events("event:test\ndata:x\n\nevent:\ndata:x\n\nevent: x\n\ndata:y\n\n").map(\.event)
        #expect(types == ["test", "message", "message"])
    }

    @Test func lastEventIDChangesWithTheBlankLine() throws {
        var parser = ServerSentEvent.Parser(lastEventID: "0")
        #expect(try parser.events(["data:a\n\n"]).map(\.id) == ["0"])
        #expect(try parser.events(["id: 1\n"]).isEmpty && parser.lastEventID == "0", "the event is not complete")
        #expect(try parser.events(["\n"]).isEmpty && parser.lastEventID == "1", "without data, the ID counts")
        let events = try parser.events(["id: 2\0\ndata:b\n\n", "data:c\nid:ü 3\n\n", "id\ndata\n\n"])
        #expect(events.map(\.id) == ["1", "ü 3", ""])
    }

    @Test func retryIsDigitsOnly() throws {
        var parser = ServerSentEvent.Parser()
        for (value, seconds) in [
            ("1500", 1.5), ("1000x", 1.5), ("-1", 1.5), ("1.5", 1.5), ("", 1.5), (" 2", 1.5), ("٣", 1.5), ("0", 0),
        ] {
            _ = try parser.events([Data("retry: \(value)\n".utf8)])
            #expect(parser.reconnectionTime == seconds, "\(value)")
        }
        _ = try parser.events([Data("retry:\(String(repeating: "9", count: 400))\n".utf8)])
        #expect(parser.reconnectionTime == .infinity)
    }

    @Test func limitAppliesToEachEventAndThrowsAfterEarlierEvents() throws {
        for stream in [
            "data:a\n\ndata:12345\ndata:1234\n\n", "data:a\n\ndata:12345678901", "data:a\n\n:1234567890\n\ndata:b\n\n",
        ] {
            var parser = ServerSentEvent.Parser(maximumEventSize: 10 - 1)
            parser.append(Data(stream.utf8))
            #expect(try parser.next()?.data == "a")
            for _ in 0..<2 {
                let error = #expect(throws: NetworkError.self) { while try parser.next() != nil {} }
                #expect(error == .responseTooLarge(limit: 9))
            }
        }
        // Each line is within the limit, their data together is not.
        var whole = ServerSentEvent.Parser(maximumEventSize: 10)
        #expect(throws: NetworkError.responseTooLarge(limit: 10)) { try whole.events(["data:12345\ndata:12345\n\n"]) }
        var parser = ServerSentEvent.Parser(maximumEventSize: 10)
        #expect(try parser.events(["data:12345\ndata:1234\n\n"]).map(\.data) == ["12345\n1234"])
        var many = ServerSentEvent.Parser(maximumEventSize: 9)
        let events = try many.events([String(repeating: "data:1\ndata:2\n\n", count: 10)])
        #expect(events.map(\.data) == Array(repeating: "1\n2", count: 10))
    }

    @Test(arguments: [
        (Data("data: a".utf8) + Data([0xE2, 0x82, 0x0A, 0xFF]) + Data("\ndata:b\n\n".utf8), "a\u{FFFD}\nb"),
        (
            Data("data:a".utf8) + [0xE2, 0x82] + Data("\ndata:".utf8) + [0xAC] + Data("b\n\n".utf8),
            "a\u{FFFD}\n\u{FFFD}b"
        ),
    ]) func invalidUTF8IsReplacedLineByLine(stream: Data, data: String) throws {
        var parser = ServerSentEvent.Parser()
        #expect(try parser.events([stream]).map(\.data) == [data])
    }

    @Test func dataIsDecodedAsJSON() throws {
        #expect(try ServerSentEvent(data: "[1,2]").decode([Int].self) == [1, 2])
        let error = #expect(throws: NetworkError.self) { try ServerSentEvent(data: "{").decode([Int].self) }
        #expect(error?.kind == .decodingFailed)
    }
}

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
        var (data, type, id) = ("", "", "")
        for line in referenceLines(String(decoding: stream, as: UTF8.self)).dropLast() {
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
}

extension ServerSentEvent.Parser {
    mutating func events(_ pieces: [Data]) throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for piece in pieces {
            append(piece)
            while let event = try next() { events.append(event) }
        }
        return events
    }

    mutating func events(_ pieces: [String]) throws -> [ServerSentEvent] { try events(pieces.map { Data($0.utf8) }) }
}
