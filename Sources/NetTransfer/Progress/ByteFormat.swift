import NetCore

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
