import TestLab
import Testing

@testable import NetTransfer

@Suite struct LineScannerTests {
    private func lines(_ pieces: [Data], limit: Int = .max) throws -> [String] {
        var scanner = ChunkScanner(LineCursor(limit: limit))
        return try scanner.items(of: pieces).map { String(decoding: $0, as: UTF8.self) }
    }

    private func lines(_ pieces: String..., limit: Int = .max) throws -> [String] {
        try lines(pieces.map { Data($0.utf8) }, limit: limit)
    }

    @Test func crLFAndCRLFAlsoInTwoChunksEndALine() throws {
        #expect(try (lines("a\nb\r\nc\rd\n\re\r\r\n\n"), lines("")) == (["a", "b", "c", "d", "", "e", "", ""], []))
        #expect(try (lines("\n"), lines("a"), lines("a\n", "b")) == ([""], ["a"], ["a", "b"]))
        #expect(try (lines("a\r", "\nb"), lines("a\r", "", "\n", "\n")) == (["a", "b"], ["a", ""]))
        #expect(try lines("a\r", "b\r") == ["a", "b"])
    }

    @Test func byteOrderMarkIsRemovedOnlyAtTheStart() throws {
        let pieces = [Data([0xEF]), Data([0xBB]), Data([0xBF, 0x61, 0x0A, 0xEF, 0xBB, 0xBF, 0x0A])]
        #expect(try lines(pieces) == ["a", "\u{FEFF}"])
        #expect(try (lines("\u{FEFF}\u{FEFF}a"), lines("\u{FEFF}")) == (["\u{FEFF}a"], []))
    }

    @Test func lineOverTheLimitThrowsAfterEarlierLines() throws {
        #expect(try lines("abc\nde\r\nfgh", limit: 3) == ["abc", "de", "fgh"])
        for pieces in [["ab\nabcd\n"], ["ab\nab", "cd"], ["ab\n", "a", "b", "c", "d"]] {
            var scanner = ChunkScanner(LineCursor(limit: 3))
            var count = 0
            #expect(throws: NetworkError.responseTooLarge(limit: 3)) {
                for piece in pieces {
                    scanner.append(Data(piece.utf8))
                    while try scanner.first({ _ in true }) != nil { count += 1 }
                }
            }
            #expect(count == 1)
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func anySplitGivesTheSameLines(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        for _ in 0..<500 {
            let text = random.text(of: ["a", "b", "\n", "\r", "\r\n", "é", "\u{FEFF}"], upTo: 40)
            try #require(
                try lines(random.pieces(of: Data(text.utf8))) == Self.reference(text), "\(text.debugDescription)")
        }
    }

    /// Foundation's lines, which have the same three ends, in texts without any other.
    private static func reference(_ text: String) -> [String] {
        let unified = text.unicodeScalars.reduce(into: [Unicode.Scalar]()) { result, scalar in
            if scalar == "\n", result.last == "\u{E000}" {
                result[result.count - 1] = "\n"
            } else {
                result.append(scalar == "\r" ? "\u{E000}" : scalar)
            }
        }
        var whole = String(String.UnicodeScalarView(unified.map { $0 == "\u{E000}" ? "\n" : $0 }))
        if whole.unicodeScalars.first == "\u{FEFF}" { whole.unicodeScalars.removeFirst() }
        var lines = whole.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

extension SeededGenerator {
    /// The bytes in pieces of any size, none at all among them.
    mutating func pieces(of data: Data) -> [Data] {
        var pieces: [Data] = []
        var rest = data[...]
        while !rest.isEmpty {
            let size = Int.random(in: 0...Swift.min(rest.count, Bool.random(using: &self) ? 3 : 64), using: &self)
            pieces.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

extension ChunkScanner {
    /// The items of pieces, as the readers take them.
    mutating func items(of pieces: [Data]) throws -> [Data] {
        var items: [Data] = []
        for piece in pieces.map(Optional.some) + [nil] {
            if let piece { append(piece) } else { isFinished = true }
            while let item = try first({ Data($0) }) { items.append(item) }
        }
        return items
    }
}
