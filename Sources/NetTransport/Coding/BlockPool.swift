#if os(Linux)
    import NetCore

    /// Memory for bodies, which is used again: fresh memory of that size comes from the kernel page by page, which costs more than receiving
    /// the bytes.
    final class BlockPool: Sendable {
        /// For streamed bodies: room for the default of `streamBufferBytes` and one more read. Two streams with fast readers use four blocks.
        static let large = BlockPool(size: 144 * 1024, most: 4)
        /// For collected bodies.
        static let small = BlockPool(size: 64 * 1024, most: 16)

        /// The size of each block, in bytes.
        let size: Int
        private let most: Int
        /// The free blocks.
        private let kept = Locked<[UnsafeMutableRawPointer]>([])

        /// - Parameter most: the number of free blocks that are kept.
        private init(size: Int, most: Int) { (self.size, self.most) = (size, most) }

        /// Returns the pool whose blocks hold so many bytes and are at least half full with them; nil if there is none.
        static func fitting(_ count: Int) -> BlockPool? {
            [small, large].first { $0.size / 2 < count && count <= $0.size }
        }

        /// Returns a block, or nil if there is no memory.
        func take() -> UnsafeMutableRawPointer? { kept.withLock { $0.popLast() } ?? malloc(size) }

        func give(_ block: UnsafeMutableRawPointer) {
            let isKept = kept.withLock { kept in
                guard kept.count < most else { return false }
                kept.append(block)
                return true
            }
            if !isKept { free(block) }
        }

        /// Returns bytes at the start of a block without a copy. The block comes back when they are no longer used.
        func data(_ block: UnsafeMutableRawPointer, count: Int) -> Data {
            Data(bytesNoCopy: block, count: count, deallocator: .custom { [self] bytes, _ in give(bytes) })
        }
    }
#endif
