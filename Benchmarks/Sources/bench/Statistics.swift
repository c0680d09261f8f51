/// Statistics that assume nothing about the distribution.
enum Statistics {
    /// The 95 % confidence interval of the median, by order statistics.
    ///
    /// Of n sorted values, the k-th and the k-th from the end enclose the median with a probability of 1 - 2 P(B < k), where B is
    /// binomial with n tosses of a fair coin. The interval is the narrowest one that reaches 95 %. It is exact for any distribution.
    ///
    /// - Returns: nil for fewer than six values, which cannot reach 95 %.
    static func medianInterval(of values: [Double]) -> ClosedRange<Double>? {
        guard let rank = rank(count: values.count) else { return nil }
        let sorted = values.sorted()
        return sorted[rank - 1]...sorted[values.count - rank]
    }

    /// The greatest k with P(B < k) <= 2.5 %; nil if there is none.
    static func rank(count: Int) -> Int? {
        var rank = 0
        var term = 1.0  // P(B = rank), by 2 to the power of -count at the end
        for _ in 0..<count { term /= 2 }
        var sum = term
        while sum <= 0.025 {
            rank += 1
            term *= Double(count - rank + 1) / Double(rank)
            sum += term
        }
        return rank > 0 ? rank : nil
    }
}

extension Array where Element == Double {
    /// The middle value; of an even number of values, the mean of the two in the middle.
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = self.sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

/// How the SDK compares with another contender, as the ratios of all rounds in which both were measured.
struct Ratio: Codable {
    var median: Double
    /// The least and the greatest.
    var least: Double
    var greatest: Double
    /// The 95 % confidence interval of the median; nil for fewer than six rounds.
    var low: Double?
    var high: Double?

    init?(_ ratios: [Double]) {
        guard let least = ratios.min(), let greatest = ratios.max() else { return nil }
        (median, self.least, self.greatest) = (ratios.median, least, greatest)
        let interval = Statistics.medianInterval(of: ratios)
        (low, high) = (interval?.lowerBound, interval?.upperBound)
    }

    /// Half the interval's width, as a share of the median.
    var uncertainty: Double? {
        guard let low, let high, median > 0 else { return nil }
        return (high - low) / 2 / median
    }

    /// 1.21 (1.15-1.27), with the interval, or with the least and the greatest in square brackets.
    var text: String {
        if let low, let high { return "\(Format.ratio(median)) (\(Format.ratio(low))-\(Format.ratio(high)))" }
        return "\(Format.ratio(median)) [\(Format.ratio(least))-\(Format.ratio(greatest))]"
    }
}
