/// HTTP's date formats (RFC 9110, section 5.6.7), without `DateFormatter`: independent of locales and fast enough for every response.
///
/// Parsing is strict except for case, as a cache requires (a malformed `Expires` means stale). The weekday is not checked against the date.
package enum HTTPDate {
    /// The formats, in the letters of `strftime`. Other characters stand for themselves.
    private static let formats = ["a, d b Y H:M:S gmt", "A, d-b-y H:M:S gmt", "a b e H:M:S Y"]
    /// Longer than each format: `Wednesday, 09-Nov-94 08:49:37 GMT` has 33 characters.
    private static let longest = 40

    /// Returns the date of a field value, or nil if it is not a date.
    ///
    /// - Parameters:
    ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///   - now: decides the century of a two-digit year. A date more than 50 years ahead, to the second, is in the past.
    package static func parse(_ text: some StringProtocol, now: Date) -> Date? {
        guard text.utf8.count <= longest else { return nil }
        let bytes = Array(text.utf8)
        for format in formats {
            var scanner = HTTPDateScanner(rest: bytes[...])
            if format.utf8.allSatisfy({ scanner.read($0) }) { return scanner.date(now: now) }
        }
        return nil
    }

    /// Returns a field value: `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions of a second are dropped; dates outside the years 0 to 9999 are
    /// clamped.
    package static func string(from date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let time = Int((seconds.isNaN ? 0 : min(max(seconds, earliest), latest)).rounded(.down))
        let parts = CivilTime(second: time)
        // 1 January of year 0 was a Saturday.
        let weekday = shortWeekdays[((time - Int(earliest)) / 86_400 + 5) % 7]
        let clock = [parts.hour, parts.minute, parts.second].map { padded($0, 2) }.joined(separator: ":")
        let date = "\(padded(parts.day, 2)) \(months[parts.month - 1]) \(padded(parts.year, 4))"
        return "\(weekday), \(date) \(clock) GMT"
    }

    fileprivate static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    fileprivate static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    fileprivate static let shortWeekdays = weekdays.map { String($0.prefix(3)) }
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
    private var rest: ArraySlice<UInt8>
    private var time = CivilTime(year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0)
    private var hasShortYear = false

    init(rest: ArraySlice<UInt8>) {
        self.rest = rest
    }

    /// Reads the part of the date for which a letter of a format stands, and returns whether it is there.
    mutating func read(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "a"): index(in: HTTPDate.shortWeekdays) != nil
        case UInt8(ascii: "A"): index(in: HTTPDate.weekdays) != nil
        case UInt8(ascii: "b"): index(in: HTTPDate.months).map { time.month = $0 + 1 } != nil
        case UInt8(ascii: "d"): number(2).map { time.day = $0 } != nil
        case UInt8(ascii: "e"): number(skip(" ") ? 1 : 2).map { time.day = $0 } != nil
        case UInt8(ascii: "H"): number(2).map { time.hour = $0 } != nil
        case UInt8(ascii: "M"): number(2).map { time.minute = $0 } != nil
        case UInt8(ascii: "S"): number(2).map { time.second = $0 } != nil
        case UInt8(ascii: "Y"): number(4).map { time.year = $0 } != nil
        case UInt8(ascii: "y"): number(2).map { (time.year, hasShortYear) = ($0, true) } != nil
        default: rest.popFirst()?.asciiLowercased == letter
        }
    }

    /// Returns the date if the text has ended.
    func date(now: Date) -> Date? {
        guard rest.isEmpty else { return nil }
        guard hasShortYear else { return time.date }
        let seconds = now.timeIntervalSince1970
        let isUsable = seconds > HTTPDate.earliest && seconds < HTTPDate.latest + 1
        let today = CivilTime(second: isUsable ? Int(seconds.rounded(.down)) : 0)
        let limit = (today.year + 50, today.month, today.day, today.hour, today.minute, today.second)
        // The latest year with these digits that is at most 50 years ahead, to the second.
        var time = time
        time.year += today.year - today.year % 100 + 100
        while (time.year, time.month, time.day, time.hour, time.minute, time.second) > limit { time.year -= 100 }
        return time.date
    }

    /// Reads one of the texts, and returns its index.
    private mutating func index(in texts: [String]) -> Int? { texts.firstIndex { skip($0) } }

    /// Reads exactly that many digits.
    private mutating func number(_ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(\.isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Skips a text if it is next, in any case, and returns whether it was.
    private mutating func skip(_ text: String) -> Bool {
        let next = rest.prefix(text.utf8.count)
        guard next.elementsEqual(text.utf8, by: { $0.asciiLowercased == $1.asciiLowercased }) else { return false }
        rest = rest[next.endIndex...]
        return true
    }
}

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
