#if os(Linux)
    import NetCore

    /// The bytes of a response's body that were received and not handed over yet.
    ///
    /// Bytes whose number is known in advance are received where they stay.
    struct ResponseBuffer: ~Copyable {
        private var memory: UnsafeMutableRawPointer?
        private(set) var count = 0
        private var capacity = 0
        /// Where the memory goes back to; nil if it is `malloc`'s.
        private var pool: BlockPool?

        static let blockSize = BlockPool.large.size
        private static let smallest = 4096
        /// A declared length is reserved up to a limit only, since the server may not send as much.
        private static let largestReserved: Int64 = 1 << 20

        init() {}

        deinit {
            Self.free(memory, pool)
        }

        /// Appends a copy. Returns false if there is no memory.
        mutating func append(_ bytes: UnsafeRawBufferPointer, expecting rest: Int64?, streams: Bool) -> Bool {
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
            guard reserve(count + bytes.count, expecting: rest, streams: streams), let memory else { return false }
            (memory + count).copyMemory(from: start, byteCount: bytes.count)
            count += bytes.count
            return true
        }

        /// Room for bytes that are received directly, at most `limit`; empty if there is no memory.
        ///
        /// - Parameter rest: the bytes of the body that are still to come.
        mutating func room(upTo limit: Int, expecting rest: Int64, streams: Bool) -> UnsafeMutableRawBufferPointer {
            if count == capacity {
                let wanted = streams ? min(Self.blockSize, count + limit) : count + min(limit, Self.smallest)
                guard wanted > count, reserve(wanted, expecting: rest, streams: streams) else {
                    return UnsafeMutableRawBufferPointer(start: nil, count: 0)
                }
            }
            return UnsafeMutableRawBufferPointer(
                start: memory.map { $0 + count }, count: max(0, min(limit, capacity - count)))
        }

        /// Counts bytes that were received into ``room(upTo:expecting:streams:)``.
        mutating func didReceive(_ received: Int) {
            count += received
        }

        private mutating func reserve(_ needed: Int, expecting rest: Int64?, streams: Bool) -> Bool {
            guard needed > capacity else { return true }
            var larger = max(capacity * 2, needed)
            if capacity == 0, let rest, rest > 0 {
                larger = max(needed, count + Int(min(rest, Self.largestReserved)))
            } else if let rest, Int64(larger) > Int64(count) + rest, Int64(count) + rest >= Int64(needed) {
                larger = count + Int(rest)
            }
            let isLargeBlock = streams && needed > Self.smallest && needed <= Self.blockSize
            let blocks = isLargeBlock ? .large : streams ? nil : BlockPool.fitting(larger)
            if let blocks { larger = blocks.size }
            if blocks == nil, pool == nil {
                guard let moved = realloc(memory, larger) else { return false }
                (memory, capacity) = (moved, larger)
                return true
            }
            guard let moved = blocks.map({ $0.take() }) ?? malloc(larger) else { return false }
            if let memory { moved.copyMemory(from: memory, byteCount: count) }
            Self.free(memory, pool)
            (memory, capacity, pool) = (moved, larger, blocks)
            return true
        }

        /// Hands the bytes over, without a copy.
        mutating func take() -> Data {
            let (memory, count, capacity, pool) = (memory, count, capacity, pool)
            (self.memory, self.count, self.capacity, self.pool) = (nil, 0, 0, nil)
            guard let memory, count > 0 else {
                Self.free(memory, pool)
                return Data()
            }
            if let pool { return pool.data(memory, count: count) }
            let fits = capacity < Self.smallest || count * 2 > capacity
            return Data(
                bytesNoCopy: fits ? memory : realloc(memory, count) ?? memory, count: count, deallocator: .free)
        }

        private static func free(_ memory: UnsafeMutableRawPointer?, _ pool: BlockPool?) {
            guard let memory else { return }
            if let pool { pool.give(memory) } else { Foundation.free(memory) }
        }
    }
#endif
