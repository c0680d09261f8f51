public import NetCore

/// The key of the requests that one stored response, or its variants, can answer.
public struct HTTPCacheKey: Hashable, Sendable, Codable {
    /// The normalised URL, without its fragment.
    public let url: String
    /// The text that separates responses of one URL by user or request body; empty for all users. It is a keyed digest, and holds no secret.
    public let owner: String

    public init(url: String, owner: String = "") {
        self.url = url
        self.owner = owner
    }

    /// The maximum number of variants of a key, which `Vary` of the server decides about. The oldest goes first.
    static let variantLimit = 64
}

/// A stored response without its body.
public struct HTTPCacheEntry: Hashable, Sendable, Codable {
    /// The name of this response among those with its key: letters, digits and hyphens.
    public let id: String
    public var status: Int
    /// The header fields as received, or as the last validation merged them.
    public var headers: HTTPHeaders
    /// The URL of the response.
    public var responseURL: URL?
    /// The request fields that `Vary` names, and `Range` for a partial response. A field that the request did not have is absent. A value that may be
    /// secret is a keyed digest. `Content-Encoding` is the coding that the transport decoded, and `Date` says that the cache added this field to the
    /// response.
    public var requestHeaders: HTTPHeaders
    /// The time when the request was sent.
    public var requestTime: Date
    /// The time when the response was received.
    public var responseTime: Date
    /// The time until which the caller of the request declared the response fresh (``CachePolicy/expireTime``). Nil if the header fields decide.
    public var expireTime: Date?

    /// The parsed header fields, if the entry keeps them. They follow from the other properties, so comparisons ignore them.
    var kept = Kept()

    struct Kept: Hashable, Sendable {
        var value: (any AnyObject & Sendable)?

        static func == (one: Kept, other: Kept) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private enum CodingKeys: CodingKey {
        case id, status, headers, responseURL, requestHeaders, requestTime, responseTime, expireTime
    }

    public init(
        id: String, status: Int, headers: HTTPHeaders, responseURL: URL?, requestHeaders: HTTPHeaders,
        requestTime: Date, responseTime: Date, expireTime: Date? = nil
    ) {
        self.id = id
        self.status = status
        self.headers = headers
        self.responseURL = responseURL
        self.requestHeaders = requestHeaders
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.expireTime = expireTime
    }
}

extension HTTPCacheEntry {
    /// Whether both describe the same response after the same validation. Times are compared to the millisecond, as some stores keep no more.
    func isSameHead(as other: HTTPCacheEntry) -> Bool {
        id == other.id && abs(responseTime.timeIntervalSince(other.responseTime)) < 0.001
            && abs(requestTime.timeIntervalSince(other.requestTime)) < 0.001
    }
}

/// Makes IDs for stored responses. An ID is never used twice, not even by another process: a reader could take one response's body for another's.
enum EntryID {
    private static let process = String(UInt64.random(in: .min ... .max), radix: 36)
    private static let last = Locked(UInt64(0))

    /// - Parameter date: the time when the response was received.
    static func next(at date: Date) -> String {
        let number = last.next()
        let time = UInt64(Swift.max(0, Swift.min(date.timeIntervalSince1970 * 1e6, 1e18)))
        return "\(String(time, radix: 36))-\(process)-\(String(number, radix: 36))"
    }

    /// Whether the first ID is later. All processes find the same order, whatever their clocks say.
    static func isLater(_ id: String, than other: String) -> Bool {
        guard let one = parts(of: id) else { return false }
        guard let other = parts(of: other) else { return true }
        return one > other
    }

    /// Nil for an ID of another format, which counts as earlier.
    private static func parts(of id: String) -> (time: UInt64, process: Substring, number: UInt64)? {
        let parts = id.split(separator: "-")
        guard parts.count == 3, let time = UInt64(parts[0], radix: 36), let number = UInt64(parts[2], radix: 36)
        else { return nil }
        return (time, parts[1], number)
    }
}

extension HTTPCacheKey: RedactedReflectable {
    public var shownFields: KeyValuePairs<String, Any?> { ["url": Redactor.standard.url(url)] }
}

extension HTTPCacheEntry: RedactedReflectable {
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "id": id, "status": status, "headers": headers, "responseURL": responseURL?.redactedText,
            "requestTime": requestTime, "responseTime": responseTime, "expireTime": expireTime,
        ]
    }
}
