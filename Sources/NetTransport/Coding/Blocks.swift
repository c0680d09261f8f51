#if os(Linux)
    import NetCore

    /// Memory for streamed bodies, which is used again: fresh memory of that size comes from the kernel page by page, which costs more than
    /// receiving the bytes.
    enum Blocks {
        /// Room for the default of `streamBufferBytes` and one more read.
        static let size = 144 * 1024

        /// Enough for two streams with fast readers.
        private static let most = 4
        private static let kept = Locked(Kept())

        private struct Kept: @unchecked Sendable {
            // Unchecked: the blocks in it are free.
            var blocks: [UnsafeMutableRawPointer] = []
        }

        /// Returns a block, or nil if there is no memory.
        static func take() -> UnsafeMutableRawPointer? {
            kept.withLock { $0.blocks.popLast() } ?? malloc(size)
        }

        static func give(_ block: UnsafeMutableRawPointer) {
            let isKept = kept.withLock { kept in
                guard kept.blocks.count < most else { return false }
                kept.blocks.append(block)
                return true
            }
            if !isKept { free(block) }
        }
    }
#endif
