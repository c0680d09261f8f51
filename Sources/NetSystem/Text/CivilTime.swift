/// The components of a date and time (UTC, Gregorian calendar), not validated.
package struct CivilTime {
    package var year, month, day, hour, minute, second: Int

    /// Creates a time from any numbers. ``date`` validates them.
    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Creates the time at a second since 1970 (UTC).
    package init(second: Int) {
        let day = second.flooredQuotient(by: 86_400)
        let rest = second - day * 86_400
        (year, month, self.day) = Self.civil(fromDay: day)
        (hour, minute, self.second) = (rest / 3600, rest / 60 % 60, rest % 60)
    }

    /// The date, or nil if it does not exist. A leap second (60) is the next second.
    package var date: Date? {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, year: year)).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        let seconds = Self.day(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1 January 1970 in the Gregorian calendar. Years start in March here, so that the leap day is the last.
    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = year.flooredQuotient(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of ``day(_:_:_:)``.
    package static func civil(fromDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }
}

extension Int {
    /// Returns the quotient, rounded down also for negative numbers.
    package func flooredQuotient(by divisor: Int) -> Int {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
