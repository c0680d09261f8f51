#if os(Linux)
    import CLibcurl
    import NetCore

    /// Decodes one content coding, a block at a time: however much the input unfolds to, one block is held.
    final class ContentDecoder {
        let coding: nc_coding
        private let decoder: OpaquePointer
        /// The decoder counts in it until it is freed.
        private let memory: DecoderMemory
        private var input = Data()
        private var offset = 0
        private var mayHaveMore = false
        private(set) var hasBegun = false

        /// Why the input cannot be decoded.
        enum Problem: Error {
            case broken
            case largeWindow
            case noMemory
        }

        init(_ coding: nc_coding, memory: DecoderMemory) throws(Problem) {
            guard let budget = memory.budget, let decoder = nc_decoder_make(coding, budget) else { throw .noMemory }
            self.coding = coding
            self.decoder = decoder
            self.memory = memory
        }

        deinit {
            nc_decoder_free(decoder)
        }

        /// Whether the body may end where the input does.
        var isComplete: Bool { nc_decoder_is_complete(decoder) != 0 }
        var hasSurplus: Bool { nc_decoder_has_surplus(decoder) != 0 }

        /// Takes input. To be called when ``next()`` has given nil.
        func feed(_ data: Data) {
            input = data
            offset = 0
            hasBegun = true
        }

        /// The next bytes; nil if there is input wanted.
        func next() throws(Problem) -> Data? {
            while offset < input.count || mayHaveMore {
                guard let block = nc_block_take() else { throw .noMemory }
                var (taken, made) = (0, 0)
                let result = input.withUnsafeBytes { bytes in
                    nc_decode(
                        decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: offset),
                        bytes.count - offset, &taken, block, Int(NC_BLOCK_SIZE), &made)
                }
                offset += taken
                mayHaveMore = made == Int(NC_BLOCK_SIZE)
                if let problem = problem(result) ?? (taken == 0 && made == 0 && offset < input.count ? .broken : nil) {
                    nc_block_give(block)
                    throw problem
                }
                if offset == input.count, !input.isEmpty {
                    input = Data()
                    offset = 0
                }
                if let data = Self.data(block, count: made) { return data }
            }
            return nil
        }

        private func problem(_ result: nc_decoded) -> Problem? {
            switch result {
            case NC_DECODED_OK: nil
            case NC_DECODED_LARGE_WINDOW: .largeWindow
            case NC_DECODED_NO_MEMORY: .noMemory
            default: .broken
            }
        }

        /// A small piece is copied, so that its reader does not hold a whole block.
        private static func data(_ block: UnsafeMutablePointer<UInt8>, count: Int) -> Data? {
            guard count * 3 > Int(NC_BLOCK_SIZE) else {
                defer { nc_block_give(block) }
                return count > 0 ? Data(bytes: block, count: count) : nil
            }
            return Data(
                bytesNoCopy: block, count: count,
                deallocator: .custom { bytes, _ in nc_block_give(bytes.assumingMemoryBound(to: UInt8.self)) })
        }
    }
#endif
