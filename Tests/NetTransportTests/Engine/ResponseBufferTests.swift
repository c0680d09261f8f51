#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

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
