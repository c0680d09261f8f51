package import Foundation

/// Returns varying bytes.
package func pattern(_ count: Int) -> Data {
    var data = Data(count: count)
    data.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }
    }
    return data
}
