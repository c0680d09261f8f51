import TestLab
import Testing

@testable import NetWebSocket

/// Frames put together to messages, as a client sees them.
struct WebSocketInputTests {
    private func events(_ frames: [WebSocketFrame], limit: Int = 1 << 20) throws -> [WebSocketInput.Event] {
        var input = WebSocketInput(role: .client, maximumMessageSize: limit)
        for frame in frames { input.append(frame.encoded(mask: nil)) }
        var events: [WebSocketInput.Event] = []
        while let event = try input.next() { events.append(event) }
        return events
    }

    private func frame(_ opcode: WebSocketOpcode, _ text: String = "", final: Bool = true) -> WebSocketFrame {
        frame(opcode, Array(text.utf8), final: final)
    }

    private func frame(_ opcode: WebSocketOpcode, _ bytes: some Sequence<UInt8>, final: Bool = true) -> WebSocketFrame {
        WebSocketFrame(isFinal: final, opcode: opcode, payload: Data(bytes))
    }

    private func close(_ bytes: [UInt8]) -> WebSocketFrame { frame(.close, bytes) }

    private func code(_ frames: [WebSocketFrame], limit: Int = 1 << 20) throws -> WebSocketError.Code? {
        #expect(throws: WebSocketError.self) { try events(frames, limit: limit) }?.code
    }

