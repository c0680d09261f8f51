import NetCore

/// What `Range` asks for of a content (RFC 9110, section 14.2).
struct RangeRequest {
    /// The parts that are there; empty if none of them is.
    let ranges: [Range<Int>]

    /// More than that is an attack, and gets the whole.
    private static let limit = 16

    /// Nil for what has to be ignored: another unit, or no well-formed set of ranges.
    init?(_ value: String, length: Int) {
        let parts = value.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, String(parts[0]).withoutHTTPWhitespace.equalsIgnoringASCIICase("bytes") else {
            return nil
        }
        let specifications = parts[1].split(separator: ",").map { String($0).withoutHTTPWhitespace }
        guard !specifications.isEmpty, specifications.count <= Self.limit else { return nil }
        var found: [Range<Int>] = []
        for specification in specifications {
            guard let bounds = Self.bounds(specification) else { return nil }
            switch bounds {
            case (let first?, let last):
                if let last, last < first { return nil }
                if first < length {
                    found.append(first..<min(length, (last ?? .max) == .max ? length : (last ?? 0) + 1))
                }
            case (nil, let suffix?):
                if suffix > 0, length > 0 { found.append(max(0, length - suffix)..<length) }
            case (nil, nil):
                return nil
            }
        }
        ranges = found
    }

    /// The numbers before and behind the hyphen. One that is too large for an `Int` stands for the largest.
    private static func bounds(_ text: String) -> (Int?, Int?)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }) else {
            return nil
        }
        let numbers = parts.map { $0.isEmpty ? nil : Int($0) ?? .max }
        return (numbers[0], numbers[1])
    }
}
