/// What goes with a request through the pipeline and is not part of the HTTP message: a value that interceptors read, and
/// change for those further in.
public struct RequestContext: Sendable {
    /// Names the call in logs and errors. All attempts and redirects of a call share it.
    public let id: RequestID
    /// How many times the request has been sent again: 0 for the first attempt.
    public var attempt = 0
    /// When the call as a whole has to end, in ``NetworkClock/uptime`` of ``clock``; nil for no such limit.
    public var deadline: TimeInterval?
    /// How urgent it is compared with others that wait for the same host.
    public var priority = RequestPriority.normal
    /// The URL with which the call started, before redirects. Authentication adds nothing on another origin.
    public var origin: URL?
    /// The stable name of the user whose request it is, given by the caller. It wins over the name that a provider or the client gives:
    /// see ``identity``.
    public var partition: String?
    /// How the response's body is wanted.
    public var delivery = ResponseDelivery.streamed
    /// What seed 000's cache may do for this call; nil for the client's own rules.
    public var cachePolicy: CachePolicy?
    /// Told of bytes sent and received. It is called on the transport's thread: be quick. Each exchange with a body, such as a
    /// retry, begins with a report of no bytes.
    public var progress: (@Sendable (TransportProgress) -> Void)?
    /// Told of each exchange and each retry from here on further in. None by default, which costs nothing.
    public var observers: [any NetworkEventObserver] = []
    /// The clock of the client.
    public var clock: any NetworkClock

    /// The client's preparation of requests; nil outside of a client's pipeline.
    package var preparer: (any RequestPreparing)?
    /// The request as it was prepared for the present attempt; nil before that.
    package var prepared: PreparedRequest?

    /// Whether a front door has filled in what the request leaves at its defaults.
    package var isLowered = false

    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// A context for a new call.
    public init(id: RequestID = RequestID(), clock: any NetworkClock = .system) {
        self.id = id
        self.clock = clock
    }

    /// A value that a plugin keeps with the request, under a key type of its own.
    public subscript<Key: RequestContextKey>(key: Key.Type) -> Key.Value {
        get {
            guard !values.isEmpty, let value = values[ObjectIdentifier(key)] else { return Key.defaultValue }
            return value as? Key.Value ?? Key.defaultValue
        }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// What plugins keep with the request, to compare two calls; nil if something of it cannot be compared.
    package func comparableValues(ignoring ignored: Set<ObjectIdentifier>) -> [ObjectIdentifier: AnyHashable]? {
        guard !values.isEmpty else { return [:] }
        var result: [ObjectIdentifier: AnyHashable] = [:]
        for (key, value) in values where !ignored.contains(key) {
            guard let value = value as? AnyHashable else { return nil }
            result[key] = value
        }
        return result
    }

    /// Whose request this is. Known from the cache on further in; nil before the request is prepared, and outside of a client.
    public var identity: RequestIdentity? { prepared?.identity }

    /// Seconds until the deadline: zero or less if it has passed, nil if there is none.
    public var timeRemaining: TimeInterval? {
        deadline.map { $0 - clock.uptime }
    }
}

extension RequestContext: RedactedReflectable {
    /// What names the call, without what plugins keep with it.
    public var shownFields: KeyValuePairs<String, Any?> {
        ["id": id, "attempt": attempt, "origin": origin?.redactedText, "identity": identity]
    }
}

/// A key for a value in ``RequestContext``.
///
/// ```swift
/// enum TenantKey: RequestContextKey { static let defaultValue: String? = nil }
/// next.context[TenantKey.self] = "acme"
/// ```
public protocol RequestContextKey: SendableMetatype {
    /// The type of the value.
    associatedtype Value: Sendable
    /// What is read where nothing was set.
    static var defaultValue: Value { get }
}

/// Names a call: unique in the process, short enough for a log line.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    package let number: UInt64

    private static let last = Locked(UInt64(0))

    /// The next free one. A counter, since a random UUID costs a system call for each request.
    public init() {
        number = Self.last.withLock { last in
            last += 1
            return last
        }
    }

    /// `#42`.
    public var description: String { "#\(number)" }
}

/// How urgent a request is compared with others that wait for the same host.
public enum RequestPriority: Int, Comparable, Sendable, CaseIterable {
    /// Prefetching and the like.
    case low
    /// The default.
    case normal
    /// Somebody is waiting for it.
    case high

    /// Compares urgency.
    public static func < (lhs: RequestPriority, rhs: RequestPriority) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// How the caller wants the body of a response. A hint: a transport may ignore it, and is only slower for it.
public enum ResponseDelivery: Hashable, Sendable {
    /// The head as soon as it is there, the body chunk by chunk.
    case streamed
    /// Head and body together, since the caller collects it anyway; the transport gives up with
    /// ``NetworkError/responseTooLarge(limit:)`` when the body passes that many bytes.
    case collected(limit: Int)
}

/// How far one exchange has come, in bytes of body.
public struct TransportProgress: Hashable, Sendable {
    /// Bytes of the request's body handed to the network.
    public var bytesSent: Int64
    /// The length of the request's body, if known.
    public var bytesToSend: Int64?
    /// Bytes of the response's body, as they were received (before decoding a `Content-Encoding`, where the transport sees
    /// them).
    public var bytesReceived: Int64
    /// The response's `Content-Length`, if it has one.
    public var bytesToReceive: Int64?

    /// A state.
    public init(
        bytesSent: Int64 = 0, bytesToSend: Int64? = nil, bytesReceived: Int64 = 0, bytesToReceive: Int64? = nil
    ) {
        self.bytesSent = bytesSent
        self.bytesToSend = bytesToSend
        self.bytesReceived = bytesReceived
        self.bytesToReceive = bytesToReceive
    }
}

/// What a cache may do for one request (seed 000, Caching): three switches.
///
/// The server's `no-store` wins over it; ``expireTime`` overrides nothing but freshness.
public struct CachePolicy: Hashable, Sendable, Codable {
    /// Whether a stored response may answer the request.
    public let useCache: Bool
    /// Whether a successful response is stored.
    public let storeCache: Bool
    /// Until when a stored response may be used; nil for no limit.
    public let expireTime: Date?

    /// A policy.
    public init(useCache: Bool, storeCache: Bool, expireTime: Date? = nil) {
        self.useCache = useCache
        self.storeCache = storeCache
        self.expireTime = expireTime
    }

    /// Neither reads nor writes: always fresh.
    public static let networkOnly = CachePolicy(useCache: false, storeCache: false)
}