    @Test func joinsFragmentsWithControlFramesBetween() throws {
        let events = try events([
            frame(.text, "on", final: false), frame(.ping, "a"), frame(.continuation, "", final: false),
            frame(.pong, "b"), frame(.continuation, "e"), frame(.binary, "two"), frame(.text),
        ])
        #expect(
            events == [
                .ping(Data("a".utf8)), .pong(Data("b".utf8)), .message(.text("one")),
                .message(.binary(Data("two".utf8))), .message(.text("")),
            ])
    }

    @Test func fragmentsOutOfPlaceAreRefused() throws {
        #expect(try code([frame(.continuation, "x")]) == .protocolViolation)
        #expect(try code([frame(.text, "a", final: false), frame(.text, "b")]) == .protocolViolation)
        #expect(try code([frame(.text, "a"), frame(.continuation, "b")]) == .protocolViolation)
        let surplus = [frame(.binary, "a", final: false), frame(.continuation, "b"), frame(.continuation, "c")]
        #expect(try code(surplus) == .protocolViolation)
    }

    @Test func textHasToBeUTF8OverAllFragments() throws {
        let euro: [UInt8] = Array("€".utf8)
        let whole = try events([
            frame(.text, euro[..<1], final: false), frame(.continuation, euro[1..<2], final: false),
            frame(.continuation, euro[2...]),
        ])
        #expect(whole == [.message(.text("€"))])
        #expect(try code([frame(.text, euro[..<2], final: false), frame(.continuation, "x")]) == .invalidText)
        #expect(try code([frame(.text, euro[..<2])]) == .invalidText)
        // Before its last fragment has come.
        #expect(try code([frame(.text, [0xC0], final: false)]) == .invalidText)
        // Bytes may be anything, and what one message ends with is nothing to the next.
        #expect(try events([frame(.binary, [0xC0]), frame(.text, "a")]).count == 2)
    }

    @Test func limitAppliesToTheWholeMessage() throws {
        let part = frame(.binary, "12345", final: false)
        #expect(try events([part, frame(.continuation, "67890"), frame(.binary, "1234567890")], limit: 10).count == 2)
        #expect(try code([part, frame(.continuation, "678901")], limit: 10) == .messageTooLarge)
        #expect(try code([frame(.text, "x")], limit: 0) == .messageTooLarge)
        // Control frames do not count.
        #expect(try events([frame(.ping, "12345678901234")], limit: 1).count == 1)
    }

    @Test func readsCloseFrames() throws {
        #expect(try events([close([])]) == [.close(WebSocket.Closure(code: .noStatusReceived))])
        #expect(try events([close([0x03, 0xE8])]) == [.close(WebSocket.Closure(code: .normalClosure))])
        let closure = WebSocket.Closure(code: WebSocket.CloseCode(rawValue: 4000), reason: "Ende")
        #expect(try events([close([0x0F, 0xA0] + Array("Ende".utf8)), frame(.text, "late")]) == [.close(closure)])
        #expect(try (code([close([0x03])]), code([close([0x03, 0xE8, 0xFF])])) == (.protocolViolation, .invalidText))
    }

    @Test func closeCodesThatMustNotBeSentAreRefused() throws {
        func closing(_ code: UInt16) -> WebSocketFrame { close([UInt8(code >> 8), UInt8(code & 0xFF)]) }
        for number: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65535] {
            #expect(try code([closing(number)]) == .protocolViolation, "\(number)")
        }
        for code: UInt16 in [1000, 1003, 1007, 1011, 1014, 3000, 4999] {
            #expect(try events([closing(code)]).count == 1, "\(code)")
        }
    }

    @Test func writesCloseFramesThatFit() {
        #expect([UInt8](WebSocket.Closure(code: .goingAway, reason: "é").payload) == [0x03, 0xE9, 0xC3, 0xA9])
        #expect([UInt8](WebSocket.Closure(code: .abnormalClosure).payload) == [0x03, 0xE8])
        #expect(WebSocket.Closure(code: .noStatusReceived, reason: "x").payload.isEmpty)
        let long = WebSocket.Closure(code: .normalClosure, reason: String(repeating: "é", count: 100)).payload
        #expect(long.count == 124)
        #expect(String(data: long.dropFirst(2), encoding: .utf8) == String(repeating: "é", count: 61))
    }

    /// Garbage and damaged streams end in messages or in a typed error; nothing else.
    @Test func damagedStreamEndsInATypedError() throws {
        let sound = [
            frame(.text, "Grüße", final: false), frame(.ping, "p"), frame(.continuation, " und so weiter"),
            frame(.binary, String(repeating: "b", count: 300)), close([0x03, 0xE8, 0x61]),
        ].reduce(into: Data()) { $1.append(to: &$0, mask: nil) }
        var outcomes: Set<String> = []
        for seed in 1...6_000 as ClosedRange<UInt64> {
            var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
            let size = seed.isMultiple(of: 3) ? Int.random(in: 0...60, using: &random) : nil
            let noise = size.map { random.bytes($0) }
            let bytes = noise ?? random.mutate(sound)
            var input = WebSocketInput(role: seed.isMultiple(of: 2) ? .client : .server, maximumMessageSize: 320)
            var rest = bytes[...]
            do {
                while !rest.isEmpty {
                    let count = Int.random(in: 1...20, using: &random)
                    input.append(rest.prefix(count))
                    rest = rest.dropFirst(count)
                    while try input.next() != nil {}
                }
                outcomes.insert("none")
            } catch { outcomes.insert(error.code.rawValue) }
        }
        #expect(outcomes == ["none", "protocol_violation", "invalid_text", "message_too_large"])
    }

    // MARK: UTF-8 in pieces

    private func isValid(_ pieces: [[UInt8]]) -> Bool {
        var check = UTF8Check()
        return pieces.allSatisfy { piece in piece.withUnsafeBytes { check.accept($0) } } && check.isComplete
    }

    static let malformedUTF8: [[UInt8]] = [
        [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF0, 0x9F, 0x98], [0xFF], [0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0xC3, 0x28],
    ]

    @Test(arguments: malformedUTF8) func refusesMalformedUTF8(_ bytes: [UInt8]) {
        #expect(!isValid([bytes]) && !isValid(bytes.map { [$0] }))
    }

    static let validTexts = [
        "", "plain ASCII that is longer than eight", "é", "€", "한국어", "😀", "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
    ]

    @Test(arguments: validTexts) func acceptsUTF8CutAnywhere(_ text: String) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count { #expect(isValid([Array(bytes[..<cut]), Array(bytes[cut...])])) }
    }

    /// The same result as the standard library's, for random bytes of the values that matter.
    @Test func utf8CheckAgreesWithTheStandardLibrary() throws {
        var random = SeededGenerator(state: 99)
        let bytes: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
        ]
        var verdicts: [Bool: Int] = [:]
        for _ in 0..<50_000 {
            let sample = (0..<Int.random(in: 1...4, using: &random)).map { _ in bytes.randomElement(using: &random)! }
            let expected = String(bytes: sample, encoding: .utf8) != nil
            verdicts[expected, default: 0] += 1
            try #require(isValid([sample]) == expected, "\(sample) should be \(expected)")
        }
        #expect(verdicts.values.allSatisfy { $0 > 1000 })
    }
}
