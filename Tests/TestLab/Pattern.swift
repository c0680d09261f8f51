package import Foundation

/// Returns varying bytes, a block of a prime number of them again and again: a byte at a wrong place shows, and a loop over each byte would take
/// long in debug code.
package func pattern(_ count: Int) -> Data {
    var data = Data(capacity: max(0, count))
    while data.count < count { data.append(block.prefix(count - data.count)) }
    return data
}

private let block = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
