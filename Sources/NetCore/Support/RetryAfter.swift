/// How long a server asks to wait (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// How far the delay is spread, upwards only, as a fraction: all who were told the same would come at the same moment.
    package static let jitter = 0.1

    /// The seconds that `Retry-After` asks for: zero or more; nil if it is not there or means nothing.
    ///
    /// A date is compared with the response's own `Date`, since the device's clock may be wrong; with the device's if there is
    /// none, or if the response comes from a cache on the way (`Age`).
    package static func seconds(in headers: HTTPHeaders, now: Date) -> TimeInterval? {
        guard let field = headers["Retry-After"]?.trimmingHTTPWhitespace, !field.isEmpty else { return nil }
        if field.utf8.allSatisfy(\.isDigit) { return TimeInterval(field) ?? .infinity }
        guard let date = HTTPDate.parse(field, now: now) else { return nil }
        let sent = headers["Age"] == nil ? headers["Date"].flatMap { HTTPDate.parse($0, now: now) } : nil
        return max(0, date.timeIntervalSince(sent ?? now))
    }
}
