internal import NetCore

/// The dates of certificates (RFC 5280, section 4.1.2.5).
///
/// Beside the two forms of the RFC it reads what OpenSSL reads: no seconds, fractions of a second in GeneralizedTime, and an offset in
/// place of `Z`.
enum DERTime {
    static func date(_ element: DERReader.Element, in reader: DERReader) throws(CertificateError) -> Date {
        let isLong = element.tag == DERReader.Tag.generalizedTime
        guard isLong || element.tag == DERReader.Tag.utcTime else { throw reader.error("no date") }
        var scanner = Scanner(rest: reader.bytes[element.content])
        guard let date = scanner.date(isLong: isLong), scanner.rest.isEmpty else {
            throw .malformed("a date that is none", offset: element.start)
        }
        return date
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func date(isLong: Bool) -> Date? {
            guard var year = number(isLong ? 4 : 2) else { return nil }
            // Two digits mean 1950 to 2049.
            if !isLong { year += year < 50 ? 2000 : 1900 }
            guard let month = number(2), let day = number(2), let hour = number(2), let minute = number(2) else {
                return nil
            }
            var second = 0
            if rest.first?.isDigit == true {
                guard let number = number(2), number < 60 else { return nil }
                second = number
            }
            if isLong { guard skipFraction() else { return nil } }
            guard let offset = offset() else { return nil }
            let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
            return time.date?.addingTimeInterval(TimeInterval(-offset))
        }

        /// Seconds east of UTC.
        private mutating func offset() -> Int? {
            switch rest.popFirst() {
            case UInt8(ascii: "Z"): return 0
            case let sign? where sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"):
                guard let hours = number(2), hours <= 12, let minutes = number(2), minutes < 60 else { return nil }
                let seconds = hours * 3600 + minutes * 60
                return sign == UInt8(ascii: "+") ? seconds : -seconds
            default: return nil
            }
        }

        private mutating func skipFraction() -> Bool {
            guard rest.first == UInt8(ascii: ".") else { return true }
            rest.removeFirst()
            let digits = rest.prefix(while: \.isDigit)
            rest.removeFirst(digits.count)
            return !digits.isEmpty
        }

        private mutating func number(_ digits: Int) -> Int? {
            var value = 0
            for _ in 0..<digits {
                guard let byte = rest.first, byte.isDigit else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
                rest.removeFirst()
            }
            return value
        }
    }
}
