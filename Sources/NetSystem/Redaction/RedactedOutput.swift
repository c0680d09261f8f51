/// The ranges of a text that are replaced by the mark.
struct RedactedOutput {
    private let source: UnsafeBufferPointer<UInt8>
    private let mark: StaticString
    private var ranges: [Range<Int>] = []
    private var hiddenCount = 0

    /// - Parameter mark: the replacement, in ASCII.
    init(_ source: UnsafeBufferPointer<UInt8>, mark: StaticString) {
        self.source = source
        self.mark = mark
    }

    var isEmpty: Bool { ranges.isEmpty }

    /// Replaces a range. Ranges come in order, and do not overlap.
    @inline(__always)
    mutating func replace(_ range: Range<Int>) {
        if ranges.isEmpty { ranges.reserveCapacity(4 + source.count / 32) }
        ranges.append(range)
        hiddenCount += range.count
    }

    /// Returns the text with the mark in place of each range, up to a position.
    func data(upTo end: Int? = nil) -> Data {
        let end = end ?? source.count
        let size = end - hiddenCount + ranges.count * mark.utf8CodeUnitCount
        guard let start = source.baseAddress, size > 0, let buffer = malloc(size) else { return Data() }
        var place = buffer
        func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
            memcpy(place, bytes, length)
            place += length
        }
        var copied = 0
        for range in ranges {
            append(start + copied, range.lowerBound - copied)
            append(mark.utf8Start, mark.utf8CodeUnitCount)
            copied = range.upperBound
        }
        append(start + copied, end - copied)
        return Data(bytesNoCopy: buffer, count: size, deallocator: .free)
    }
}
