import NetCore

extension HTTPCacheEntry {
    /// Whether the response is newer than another one to the same request (RFC 9111, section 4): by `Date`, then by the time of the request.
    /// All processes find the same order. Times are compared to the millisecond, as some stores keep no more.
    func isNewer(than other: HTTPCacheEntry) -> Bool {
        func milliseconds(_ date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() }
        // The `Date` that a cache adds is the time of arrival, which says nothing about the age of the content.
        func date(_ entry: HTTPCacheEntry) -> Double {
            entry.isDated
                ? milliseconds(entry.head.date) : (entry.requestTime.timeIntervalSince1970.rounded(.down) * 1000)
        }
        let (date, otherDate) = (date(self), date(other))
        if date != otherDate { return date > otherDate }
        let (sent, otherSent) = (milliseconds(requestTime), milliseconds(other.requestTime))
        return sent != otherSent ? sent > otherSent : EntryID.isLater(id, than: other.id)
    }

    /// Whether the server sent a `Date`.
    var isDated: Bool {
        get { !requestHeaders.contains(name: "Date") }
        set { requestHeaders["Date"] = newValue ? nil : "added" }
    }
}
