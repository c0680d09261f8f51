import NetCore

/// The date of an `Expires` attribute, by the lenient algorithm of RFC 6265bis, section 5.1.1.
enum CookieDate {
    /// Returns the date, or nil if the text has none. Reads each byte once.
    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for part in text.split(whereSeparator: \.isCookieDateDelimiter) {
            let token = UnsafeBufferPointer(rebasing: part)
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        switch year {
        case 70...99: year += 1900
        case 0...69: year += 2000
        default: break
        }
        guard year >= 1601, time.second <= 59 else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
        ).date
    }

    /// A number at the start of a token: so many digits, and then the end or a byte that is not a digit.
    private static func number(_ token: UnsafeBufferPointer<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let count = token.prefix(digits.upperBound + 1).prefix(while: \.isDigit).count
        guard digits.contains(count) else { return nil }
        return token.prefix(count).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func month(_ token: UnsafeBufferPointer<UInt8>) -> Int? {
        guard token.count >= 3 else { return nil }
        let start = token.prefix(3).map(\.asciiLowercased)
        return months.firstIndex { $0.elementsEqual(start) }.map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { Array($0.utf8) }

    /// Hours, minutes and seconds of one or two digits each, with colons between them.
    private static func time(_ token: UnsafeBufferPointer<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        var numbers: [Int] = []
        var rest = token[...]
        while true {
            let digits = rest.prefix(3).prefix(while: \.isDigit)
            guard (1...2).contains(digits.count) else { return nil }
            numbers.append(digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
            if numbers.count == 3 { return (numbers[0], numbers[1], numbers[2]) }
            rest = rest.dropFirst(digits.count)
            guard rest.first == UInt8(ascii: ":") else { return nil }
            rest = rest.dropFirst()
        }
    }
}

extension UInt8 {
    fileprivate var isCookieDateDelimiter: Bool {
        switch self {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
