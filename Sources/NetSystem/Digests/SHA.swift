/// SHA-256 (FIPS 180-4), for cache keys, digests and fingerprints: CryptoKit exists only on Apple platforms. It hashes some hundred
/// megabytes a second, so it is not meant for large files.
package struct SHA256: Sendable {
    /// The eight words of the state. Not a `SIMD8`: in optimised code, an async function that keeps a value with an alignment above 16 bytes
    /// writes past the end of its frame (Swift 6.3; `Scripts/check-frames` finds such functions).
    private struct State {
        var (a, b): (UInt32, UInt32) = (0x6A09_E667, 0xBB67_AE85)
        var (c, d): (UInt32, UInt32) = (0x3C6E_F372, 0xA54F_F53A)
        var (e, f): (UInt32, UInt32) = (0x510E_527F, 0x9B05_688C)
        var (g, h): (UInt32, UInt32) = (0x1F83_D9AB, 0x5BE0_CD19)
    }

    private var state = State()
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0

    private static let blockSize = 64

    /// Creates the digest of no bytes.
    package init() {}

    /// Adds bytes. Their division into calls does not matter.
    package mutating func update(_ data: some DataProtocol) {
        for region in data.regions {
            region.withUnsafeBytes { bytes in
                byteCount &+= UInt64(bytes.count)
                pending.take(bytes, blockSize: Self.blockSize) { Self.compress($0, into: &state) }
            }
        }
    }

    /// Returns the 32 bytes of the digest.
    package consuming func finalize() -> [UInt8] {
        // The rest of the bytes, 0x80, zeros, and the number of bits: one or two blocks.
        let count = pending.count < Self.blockSize - 8 ? Self.blockSize : Self.blockSize * 2
        pending.append(0x80)
        pending.append(contentsOf: repeatElement(0, count: count - 8 - pending.count))
        withUnsafeBytes(of: (byteCount &* 8).bigEndian) { pending.append(contentsOf: $0) }
        pending.withUnsafeBytes { Self.compress($0, into: &state) }
        let words = [state.a, state.b, state.c, state.d, state.e, state.f, state.g, state.h].map(\.bigEndian)
        return words.withUnsafeBytes { [UInt8]($0) }
    }

    /// Returns the 32 bytes of the digest of `data`.
    package static func digest(_ data: some DataProtocol) -> [UInt8] {
        var hash = SHA256()
        hash.update(data)
        return hash.finalize()
    }

    /// Returns the 32 bytes of the digest of a text's UTF-8.
    package static func digest(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { digest($0) }
    }

    /// Returns the digest of `data` as 64 lower-case hexadecimal digits.
    package static func hex(_ data: some DataProtocol) -> String { digest(data).hexadecimal }

    /// Returns the 32 bytes of HMAC-SHA-256 (RFC 2104).
    package static func hmac(_ data: some DataProtocol, key: Data) -> [UInt8] {
        var key = key.count > blockSize ? digest(key) : [UInt8](key)
        key += [UInt8](repeating: 0, count: blockSize - key.count)
        var inner = SHA256()
        inner.update(key.map { $0 ^ 0x36 })
        inner.update(data)
        return digest(key.map { $0 ^ 0x5C } + inner.finalize())
    }

    /// FIPS 180-4, section 6.2.2, for whole blocks of 64 bytes.
    private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout State) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            for start in stride(from: 0, to: blocks.count, by: blockSize) {
                for index in 0..<16 {
                    schedule[index] = UInt32(
                        bigEndian: blocks.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self))
                }
                for index in 16..<64 {
                    let early = schedule[index - 15]
                    let late = schedule[index - 2]
                    let sigma0 = early.rotatedRight(7) ^ early.rotatedRight(18) ^ (early &>> 3)
                    let sigma1 = late.rotatedRight(17) ^ late.rotatedRight(19) ^ (late &>> 10)
                    schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
                }
                var (a, b, c, d) = (state.a, state.b, state.c, state.d)
                var (e, f, g, h) = (state.e, state.f, state.g, state.h)
                for index in 0..<64 {
                    let sum1 = e.rotatedRight(6) ^ e.rotatedRight(11) ^ e.rotatedRight(25)
                    let choice = (e & f) ^ (~e & g)
                    let first = h &+ sum1 &+ choice &+ roundConstants[index] &+ schedule[index]
                    let sum0 = a.rotatedRight(2) ^ a.rotatedRight(13) ^ a.rotatedRight(22)
                    let majority = (a & b) ^ (a & c) ^ (b & c)
                    (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ sum0 &+ majority)
                }
                (state.a, state.b, state.c, state.d) = (state.a &+ a, state.b &+ b, state.c &+ c, state.d &+ d)
                (state.e, state.f, state.g, state.h) = (state.e &+ e, state.f &+ f, state.g &+ g, state.h &+ h)
            }
        }
    }

    private static let roundConstants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

extension UInt32 {
    fileprivate func rotatedRight(_ count: UInt32) -> UInt32 { self &>> count | self &<< (32 - count) }
}

/// SHA-1 (FIPS 180-4), for the WebSocket handshake only: SHA-1 is broken as a secure hash.
package enum SHA1 {
    /// Returns the 20 bytes of the digest.
    package static func digest(_ data: Data) -> [UInt8] {
        var message = [UInt8](data)
        let bits = UInt64(message.count) &* 8
        message.append(0x80)
        message += [UInt8](repeating: 0, count: (120 - message.count % 64) % 64)
        message += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for start in stride(from: 0, to: message.count, by: 64) { compress(message[start..<start + 64], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = [UInt32](repeating: 0, count: 80)
        for index in 0..<16 {
            let start = block.startIndex + 4 * index
            words[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words[index] = word.rotatedRight(31)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (index, word) in words.enumerated() {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            (a, b, c, d, e) = (a.rotatedRight(27) &+ mix &+ e &+ constant &+ word, a, b.rotatedRight(2), c, d)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }
}
