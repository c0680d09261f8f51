import NetCore

/// What tells one version of a file from another to the byte: the value of `If-Range` (RFC 9110, section 13.1.5).
enum DownloadValidator: Hashable, Sendable, Codable {
    /// To the letter as the server wrote it.
    case entityTag(String)
    /// To the letter as the server wrote it: servers compare the text.
    case lastModified(String)

    /// The validator of a response that may be used for resuming; nil if it has none.
    ///
    /// A weak tag may not be used, and where there is a tag, the date may not either (section 13.1.5). A date is strong only if the
    /// response was made later than the second in which the file was changed last (section 8.8.2.2).
    init?(_ headers: HTTPHeaders) {
        let tags = headers.values(for: "ETag")
        if let text = tags.first {
            guard tags.count == 1, Self.isStrongTag(text) else { return nil }
            self = .entityTag(text)
            return
        }
        let dates = headers.values(for: "Last-Modified")
        guard dates.count == 1, let modified = Self.date(dates[0]), let sent = headers["Date"].flatMap(Self.date),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        self = .lastModified(dates[0])
    }

    /// The value of `If-Range`.
    var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    /// Whether a response says that it is of another version. One that says nothing does not.
    func isContradicted(by headers: HTTPHeaders) -> Bool {
        switch self {
        case .entityTag(let text): headers.values(for: "ETag").contains { $0 != text }
        case .lastModified(let text): headers.values(for: "Last-Modified").contains { $0 != text }
        }
    }

    /// `"…"`, without quotes or control characters inside. What is no tag at all would read as a date to the server.
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }

    /// Two-digit years are not told apart: who still sends them has no strong date.
    private static func date(_ text: String) -> Date? {
        HTTPDate.parse(text, now: Date(timeIntervalSince1970: 0))
    }
}
