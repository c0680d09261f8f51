/// XXH64 with seed 0 (Yann Collet's `xxhash_spec.md`, version 0.1.1): a checksum about as fast as memory. It tells a torn or damaged file
/// from a whole one, and does not protect against forged files. The files of pending operations carry it and must stay readable, so
/// another checksum would be a second one.
package struct XXHash64 {
    private var lanes = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
    private static let stripe = 32

    package init() {}

    /// Returns the checksum of bytes in one piece.
    package static func hash(_ bytes: some ContiguousBytes) -> UInt64 {
        var hash = XXHash64()
        hash.update(bytes)
        return hash.value
    }

    /// Adds bytes. How they are cut into pieces makes no difference.
    package mutating func update(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { bytes in
            length &+= UInt64(bytes.count)
            pending.take(bytes, blockSize: Self.stripe) { Self.consume($0, into: &lanes) }
        }
    }

    /// Reads whole stripes.
    private static func consume(_ bytes: UnsafeRawBufferPointer, into lanes: inout (UInt64, UInt64, UInt64, UInt64)) {
        var (a, b, c, d) = lanes
        for offset in stride(from: 0, to: bytes.count, by: stripe) {
            a = round(a, word(bytes, offset))
            b = round(b, word(bytes, offset + 8))
            c = round(c, word(bytes, offset + 16))
            d = round(d, word(bytes, offset + 24))
        }
        lanes = (a, b, c, d)
    }

    /// The checksum of the bytes added so far.
    package var value: UInt64 {
        var hash: UInt64
        if length >= UInt64(Self.stripe) {
            let (a, b, c, d) = lanes
            hash = a.rotatedLeft(1) &+ b.rotatedLeft(7) &+ c.rotatedLeft(12) &+ d.rotatedLeft(18)
            for lane in [a, b, c, d] { hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4 }
        } else {
            hash = Self.prime5
        }
        hash &+= length
        pending.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                hash ^= Self.round(0, Self.word(bytes, offset))
                hash = hash.rotatedLeft(27) &* Self.prime1 &+ Self.prime4
                offset += 8
            }
            if offset + 4 <= bytes.count {
                let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                hash ^= UInt64(half) &* Self.prime1
                hash = hash.rotatedLeft(23) &* Self.prime2 &+ Self.prime3
                offset += 4
            }
            for byte in bytes[offset...] {
                hash ^= UInt64(byte) &* Self.prime5
                hash = hash.rotatedLeft(11) &* Self.prime1
            }
        }
        hash = (hash ^ (hash >> 33)) &* Self.prime2
        hash = (hash ^ (hash >> 29)) &* Self.prime3
        return hash ^ (hash >> 32)
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        (lane &+ word &* prime2).rotatedLeft(31) &* prime1
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    /// Passes whole blocks of a stream of bytes to a hash function, and keeps the rest here until more bytes come.
    mutating func take(_ bytes: UnsafeRawBufferPointer, blockSize: Int, _ hash: (UnsafeRawBufferPointer) -> Void) {
        var rest = bytes[...]
        if !isEmpty {
            let taken = rest.prefix(blockSize - count)
            append(contentsOf: taken)
            rest = rest.dropFirst(taken.count)
            guard count == blockSize else { return }
            withUnsafeBytes(hash)
            removeAll(keepingCapacity: true)
        }
        let whole = rest.prefix(rest.count / blockSize * blockSize)
        if !whole.isEmpty { hash(UnsafeRawBufferPointer(rebasing: whole)) }
        append(contentsOf: rest.dropFirst(whole.count))
    }
}

extension UInt64 {
    fileprivate func rotatedLeft(_ count: UInt64) -> UInt64 { self << count | self >> (64 - count) }
}
