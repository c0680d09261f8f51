import Foundation
import NetSystem
import Testing

@Suite("XXH64") struct XXHash64Tests {
    /// From the reference implementation, seed 0.
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
            ("The quick brown fox jumps over the lazy dog", 0x0B24_2D36_1FDA_71BC),
        ] as [(String, UInt64)])
    func knownValues(text: String, expected: UInt64) { #expect(XXHash64.hash(Data(text.utf8)) == expected) }

    @Test func piecesMakeNoDifference() {
        let data = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let whole = XXHash64.hash(data)
        for size in [1, 7, 31, 32, 33, 64, 100, 999] {
            var hash = XXHash64()
            for start in stride(from: 0, to: data.count, by: size) { hash.update(data.dropFirst(start).prefix(size)) }
            #expect(hash.value == whole, "pieces of \(size)")
        }
    }

    @Test func everyBitCounts() {
        let data = Data(repeating: 7, count: 75)
        let whole = XXHash64.hash(data)
        for bit in 0..<(75 * 8) {
            var changed = data
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(XXHash64.hash(changed) != whole)
        }
    }
}
