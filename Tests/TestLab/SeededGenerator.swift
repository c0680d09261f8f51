package import NetCore

/// A generator of the same numbers in each run (xorshift), so that a failure can be reproduced.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter state: any number. Zero becomes one, since xorshift never leaves zero.
    package init(state: UInt64) { self.state = state == 0 ? 1 : state }

    package mutating func next() -> UInt64 {
        state ^= state &<< 13
        state ^= state &>> 7
        state ^= state &<< 17
        return state
    }

    package mutating func next(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Returns that many bytes.
    package mutating func bytes(_ count: Int) -> Data {
        var words = [UInt64](repeating: 0, count: count / 8 + 1)
        for index in words.indices { words[index] = next() }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }

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

/// Returns varying bytes, a block of a prime number of them again and again: a byte at a wrong place shows, and a loop over each byte would take
/// long in debug code.
package func pattern(_ count: Int) -> Data {
    var data = Data(capacity: max(0, count))
    while data.count < count { data.append(block.prefix(count - data.count)) }
    return data
}

private let block = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
