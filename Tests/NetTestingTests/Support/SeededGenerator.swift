import Foundation

/// The same numbers in each run (xorshift), so that a failure can be seen again.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// The bytes with one to four of them changed, lost or added.
    mutating func mutate(_ original: Data) -> Data {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.remove(at: index)
            default: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
            }
        }
        return bytes
    }
}
