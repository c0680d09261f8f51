public import NetCore

/// Names the requests that one stored response, or its variants, can answer.
public struct HTTPCacheKey: Hashable, Sendable, Codable {
    /// The URL, normalised, without its fragment.
    public let url: String
    /// The text that keeps apart the responses of one URL that are for different users, or for different bodies of a request; empty
    /// for what is for all. It is a keyed digest or a number of the process: it holds no secret.
    public let owner: String

    /// A key.
    public init(url: String, owner: String = "") {
        self.url = url
        self.owner = owner
    }
}

/// A stored response without its body.
public struct HTTPCacheEntry: Hashable, Sendable, Codable {
    /// Names this response among those of its key: letters, digits and hyphens.
    public let id: String
    /// The status code.
    public var status: Int
    /// The header fields, as they were received or as a validation has merged them.
    public var headers: HTTPHeaders
    /// The URL that answered.
    public var responseURL: URL?
    /// The fields of the request that `Vary` names, and `Range` where the response is a part, with the values that the request
    /// had; a field that it did not have is not here. Of a field that may be secret, the value is a keyed digest.
    public var requestHeaders: HTTPHeaders
    /// When the request was sent.
    public var requestTime: Date
    /// When the response was received.
    public var responseTime: Date
    /// Until when the caller of the request said that it is fresh (``CachePolicy/expireTime``), whatever the header fields say;
    /// nil where they decide.
    public var expireTime: Date?

    /// An entry.
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
    /// Whether both are the same response as one validation left it. A store may keep times to the millisecond only.
    func isSameHead(as other: HTTPCacheEntry) -> Bool {
        id == other.id && abs(responseTime.timeIntervalSince(other.responseTime)) < 0.001
            && abs(requestTime.timeIntervalSince(other.requestTime)) < 0.001
    }
}

/// Names for stored responses. Never used twice, also not by another process on the same store: a body must not be taken for
/// that of a head that was read before.
enum EntryID {
    private static let process = String(UInt64.random(in: .min ... .max), radix: 36)
    private static let last = Locked(UInt64(0))

    /// - Parameter date: when the response came.
    static func next(at date: Date) -> String {
        let number = last.withLock { last in
            last += 1
            return last
        }
        let time = UInt64(Swift.max(0, Swift.min(date.timeIntervalSince1970 * 1e6, 1e18)))
        return "\(String(time, radix: 36))-\(process)-\(String(number, radix: 36))"
    }

    /// Whether the first came later. All processes find the same order, whatever their clocks say.
    static func isLater(_ id: String, than other: String) -> Bool {
        guard let one = Parts(id) else { return false }
        guard let other = Parts(other) else { return true }
        return (one.time, one.process, one.number) > (other.time, other.process, other.number)
    }

    private struct Parts {
        let time: UInt64
        let process: Substring
        let number: UInt64

        /// Nil for a name of another make, which counts as earlier.
        init?(_ id: String) {
            let parts = id.split(separator: "-")
            guard parts.count == 3, let time = UInt64(parts[0], radix: 36), let number = UInt64(parts[2], radix: 36)
            else { return nil }
            self.time = time
            self.process = parts[1]
            self.number = number
        }
    }
}
