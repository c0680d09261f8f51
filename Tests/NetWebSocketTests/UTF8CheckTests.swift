import TestLab
import Testing

@testable import NetWebSocket

struct UTF8CheckTests {
    private func isValid(_ pieces: [[UInt8]]) -> Bool {
        var check = UTF8Check()
        return pieces.allSatisfy { piece in piece.withUnsafeBytes { check.accept($0) } } && check.isComplete
    }

    static let invalid: [[UInt8]] = [
        [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF0, 0x9F, 0x98], [0xFF], [0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0xC3, 0x28],
    ]

    @Test(arguments: invalid) func refusesMalformedUTF8(_ bytes: [UInt8]) {
        #expect(!isValid([bytes]) && !isValid(bytes.map { [$0] }))
    }

    static let valid = [
        "", "plain ASCII that is longer than eight", "é", "€", "한국어", "😀", "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
    ]

    @Test(arguments: valid) func acceptsUTF8CutAnywhere(_ text: String) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count { #expect(isValid([Array(bytes[..<cut]), Array(bytes[cut...])])) }
    }

    /// The same result as the standard library's, for random bytes of the values that matter.
    @Test func agreesWithTheStandardLibrary() throws {
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
