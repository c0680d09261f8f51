/// HTTP's date formats (RFC 9110, section 5.6.7), without `DateFormatter`: independent of locales and fast enough for every response.
///
/// Parsing is strict except for case, as a cache requires (a malformed `Expires` means stale). The weekday is not checked against the date.
package enum HTTPDate {
    /// Longer than each format: `Wednesday, 09-Nov-94 08:49:37 GMT` has 33 characters.
    private static let longest = 40

    /// Returns the date of a field value, or nil if it is not a date.
    ///
    /// - Parameters:
    ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///   - now: decides the century of a two-digit year. A date more than 50 years ahead, to the second, is in the past.
    package static func parse(_ text: some StringProtocol, now: Date) -> Date? {
        guard text.utf8.count <= longest else { return nil }
        var text = String(text)
        return text.withUTF8 { bytes in
            var scanner = HTTPDateScanner(bytes: bytes)
            guard let weekday = scanner.letters() else { return nil }
            let parts: CivilTime?
            switch weekday.utf8.count {
            case 3 where scanner.skip(", "): parts = scanner.internetMessageDate()
            case 3 where scanner.skip(" "): parts = scanner.asctimeDate()
            case 6... where scanner.skip(", "): parts = scanner.rfc850Date(now: now)
            default: parts = nil
            }
            guard let parts, scanner.isAtEnd,
                (weekday.utf8.count == 3 ? shortWeekdays : weekdays).contains(where: weekday.equalsIgnoringASCIICase)
            else { return nil }
            return parts.date
        }
    }

    /// Returns a field value: `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions of a second are dropped; dates outside the years 0 to 9999 are clamped.
    package static func string(from date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let time = Int((seconds.isNaN ? 0 : min(max(seconds, earliest), latest)).rounded(.down))
        let day = time.flooredQuotient(by: 86_400)
        let parts = CivilTime(second: time)
        // 1 January 1970 was a Thursday.
        let weekday = shortWeekdays[(day + 3) - (day + 3).flooredQuotient(by: 7) * 7]
        let clock = [parts.hour, parts.minute, parts.second].map { padded($0, 2) }.joined(separator: ":")
        let date = "\(padded(parts.day, 2)) \(months[parts.month - 1]) \(padded(parts.year, 4))"
        return "\(weekday), \(date) \(clock) GMT"
    }

    fileprivate static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let shortWeekdays = weekdays.map { String($0.prefix(3)) }
    /// 1 January of year 0, and the last second of year 9999.
    fileprivate static let earliest: TimeInterval = -62_167_219_200
    fileprivate static let latest: TimeInterval = 253_402_300_799

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// Reads a date from left to right. It works on bytes because a cache reads one or two dates for every stored response.
private struct HTTPDateScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var isAtEnd: Bool { position == bytes.count }

    /// `06 Nov 1994 08:49:37 GMT`
    mutating func internetMessageDate() -> CivilTime? {
        guard let day = number(2), skip(" "), let month = month(), skip(" "), let year = number(4), skip(" "),
            let time = time(), skip(" gmt")
        else { return nil }
        return parts(year, month, day, time)
    }

    /// `06-Nov-94 08:49:37 GMT`
    mutating func rfc850Date(now: Date) -> CivilTime? {
        guard let day = number(2), skip("-"), let month = month(), skip("-"), let year = number(2), skip(" "),
            let time = time(), skip(" gmt")
        else { return nil }
        let seconds = now.timeIntervalSince1970
        let isUsable = seconds > HTTPDate.earliest && seconds < HTTPDate.latest + 1
        let today = CivilTime(second: isUsable ? Int(seconds.rounded(.down)) : 0)
        let limit = (today.year + 50, today.month, today.day, today.hour, today.minute, today.second)
        // The latest year with these digits that is at most 50 years ahead, to the second.
        var full = today.year - today.year % 100 + year + 100
        while (full, month, day, time.0, time.1, time.2) > limit { full -= 100 }
        return parts(full, month, day, time)
    }

    /// `Nov  6 08:49:37 1994`
    mutating func asctimeDate() -> CivilTime? {
        guard let month = month(), skip(" "), let day = skip(" ") ? number(1) : number(2), skip(" "), let time = time(),
            skip(" "), let year = number(4)
        else { return nil }
        return parts(year, month, day, time)
    }

    private func parts(_ year: Int, _ month: Int, _ day: Int, _ time: (Int, Int, Int)) -> CivilTime {
        CivilTime(year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
    }

    private mutating func time() -> (Int, Int, Int)? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }

    private mutating func month() -> Int? {
        letters().flatMap { name in HTTPDate.months.firstIndex(where: name.equalsIgnoringASCIICase) }.map { $0 + 1 }
    }

    /// Reads one or more letters, or returns nil.
    mutating func letters() -> String? {
        let start = position
        while position < bytes.count, bytes[position].isLetter { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// Reads exactly that many digits.
    private mutating func number(_ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard position < bytes.count, bytes[position].isDigit else { return nil }
            value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        return value
    }

    /// Skips a text in lower case if it is next, in any case, and returns whether it was.
    mutating func skip(_ text: StaticString) -> Bool {
        guard UnsafeBufferPointer(rebasing: bytes[position...]).hasLowercasePrefix(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }
}

extension UInt8 { fileprivate var isLetter: Bool { isLower || isUpper } }

/// The delay a server requests (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The random spread of the delay, upwards only, as a fraction. It keeps clients that got the same value from returning at once.
    package static let jitter = 0.1

    /// Returns the seconds that `Retry-After` requests, zero or more, or nil if the field is missing or invalid.
    ///
    /// A date is compared with the response's `Date`, since the device's clock may be wrong. Without a `Date`, or if the response comes from
    /// an intermediate cache (`Age`), it is compared with `now`.
    package static func seconds(in headers: HTTPHeaders, now: Date) -> TimeInterval? {
        guard let field = headers["Retry-After"]?.trimmingHTTPWhitespace, !field.isEmpty else { return nil }
        if field.utf8.allSatisfy(\.isDigit) { return TimeInterval(field) ?? .infinity }
        guard let date = HTTPDate.parse(field, now: now) else { return nil }
        let sent = headers["Age"] == nil ? headers["Date"].flatMap { HTTPDate.parse($0, now: now) } : nil
        return max(0, date.timeIntervalSince(sent ?? now))
    }
}
