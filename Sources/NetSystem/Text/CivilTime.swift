/// The components of a date and time (UTC, Gregorian calendar), not validated.
package struct CivilTime {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    /// Creates a time from any numbers. ``date`` validates them.
    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Creates the time at a second since 1970 (UTC).
    package init(second: Int) {
        var (time, parts) = (time_t(second), tm())
        gmtime_r(&time, &parts)
        (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        (hour, minute, self.second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
    }

    /// The date, or nil if it does not exist. A leap second (60) is the next second.
    package var date: Date? {
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(clamping: year &- 1900), Int32(clamping: month &- 1))
        parts.tm_mday = Int32(clamping: day)
        let midnight = timegm(&parts)
        // A day that does not exist becomes another.
        guard Int(parts.tm_mon) + 1 == month, Int(parts.tm_mday) == day, hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        return Date(timeIntervalSince1970: TimeInterval(midnight + hour * 3600 + minute * 60 + second))
    }
}
