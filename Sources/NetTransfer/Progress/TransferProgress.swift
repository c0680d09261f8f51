public import NetCore

/// The progress of an upload or a download.
///
/// ```swift
/// for await update in progress {
///     print(update)  // 50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s
/// }
/// ```
public struct TransferProgress: Hashable, Sendable {
    /// The bytes transferred so far, including those of earlier attempts that a resumed transfer builds on. Never negative. An attempt that
    /// starts again keeps the count of the one before it until it has passed it, unless the total has changed.
    public let bytesCompleted: Int64
    /// The total number of bytes, or nil if it is unknown. Never negative.
    public let totalBytes: Int64?
    /// Whether the transfer has succeeded. After all bytes, a server may still refuse an upload, and a download's digest may not match.
    public let isComplete: Bool
    /// The remaining time at the current rate, in seconds, or nil if it is unknown. Finite, never negative.
    public let estimatedTimeRemaining: TimeInterval?
    /// The current rate, or nil if it is unknown. Finite, never negative.
    public let bytesPerSecond: Double?
    /// How many times the transfer has started again, after a failure or a redirect: 0 for the first attempt.
    public let attempt: Int

    /// Creates a progress. A negative count becomes zero, and an invalid total (such as `URLSession`'s -1), rate or time becomes nil.
    public init(
        bytesCompleted: Int64, totalBytes: Int64? = nil, isComplete: Bool = false,
        estimatedTimeRemaining: TimeInterval? = nil, bytesPerSecond: Double? = nil, attempt: Int = 0
    ) {
        self.bytesCompleted = Swift.max(0, bytesCompleted)
        self.totalBytes = totalBytes.flatMap { $0 < 0 ? nil : $0 }
        self.isComplete = isComplete
        self.estimatedTimeRemaining = estimatedTimeRemaining.flatMap(Self.plausible)
        self.bytesPerSecond = bytesPerSecond.flatMap(Self.plausible)
        self.attempt = Swift.max(0, attempt)
    }

    /// The completed fraction, from 0 to 1, or nil if the total is unknown. It is 1 for zero bytes, and for more than announced.
    public var fractionCompleted: Double? {
        guard let totalBytes else { return nil }
        return bytesCompleted >= totalBytes ? 1 : Double(bytesCompleted) / Double(totalBytes)
    }

    private static func plausible(_ number: Double) -> Double? { number.isFinite && number >= 0 ? number : nil }
}

extension TransferProgress: CustomStringConvertible {
    /// `50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s`, without the parts that are unknown. The same in every locale. A KB is 1,024 bytes.
    public var description: String {
        var parts: [String] = []
        if let tenths = tenthsOfPercent { parts.append("\(tenths / 10).\(tenths % 10)%") }
        let completed = ByteFormat.size(Double(bytesCompleted))
        parts.append(totalBytes.map { "\(completed) of \(ByteFormat.size(Double($0)))" } ?? completed)
        if let bytesPerSecond { parts.append("(\(ByteFormat.size(bytesPerSecond))/s)") }
        if let estimatedTimeRemaining, !isComplete {
            parts.append("ETA: \(ByteFormat.duration(estimatedTimeRemaining))")
        }
        return parts.joined(separator: " ")
    }

    /// Rounded down, so that 100.0% means all bytes. Multiplied first, since 0.29 * 1000 is not 290 in `Double`.
    private var tenthsOfPercent: Int? {
        guard let totalBytes else { return nil }
        guard bytesCompleted < totalBytes else { return 1000 }
        return min(999, Int(Double(bytesCompleted) * 1000 / Double(totalBytes)))
    }
}

/// Sizes and times as short texts. `ByteCountFormatter` counts differently on each platform, and depends on the locale.
enum ByteFormat {
    private static let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]

    /// Returns `512 KB`, or `1.5 MB` with one decimal if it is not zero.
    static func size(_ bytes: Double) -> String {
        var value = bytes
        var unit = 0
        // 1023.96 would be rounded to 1024, which belongs to the next unit.
        while unit < units.count - 1, tenths(of: value) >= 10_240 {
            value /= 1024
            unit += 1
        }
        let shown = unit == 0 ? value.rounded() : tenths(of: value) / 10
        let digits = String(format: shown == shown.rounded() ? "%.0f" : "%.1f", shown)
        return "\(digits) \(units[unit])"
    }

    /// Returns `2s`, `1m 5s`, `3h 20m` or `4d 6h`, rounded up to seconds.
    static func duration(_ seconds: TimeInterval) -> String {
        guard seconds < 100 * 86_400 else { return "over 99d" }
        let total = Int(seconds.rounded(.up))
        switch total {
        case ..<60: return "\(total)s"
        case ..<3600: return "\(total / 60)m \(total % 60)s"
        case ..<86_400: return "\(total / 3600)h \(total / 60 % 60)m"
        default: return "\(total / 86_400)d \(total / 3600 % 24)h"
        }
    }

    private static func tenths(of value: Double) -> Double { (value * 10).rounded() }
}
