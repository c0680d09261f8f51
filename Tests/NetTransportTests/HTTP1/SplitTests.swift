#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    /// However the bytes are split, the steps are the same.
    @Suite struct SplitTests {
        static let messages = [
            "\r\n\nHTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcdeHTTP/1.1",
            "HTTP/1.1 100 \r\n\r\nHTTP/1.1 103\nLink: a\r\n b\n\n"
                + "HTTP/1.0 200\nContent-Encoding:\n gzip\nContent-Type: text/plain; a=b\n\nbody",
            "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3 ;x=\"y\"\r\nabc\r\n00a\r\n0123456789\r\n0\r\nA: b\r\n c\r\nDigest:d\r\n\r\nx",
            "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 101 \r\nUpgrade: x\r\n\r\nabc",
            "HTTP/1.1 204 No\r\nDate: today\r\nContent-Length: 2\r\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nAbc : b\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\n",
            "\u{15}\u{03}\u{03}\0\u{02}", "\r\n\r\r", "\n\n\nHTTP", "HTTP/1.1 200 O\0K", "HTTP/1.1 777 X\r\n", "HTTP/3",
            "\u{16}x", "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
            "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n :\r\n",
            "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "HTTP/1.1 200\r\nAAAAAAAAAAAA: aaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n\r\n",
        ]
        static let limits = HTTP1Limits(headBytes: 130, fieldCount: 20, chunkLineBytes: 30, interimResponses: 3)

        @Test(arguments: messages, [false, true]) func splitAtEveryByteGivesTheSameSteps(_ text: String, isHead: Bool) {
            let bytes = latin1(text)
            let whole = outcome(bytes, isHead: isHead, pieces: [bytes.count])
            #expect(!whole.events.isEmpty)
            for first in 0...bytes.count {
                #expect(outcome(bytes, isHead: isHead, pieces: [first, bytes.count - first]) == whole)
            }
            #expect(outcome(bytes, isHead: isHead, pieces: bytes.map { _ in 1 }) == whole)
            for size in 2..<20 {
                let pieces = stride(from: 0, to: bytes.count, by: size).map { min(size, bytes.count - $0) }
                #expect(outcome(bytes, isHead: isHead, pieces: pieces) == whole)
            }
        }

        private func outcome(_ bytes: [UInt8], isHead: Bool, pieces: [Int]) -> FeedOutcome {
            FeedOutcome(bytes, isHead: isHead, limits: Self.limits, pieces: pieces)
        }

        /// A head that arrives byte by byte is not scanned again: each byte that was passed is replaced by a NUL, which would
        /// be refused if it was examined again.
        @Test func scannedBytesAreNotScannedAgain() throws {
            let line = "A: " + String(repeating: "v", count: 5000) + "\r\n"
            let name = String(repeating: "n", count: 5000) + ": x\r\n"
            let fold = "B: x\r\n " + String(repeating: "f", count: 5000) + "\r\n"
            let head = latin1(
                "HTTP/1.1 200 " + String(repeating: "p", count: 5000) + "\r\n" + line + name + fold + "X: y\r\n\r\n")
            var parser = HTTP1ResponseParser(isHead: false, limits: HTTP1Limits())
            var bytes: [UInt8] = []
            for (index, byte) in head.enumerated() {
                bytes.append(byte)
                let (step, consumed) = try next(&parser, bytes)
                if index < head.count - 1 {
                    #expect(step == .needMore && consumed == 0)
                    // The status line's first 13 bytes and a CR are examined again, as documented.
                    if index > 13, byte != 0x0D { bytes[index] = 0 }
                } else {
                    guard case .head(let found) = step else { throw LabError("no head") }
                    #expect(found.bytes == 0..<head.count)
                }
            }
        }

        /// For a megabyte in chunks of one byte: each call consumes all that it examines.
        @Test func chunksAreConsumedAtOnce() throws {
            var parser = HTTP1ResponseParser(isHead: false, limits: HTTP1Limits())
            _ = try next(&parser, latin1("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"))
            var body = 0
            for byte in Array(repeating: latin1("1;x\r\na\r\n"), count: 1 << 17).joined() {
                let (step, consumed) = try next(&parser, [byte])
                #expect(consumed == 1)
                if case .body(let range) = step { body += range.count }
            }
            #expect(body == 1 << 17)
        }

        /// Generated responses byte by byte, at random, and some of them at every byte.
        @Test func splitGeneratedResponsesGiveTheSameEvents() {
            var random = SeededGenerator(state: 7)
            for (index, response) in DifferentialTests.responses.enumerated() {
                let count = response.bytes.count
                let whole = FeedOutcome(response.bytes, isHead: response.isHead, pieces: [count])
                var splits = [Array(repeating: 1, count: count), [], []]
                for split in 1...2 {
                    var left = count
                    while left > 0 {
                        splits[split].append(min(left, 1 + random.next(below: 40)))
                        left -= splits[split].last ?? 0
                    }
                }
                if index < Volume.pick(quick: 100, full: 4000) { splits += (0...count).map { [$0, count - $0] } }
                for pieces in splits {
                    let outcome = FeedOutcome(response.bytes, isHead: response.isHead, pieces: pieces)
                    #expect(outcome == whole, "\(response) in \(pieces)")
                    // There may be thousands.
                    guard outcome == whole else { return }
                }
            }
        }
    }
#endif
