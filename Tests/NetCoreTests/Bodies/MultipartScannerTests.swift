import NetCore
import TestLab
import Testing

@Suite struct MultipartScannerTests {
    struct Part: Equatable {
        var headers: [String]
        var content: Data
        init(_ headers: [String], _ content: String = "") {
            self.headers = headers
            self.content = Data(content.utf8)
        }
    }

    static func parts(_ pieces: [Data], boundary: String = "b", headerLimit: Int = 1000) throws -> [Part] {
        var scanner = try #require(MultipartScanner(boundary: boundary, headerLimit: headerLimit))
        var parts: [Part] = []
        var isAtEnd = false
        func take() throws {
            while !isAtEnd, let event = try scanner.next() {
                switch event {
                case .part(let fields): parts.append(Part(fields.map { "\($0.name):\($0.value)" }))
                case .content(let content):
                    #expect(!content.isEmpty)
                    parts[parts.count - 1].content += content
                case .end: isAtEnd = true
                }
            }
        }
        for piece in pieces {
            scanner.append(piece)
            try take()
        }
        scanner.finish()
        try take()
        #expect(isAtEnd)
        return parts
    }

    static let samples: [(text: String, parts: [Part])] = [
        ("--b--", []), ("--b\r\nA: 1\r\nB:2\r\n\r\nx\r\n--b--\r\n", [Part(["A:1", "B:2"], "x")]),
        ("preamble\r\n--b \t\r\n\r\n\r\n--b\r\n\r\n\r\n\r\n--b--epilogue\r\n--b\r\n", [Part([]), Part([], "\r\n")]),
        ("\r\n--b\r\nA: 1\r\n 2\r\n\r\n--b\r\n\r\n--b--", [Part(["A:1 2"]), Part([])]),
        // Lines that only look like delimiters.
        (
            "--bb\r\n--b\r\n\r\n--bb\r\n--b-\r\n --b--\r\n\n--b--\r\r\n--b--",
            [Part([], "--bb\r\n--b-\r\n --b--\r\n\n--b--\r")]
        ),
        ("--b\r\n\r\n\r\r\n\r\n--\r\n--\r\n\r\n--b--", [Part([], "\r\r\n\r\n--\r\n--\r\n")]),
        // Bodies of mail programs, with LF alone.
        ("x\n--b\nA: 1\n\nx\r\n--b\n\n\n--b\n\n--b--\n", [Part(["A:1"], "x\r"), Part([]), Part([])]),
        ("--b\nA: 1\r\n\r\n--b--", [Part(["A:1"])]),
    ]

    @Test(arguments: samples.indices) func partsDoNotDependOnThePieces(_ index: Int) throws {
        let (text, expected) = Self.samples[index]
        let data = Data(text.utf8)
        #expect(try Self.parts([data]) == expected)
        for split in 1..<data.count {
            #expect(try Self.parts([data.prefix(split), data.dropFirst(split)]) == expected, "split at \(split)")
        }
        #expect(try Self.parts(data.map { Data([$0]) }) == expected)
    }

    @Test(arguments: [
        "", "--b", "--b-", "x", "--b\r\n", "--b\r\nA: 1\r\n", "--b\r\n\r\nx", "--b\r\n\r\nx\r\n--b",
        "--b\r\n\r\nx\r\n--b\r", "--b\r\n\r\nx\n--b--",
    ]) func truncatedBodies(_ text: String) throws {
        for pieces in [[Data(text.utf8)], Data(text.utf8).map { Data([$0]) }] {
            #expect(throws: MultipartScanner.Problem.truncated) { try Self.parts(pieces) }
        }
    }

    @Test(arguments: ["--b x\r\n", "--b\rx", "--b\r\nA: 1\r\n--b--\r\n", "--b\r\nA: 1\r\n--b\r\n\r\n"])
    func malformedBodies(_ text: String) throws {
        #expect(throws: MultipartScanner.Problem.malformed) { try Self.parts([Data(text.utf8)]) }
    }

    @Test func headerLimitAndInvalidBoundaries() throws {
        for fields in ["A: 1\r\n", "AAAAAA", "A"] {
            let text = Data("--b\r\n\(String(repeating: fields, count: 40))\r\n\r\n\r\n--b--".utf8)
            for pieces in [[text], text.map { Data([$0]) }] {
                #expect(throws: MultipartScanner.Problem.headerTooLarge) { try Self.parts(pieces, headerLimit: 30) }
            }
        }
        for boundary in ["", "a\nb", String(repeating: "a", count: 257)] {
            #expect(MultipartScanner(boundary: boundary, headerLimit: 1) == nil)
        }
    }

    @Test func boundaryOfAContentType() {
        #expect(MultipartScanner.boundary(in: "Multipart/Mixed; charset=x; BOUNDARY=\"a b;\\\"\"") == "a b;\"")
        #expect(MultipartScanner.boundary(in: "multipart/mixed") == nil)
        #expect(MultipartScanner.boundary(in: "text/plain; boundary=a") == nil)
    }

    /// Content that resembles delimiters, in pieces of any size.
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func randomBodies(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        for _ in 0..<200 {
            var body = Data("--bound\r\n".utf8)
            var expected: [Part] = []
            for index in 0..<random.next(below: 5) {
                // Never the whole boundary.
                let parts = ["\r\n", "-", "--", "boun", "\n", "\r", "é", "\r\n--boun"]
                let content = (0..<random.next(below: 12)).map { _ in parts[random.next(below: 8)] }.joined()
                body += Data("\(index == 0 ? "" : "\r\n--bound\r\n")X: \(index)\r\n\r\n\(content)".utf8)
                expected.append(Part(["X:\(index)"], content))
            }
            if expected.isEmpty { body = Data("--bound--".utf8) } else { body += Data("\r\n--bound--".utf8) }
            var pieces: [Data] = []
            while !body.isEmpty {
                pieces.append(body.prefix(1 + random.next(below: 9)))
                body.removeFirst(pieces[pieces.count - 1].count)
            }
            #expect(try Self.parts(pieces, boundary: "bound") == expected)
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func damagedBodiesNeverTrapAndDoNotDependOnPieces(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        for _ in 0..<500 {
            let sample = Self.samples[random.next(below: Self.samples.count)]
            let body = random.mutate(Data(sample.text.utf8))
            let whole = Result { try Self.parts([body], headerLimit: 20) }
            let split = Result { try Self.parts(body.map { Data([$0]) }, headerLimit: 20) }
            switch (whole, split) {
            case (.success(let whole), .success(let split)): #expect(whole == split)
            case (.failure(let whole as MultipartScanner.Problem), .failure(let split as MultipartScanner.Problem)):
                #expect(whole == split)
            default: Issue.record("\(whole) is not \(split)")
            }
        }
    }
}
