public import NetCore

/// How durations are distributed: percentiles that are right to 5 %, in memory that does not grow.
///
/// It counts in classes, each 5 % longer than the one before, from a microsecond to about three hours.
public struct DurationHistogram: Sendable, Hashable {
    private static let shortest: TimeInterval = 1e-6
    private static let ratio: Double = 1.05
    private static let classCount = 480

    private var counts: [Int]
    /// How many there are.
    public private(set) var count = 0
    /// Their sum, in seconds.
    public private(set) var sum: TimeInterval = 0
    /// The longest, in seconds; zero if there is none.
    public private(set) var maximum: TimeInterval = 0

    /// None yet.
    public init() {
        counts = []
    }

    /// Counts one, in seconds. What is negative or no number counts as zero.
    public mutating func add(_ duration: TimeInterval) {
        let duration = duration > 0 ? min(duration, Self.longest) : 0
        // Made when it is needed: most hosts never see a TLS handshake.
        if counts.isEmpty { counts = [Int](repeating: 0, count: Self.classCount) }
        counts[Self.index(of: duration)] += 1
        count += 1
        sum += duration
        maximum = max(maximum, duration)
    }

    /// The mean, in seconds; nil if there is none.
    public var mean: TimeInterval? { count == 0 ? nil : sum / Double(count) }

    /// The duration in seconds that so large a part of all does not exceed; nil if there is none.
    ///
    /// - Parameter fraction: from 0 to 1: 0.5 for the median, 0.99 for all but the slowest hundredth.
    public func percentile(_ fraction: Double) -> TimeInterval? {
        guard count > 0, !fraction.isNaN else { return nil }
        let rank = max(1, (Double(count) * min(max(fraction, 0), 1)).rounded(.up))
        var seen = 0
        for (index, number) in counts.enumerated() {
            seen += number
            if Double(seen) >= rank { return min(Self.upperBound(of: index), maximum) }
        }
        return maximum
    }

    private static let longest = shortest * pow(ratio, Double(classCount - 2))

    private static func index(of duration: TimeInterval) -> Int {
        guard duration > shortest else { return 0 }
        return min(classCount - 1, Int((log(duration / shortest) / log(ratio)).rounded(.up)))
    }

    private static func upperBound(of index: Int) -> TimeInterval { shortest * pow(ratio, Double(index)) }
}
