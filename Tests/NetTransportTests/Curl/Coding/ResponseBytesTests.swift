#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    /// The decoders by themselves, fed in pieces of any size.
    struct ContentDecoderTests {
        private static let text = Data((0..<4_000).map { "line \($0 % 97): \($0 &* 2_654_435_761)\n" }.joined().utf8)

        private func decoder(_ coder: ContentCoder, _ memory: DecoderMemory) throws -> ContentDecoder {
            try ContentDecoder(#require(Decompressor.Format(rawValue: coder.rawValue)), memory: memory)
        }

        private func decode(
            _ data: Data, as coder: ContentCoder, pieces: Int = .max, memory: DecoderMemory = DecoderMemory()
        ) throws -> (data: Data, isComplete: Bool, hasSurplus: Bool, largestBlock: Int) {
            let decoder = try decoder(coder, memory)
            var (decoded, rest, largestBlock) = (Data(), data[...], 0)
            while true {
                if let block = try decoder.next() {
                    decoded += block
                    largestBlock = max(largestBlock, block.count)
                } else {
                    guard !rest.isEmpty else { break }
                    decoder.feed(Data(rest.prefix(pieces)))
                    rest = rest.dropFirst(pieces)
                }
            }
            return (decoded, decoder.isComplete, decoder.hasSurplus, largestBlock)
        }

        @Test(arguments: ContentCoder.allCases, [1, 7, 4096, .max])
        func bodyInPiecesIsDecoded(_ coder: ContentCoder, pieces: Int) throws {
            for data in [Data(), Data("a".utf8), Self.text, Data(count: 1_000_000)] {
                let outcome = try decode(coder.encode(data), as: coder, pieces: pieces)
                #expect(outcome.data == data && outcome.isComplete && !outcome.hasSurplus)
            }
        }

        @Test(arguments: [1, 2, .max]) func rawDeflateIsDecoded(pieces: Int) throws {
            for data in [Data(), Data("a".utf8), Self.text] {
                let outcome = try decode(ContentCoder.rawDeflate(data), as: .deflate, pieces: pieces)
                #expect(outcome.data == data && outcome.isComplete)
            }
        }

        @Test(arguments: [ContentCoder.gzip, .zstd], [1, 3, .max])
        func severalMembersAreOneBody(_ coder: ContentCoder, pieces: Int) throws {
            let members = try [Self.text, Data(), Data("end".utf8)].map(coder.encode)
            let outcome = try decode(Data(members.joined()), as: coder, pieces: pieces)
            #expect(outcome.data == Self.text + Data("end".utf8) && outcome.isComplete && !outcome.hasSurplus)
        }

        @Test(arguments: ContentCoder.allCases, ["x", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "(", "more than a few bytes"])
        func surplusAfterTheEndIsDropped(_ coder: ContentCoder, surplus: String) throws {
            for pieces in [1, .max] {
                let outcome = try decode(coder.encode(Self.text) + Data(surplus.utf8), as: coder, pieces: pieces)
                #expect(outcome.data == Self.text && outcome.isComplete && outcome.hasSurplus)
            }
        }

        @Test(arguments: ContentCoder.allCases) func truncatedBodyIsIncomplete(_ coder: ContentCoder) throws {
            let coded = try coder.encode(Self.text)
            for cut in [1, coded.count / 100, coded.count / 2, coded.count * 99 / 100, coded.count - 1] {
                #expect(try !decode(coded.prefix(cut), as: coder).isComplete, "\(coder) cut at \(cut)")
            }
        }

        /// The last bytes are the check sum and, of gzip, the length.
        @Test(arguments: [(ContentCoder.gzip, 8), (.gzip, 1), (.deflate, 4)])
        func wrongChecksumOrLengthIsMalformed(_ coder: ContentCoder, fromEnd offset: Int) throws {
            var coded = try coder.encode(Self.text)
            coded[coded.endIndex - offset] ^= 1
            #expect(throws: Decompressor.Problem.malformed) { try decode(coded, as: coder) }
        }

        @Test(arguments: ContentCoder.allCases) func bodyInNoCodingIsMalformed(_ coder: ContentCoder) {
            let text = Data("<html>no coding at all, but long enough for every decoder to see it</html>".utf8)
            #expect(throws: Decompressor.Problem.malformed) { try decode(text, as: coder) }
        }

        @Test func largeWindowIsRefused() throws {
            // A frame's header with a window of 16 MiB (RFC 8878, section 3.1.1.1.2).
            let zstd = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 14 << 3, 0, 0])
            #expect(throws: Decompressor.Problem.largeWindow) { try decode(zstd, as: .zstd) }
            // The mark of a large window, which RFC 7932 (section 9.1) reserves.
            #expect(throws: Decompressor.Problem.largeWindow) { try decode(Data([0x11, 0x1E, 0, 0]), as: .brotli) }
            // 8 MiB are allowed.
            _ = try decode(Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 13 << 3, 1, 0, 0]), as: .zstd)
        }

        @Test(arguments: ContentCoder.allCases) func decodedBlocksAreBounded(_ coder: ContentCoder) throws {
            let outcome = try decode(coder.encode(Data(count: 20_000_000)), as: coder)
            #expect(outcome.data.count == 20_000_000 && outcome.largestBlock <= 256 * 1024)
        }

        @Test(arguments: ContentCoder.allCases) func decoderMemoryIsCountedAndReleased(_ coder: ContentCoder) throws {
            let memory = DecoderMemory()
            do {
                let decoder = try self.decoder(coder, memory)
                decoder.feed(try coder.encode(Self.text).prefix(2_000))
                while try decoder.next() != nil {}
                #expect(memory.used > 0)
                withExtendedLifetime(decoder) {}
            }
            #expect(memory.used == 0)
            let (coded, small) = (try coder.encode(Self.text), DecoderMemory(limit: 1_000))
            #expect(throws: Decompressor.Problem.noMemory) { try decode(coded, as: coder, memory: small) }
        }

        @Test func mutatedBytesDoNotTrap() throws {
            var generator = SeededGenerator(state: 16)
            for coder in ContentCoder.allCases {
                let coded = try coder.encode(Self.text.prefix(3_000))
                for _ in 0..<400 {
                    let mutant = generator.mutate(coded)
                    let cut = mutant.prefix(generator.next(below: mutant.count + 1))
                    _ = try? decode(cut, as: coder, pieces: 1 + generator.next(below: 64))
                }
            }
        }
    }

    struct ContentCodingsTests {
        private func names(_ fields: String...) throws -> [String] {
            var headers = HTTPHeaders()
            for field in fields { headers.append(name: "Content-Encoding", value: field) }
            return try ContentCodings.outermostFirst(in: headers, url: nil).map(\.rawValue)
        }

        @Test func lastContentCodingIsDecodedFirst() throws {
            #expect(try names("gzip") == ["gzip"] && names("X-GZIP") == ["gzip"])
            #expect(try names("deflate, gzip", "br") == ["br", "gzip", "deflate"])
            #expect(try names("identity, , zstd") == ["zstd"])
        }

        @Test(arguments: ["aws-chunked", "gzip, compress", "identity", ""])
        func unknownContentCodingDisablesDecoding(_ field: String) throws { #expect(try names(field).isEmpty) }

        @Test func moreThanFiveContentCodingsAreRefused() throws {
            #expect(try names("gzip, gzip, gzip, gzip, gzip").count == 5)
            let error = #expect(throws: TransportError.self) { try names("gzip, gzip, gzip", "gzip, gzip, gzip") }
            #expect(error?.code == .contentDecodingFailed)
        }
    }

    struct ResponseBufferTests {
        /// Sizes at the bounds of what is reserved, and of the blocks of both pools.
        @Test(arguments: [1, 4095, 4097, 32_768, 32_769, 65_536, 65_537, 147_456, 147_457, 1_500_000], [false, true])
        func appendedBytesAreReturnedUnchanged(count: Int, isDeclared: Bool) throws {
            let body = pattern(count)
            for piece in [700, 4096, 65_536, count] {
                var buffer = ResponseBuffer()
                for start in stride(from: 0, to: count, by: piece) {
                    let isAppended = body[start..<min(start + piece, count)].withUnsafeBytes {
                        buffer.append($0, expecting: isDeclared ? Int64(count - start) : nil, streams: false)
                    }
                    try #require(isAppended)
                }
                #expect(buffer.count == count && buffer.take() == body)
                #expect(buffer.count == 0 && buffer.take().isEmpty)
            }
        }

        @Test(arguments: [5000, 65_536, 147_456, 1_000_000], [false, true])
        func bytesReceivedInPlaceAreReturnedUnchanged(count: Int, streams: Bool) {
            let body = pattern(count)
            var received = Data()
            var buffer = ResponseBuffer()
            while received.count + buffer.count < count {
                let done = received.count + buffer.count
                let room = buffer.room(upTo: count - done, expecting: Int64(count - done), streams: streams)
                if room.isEmpty {
                    #expect(streams, "a collected body has room to its end")
                    received += buffer.take()
                    continue
                }
                let part = min(room.count, 10_000)
                body.copyBytes(to: room, from: done..<(done + part))
                buffer.didReceive(part)
            }
            received += buffer.take()
            #expect(received == body)
        }

        /// A block that was used again would change the bytes of the body that still has it.
        @Test func pooledBlockIsNotSharedByBodies() {
            let bodies = (0..<40).map { Data(repeating: UInt8($0), count: 60_000) }
            let taken = bodies.map { body in
                var buffer = ResponseBuffer()
                _ = body.withUnsafeBytes { buffer.append($0, expecting: 60_000, streams: false) }
                return buffer.take()
            }
            #expect(taken == bodies)
        }

        @Test func onlyBodiesOfFittingSizeUsePooledBlocks() {
            #expect(BlockPool.fitting(32_768) == nil && BlockPool.fitting(32_769) === BlockPool.small)
            #expect(BlockPool.fitting(65_536) === BlockPool.small && BlockPool.fitting(65_537) == nil)
            #expect(BlockPool.fitting(73_729) === BlockPool.large && BlockPool.fitting(147_457) == nil)
        }
    }
#endif
