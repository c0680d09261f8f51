/// A `Set-Cookie` field, parsed by RFC 6265bis, section 5.6, except that a value needs a name. Reads each byte a fixed number of times.
struct SetCookieField {
    var name: String
    var value: String
    /// From `Max-Age`, else from `Expires`; nil if there is neither. At most ``maximumAge`` ahead.
    var expires: Date?
    /// Lower case, without the dot in front; empty if there is none.
    var domain = ""
    /// Nil for the default path.
    var path: String?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite = Cookie.SameSite.unspecified

    /// In bytes, for name and value together.
    static let maximumSize = 4096
    /// In bytes, for the value of one attribute.
    static let maximumAttributeSize = 1024
    /// 400 days, in seconds.
    static let maximumAge: TimeInterval = 400 * 86_400

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Nil if the field must be ignored.
    init?(_ text: String, now: Date) {
        var text = text
        guard let field = text.withUTF8({ SetCookieField(bytes: $0, now: now) }) else { return nil }
        self = field
    }

    private init?(bytes: Bytes, now: Date) {
        guard !bytes.contains(where: \.isForbiddenInCookie) else { return nil }
        let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
        let pair = Self.pair(bytes[..<end])
        // A value without a name is ignored, as in RFC 6265, section 5.2. Browsers keep it (RFC 6265bis), which lets a value pass for
        // a name with a prefix. Servers do not expect it.
        guard let value = pair.value, !pair.name.isEmpty, pair.name.count + value.count <= Self.maximumSize else {
            return nil
        }
        self.name = String(decoding: pair.name, as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
        var maximumAge: Date?
        var start = end
        while start < bytes.count {
            let rest = bytes[(start + 1)...]
            let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
            let attribute = Self.pair(bytes[(start + 1)..<end])
            start = end
            let value = attribute.value ?? Bytes(rebasing: bytes[0..<0])
            guard value.count <= Self.maximumAttributeSize else { continue }
            switch String(decoding: attribute.name, as: UTF8.self).asciiLowercased {
            case "max-age": maximumAge = Self.end(ofMaximumAge: value, now: now) ?? maximumAge
            case "expires":
                guard let date = CookieDate.parse(value) else { continue }
                expires = min(date, now.addingTimeInterval(Self.maximumAge))
            case "domain":
                let name = value.first == UInt8(ascii: ".") ? value.dropFirst() : value[...]
                domain = String(decoding: name, as: UTF8.self).asciiLowercased
            case "path": path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self) : nil
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "samesite":
                let policy = String(decoding: value, as: UTF8.self).asciiLowercased
                sameSite = Cookie.SameSite(rawValue: policy) ?? .unspecified
            default: break
            }
        }
        expires = maximumAge ?? expires
    }

    /// Name and value around the first `=`, trimmed. The value is nil if there is no `=`.
    private static func pair(_ bytes: Slice<Bytes>) -> (name: Bytes, value: Bytes?) {
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(bytes), nil) }
        return (trimmed(bytes[..<sign]), trimmed(bytes[(sign + 1)...]))
    }

    private static func trimmed(_ bytes: Slice<Bytes>) -> Bytes {
        guard let first = bytes.firstIndex(where: { !$0.isHTTPWhitespace }),
            let last = bytes.lastIndex(where: { !$0.isHTTPWhitespace })
        else { return Bytes(rebasing: bytes[bytes.startIndex..<bytes.startIndex]) }
        return Bytes(rebasing: bytes[first...last])
    }

    /// Nil if the value is not a number. Zero and negative numbers give a date in the past.
    private static func end(ofMaximumAge value: Bytes, now: Date) -> Date? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        var seconds: TimeInterval = 0
        for digit in digits where seconds < maximumAge {
            seconds = seconds * 10 + TimeInterval(digit - UInt8(ascii: "0"))
        }
        guard !isNegative, seconds > 0 else { return .distantPast }
        return now.addingTimeInterval(min(seconds, maximumAge))
    }
}

extension UInt8 {
    /// A control character other than the tab.
    var isForbiddenInCookie: Bool { self < 0x20 && self != 0x09 || self == 0x7F }
}

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
        return CivilTime(year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
            .date
    }

    /// A number of so many digits at the start of a token, followed by the end or a non-digit.
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
