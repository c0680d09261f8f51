public import NetCore

/// How far an upload or a download has come (seed 003).
///
/// ```swift
/// for await update in progress {
///     print(update)  // 50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s
/// }
/// ```
public struct TransferProgress: Hashable, Sendable {
    /// Bytes transferred so far, those of earlier attempts that a resumed transfer builds on included. Never negative.
    public let bytesCompleted: Int64
    /// How many bytes there will be; nil if that is not known. Never negative.
    public let totalBytes: Int64?
    /// Whether the transfer has ended well. Having moved all bytes is not enough: a server may still refuse an upload, and
    /// a download's digest may differ.
    public let isComplete: Bool
    /// How long it will take at the current rate, in seconds; nil if that cannot be told. Finite, never negative.
    public let estimatedTimeRemaining: TimeInterval?
    /// The current rate; nil if it is not known yet. Finite, never negative.
    public let bytesPerSecond: Double?
    /// How many times the transfer has begun anew, after a failure or a redirect: 0 for the first attempt. Counts never go back
    /// within an attempt, and start anew where this number has grown.
    public let attempt: Int

    /// A state. What cannot be (a negative count, a rate that is not a number) is put right: counts become zero, and an
    /// impossible total, rate or time becomes nil. `URLSession` says -1 for an unknown total, and that is nil here.
    public init(
        bytesCompleted: Int64,
        totalBytes: Int64? = nil,
        isComplete: Bool = false,
        estimatedTimeRemaining: TimeInterval? = nil,
        bytesPerSecond: Double? = nil,
        attempt: Int = 0
    ) {
        self.bytesCompleted = Swift.max(0, bytesCompleted)
        self.totalBytes = totalBytes.flatMap { $0 < 0 ? nil : $0 }
        self.isComplete = isComplete
        self.estimatedTimeRemaining = estimatedTimeRemaining.flatMap(Self.plausible)
        self.bytesPerSecond = bytesPerSecond.flatMap(Self.plausible)
        self.attempt = Swift.max(0, attempt)
    }

    /// The part that is done, from 0 to 1; nil if the total is not known. It is 1 for a transfer of no bytes at all, and
    /// stays 1 when more comes than was said.
    public var fractionCompleted: Double? {
        guard let totalBytes else { return nil }
        return bytesCompleted >= totalBytes ? 1 : Double(bytesCompleted) / Double(totalBytes)
    }

    private static func plausible(_ number: Double) -> Double? {
        number.isFinite && number >= 0 ? number : nil
    }
}

extension TransferProgress: CustomStringConvertible {
    /// `50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s`, without the parts that are not known. The same in every locale, and a KB
    /// is 1,024 bytes.
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

    /// Cut, not rounded, so that 100.0% means all of it; in whole numbers, since 0.29 * 1000 is not 290 in `Double`.
    private var tenthsOfPercent: UInt64? {
        guard let totalBytes else { return nil }
        guard bytesCompleted < totalBytes else { return 1000 }
        let product = UInt64(bytesCompleted).multipliedFullWidth(by: 1000)
        return UInt64(totalBytes).dividingFullWidth(product).quotient
    }
}

/// Sizes and times as short text. Written by hand, since `ByteCountFormatter` counts differently on each platform and
/// follows the locale.
enum ByteFormat {
    private static let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]

    /// `512 KB`, `1.5 MB`: one decimal where it says something.
    static func size(_ bytes: Double) -> String {
        var value = bytes
        var unit = 0
        // 1023.96 would be shown as 1024, which is one of the next unit.
        while unit < units.count - 1, tenths(of: value) >= 10_240 {
            value /= 1024
            unit += 1
        }
        let shown = unit == 0 ? value.rounded() * 10 : tenths(of: value)
        let digits = shown.truncatingRemainder(dividingBy: 10) == 0 ? "\(whole(shown / 10))" : "\(shown / 10)"
        return "\(digits) \(units[unit])"
    }

    /// `2s`, `1m 5s`, `3h 20m`, `4d 6h`, rounded up to whole seconds.
    static func duration(_ seconds: TimeInterval) -> String {
        let day = 86_400.0
        guard seconds < 100 * day else { return "over 99d" }
        let total = Int(seconds.rounded(.up))
        switch total {
        case ..<60: return "\(total)s"
        case ..<3600: return "\(total / 60)m \(total % 60)s"
        case ..<86_400: return "\(total / 3600)h \(total / 60 % 60)m"
        default: return "\(total / 86_400)d \(total / 3600 % 24)h"
        }
    }

    private static func tenths(of value: Double) -> Double { (value * 10).rounded() }

    /// Text without `.0`; a number too large for `Int` (a rate can be anything) stays as `Double` writes it.
    private static func whole(_ value: Double) -> String {
        Int64(exactly: value.rounded()).map(String.init) ?? "\(value)"
    }
}
