package import NetCore

/// A generator of the same numbers in each run (SplitMix64), so that a failure can be reproduced.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func next(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Returns the bytes after one to four changes, removals or insertions.
    package mutating func mutate(_ original: Data) -> Data {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            guard !bytes.isEmpty else { return bytes }
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.remove(at: index)
            default: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
            }
        }
        return bytes
    }

    /// Returns up to that many of these characters in random order.
    package mutating func text(of alphabet: [Character], upTo count: Int) -> String {
        String((0..<Int.random(in: 0...count, using: &self)).compactMap { _ in alphabet.randomElement(using: &self) })
    }
}
