/// The data that accompanies a request through the pipeline beside the HTTP message. Interceptors read it, and change it for those after them.
public struct RequestContext: Sendable {
    /// Identifies the call in logs and errors. All attempts and redirects of a call share it.
    public var id: RequestContext.ID { fields.value.id }
    /// How many times the request has been sent before: 0 for the first attempt.
    public var attempt: Int {
        get { fields.value.attempt }
        set { fields.value.attempt = newValue }
    }
    /// The end of the whole call, in ``NetworkClock/uptime`` of ``clock``, or nil for no limit.
    public var deadline: TimeInterval? {
        get { fields.value.deadline }
        set { fields.value.deadline = newValue }
    }
    /// The urgency compared with other requests that wait for the same host.
    public var priority: RequestContext.Priority {
        get { fields.value.priority }
        set { fields.value.priority = newValue }
    }
    /// The URL at which the call started, before redirects. Authentication adds nothing on another origin.
    public var origin: URL? {
        get { fields.value.origin }
        set { fields.value.origin = newValue }
    }
    /// The stable name of the request's user, given by the caller. It wins over the name of a provider or the client: see ``identity``.
    public var partition: String? {
        get { fields.value.partition }
        set { fields.value.partition = newValue }
    }
    /// How the caller wants the response's body.
    public var delivery: RequestContext.Delivery {
        get { fields.value.delivery }
        set { fields.value.delivery = newValue }
    }
    /// What a cache with a ``CachePolicy`` may do for this call, or nil for the client's setting.
    public var cachePolicy: CachePolicy? {
        get { fields.value.cachePolicy }
        set { fields.value.cachePolicy = newValue }
    }
    /// Receives the bytes sent and received, on the transport's thread: return quickly. Each exchange with a body, also a retry, starts at zero.
    public var progress: (@Sendable (RequestContext.Progress) -> Void)? {
        get { fields.value.progress }
        set { fields.value.progress = newValue }
    }
    /// The observers of each exchange and retry from here on.
    public var observers: [any NetworkEventObserver] {
        _read { yield fields.value.observers }
        _modify { yield &fields.value.observers }
    }
    public var clock: any NetworkClock {
        get { fields.value.clock }
        set { fields.value.clock = newValue }
    }

    /// What the client and its pipeline keep with the call.
    package var pipeline: PipelineState {
        _read { yield fields.value.pipeline }
        _modify { yield &fields.value.pipeline }
    }

    package struct PipelineState: Sendable {
        /// The client's request preparation, or nil outside of a client's pipeline.
        package var preparer: (any RequestPreparing)?
        /// The request as prepared for the current attempt, or nil before that.
        package var prepared: PreparedRequest?
        /// The calls of the client that sends this one; nil outside of a client.
        package var group: InFlightCalls?
        /// The number of the call in its ``group``.
        package var call: UInt64 = 0
        /// The number of the exchange, for its events. Only the transport's context has one, and only if there are observers.
        var exchange: UInt64?
        /// The caller's request after its validation; nil outside of a client.
        package var validated: URLRequest?
        /// The retries of a call with a deadline, kept outside of it: a call that ends at its deadline has no response or error to carry them.
        package var retryTrace: Locked<RetryTrace>?
        /// Whether the client has filled in the request's default settings.
        package var isRequestComplete = false
    }

    @usableFromInline package private(set) var values: [ObjectIdentifier: any Sendable] = [:]

    /// Everything but the plugins' values, which most calls lack.
    private struct Fields: Sendable {
        var id: RequestContext.ID
        var attempt = 0
        var deadline: TimeInterval?
        var priority = RequestContext.Priority.normal
        var origin: URL?
        var partition: String?
        var delivery = RequestContext.Delivery.streamed
        var cachePolicy: CachePolicy?
        var progress: (@Sendable (RequestContext.Progress) -> Void)?
        var observers: [any NetworkEventObserver] = []
        var clock: any NetworkClock
        var pipeline = PipelineState()
    }

    private var fields: Boxed<Fields>

    public init(id: RequestContext.ID = RequestContext.ID(), clock: any NetworkClock = .system) {
        fields = Boxed(Fields(id: id, clock: clock))
    }

    /// A value that a plugin stores with the request, under its own key type.
    public subscript<Key: RequestContext.Key>(key: Key.Type) -> Key.Value {
        // Inlined: without values, a call looks up nothing, not even the type of the value.
        @inlinable get {
            guard !values.isEmpty, let value = values[ObjectIdentifier(key)] else { return Key.defaultValue }
            return value as? Key.Value ?? Key.defaultValue
        }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Whether the client has cancelled this call together with others.
    var isCancelled: Bool { pipeline.group?.isCancelled(pipeline.call) == true }

    /// The identity of the request. Available from the cache on; nil before preparation, and outside of a client.
    public var identity: RequestIdentity? { pipeline.prepared?.identity }

    /// Seconds until the deadline, zero or negative if it has passed, or nil if there is none or it is NaN.
    public var timeRemaining: TimeInterval? {
        guard let deadline, !deadline.isNaN else { return nil }
        return deadline - clock.uptime
    }
}

extension RequestContext: RedactedReflectable {
    /// Identifies the call, without the plugins' values.
    public var shownFields: KeyValuePairs<String, Any?> {
        ["id": id, "attempt": attempt, "origin": origin?.redactedText, "identity": identity]
    }
}

extension RequestContext {
    /// A key for a value in ``RequestContext``.
    ///
    /// ```swift
    /// enum TenantKey: RequestContext.Key { static let defaultValue: String? = nil }
    /// next.context[TenantKey.self] = "acme"
    /// ```
    public protocol Key: SendableMetatype {
        associatedtype Value: Sendable
        /// The value if none was set.
        static var defaultValue: Value { get }
    }
}

extension RequestContext {
    /// Identifies a call: unique in the process, and short enough for a log line.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        package let number: UInt64
        private static let last = Locked(UInt64(0))

        /// Creates the next ID. A counter, because a random UUID costs a system call for each request.
        public init() { number = Self.last.next() }

        public var description: String { "#\(number)" }
    }

    /// The urgency of a request compared with others that wait for the same host.
    public enum Priority: Int, Comparable, Sendable, CaseIterable {
        /// Prefetching and similar work.
        case low
        case normal
        /// The user is waiting.
        case high

        public static func < (lhs: RequestContext.Priority, rhs: RequestContext.Priority) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// How the caller wants the body of a response. A transport may ignore this hint, at the cost of speed.
    public enum Delivery: Hashable, Sendable {
        /// The head as soon as it arrives, the body in chunks.
        case streamed
        /// Head and body together. The transport throws ``NetworkError/responseTooLarge(limit:)`` if the body exceeds that many bytes.
        case collected(limit: Int)
    }

    /// The progress of an exchange, in bytes of body.
    public struct Progress: Hashable, Sendable {
        /// Bytes of the request's body handed to the network, counted before ``RequestOptions/Compression``.
        public var bytesSent: Int64
        /// The length of the request's body before ``RequestOptions/Compression``, or nil if unknown.
        public var bytesToSend: Int64?
        /// Bytes of the response's body as received, before decoding a `Content-Encoding` if the transport sees those.
        public var bytesReceived: Int64
        /// The response's `Content-Length`, or nil if it has none.
        public var bytesToReceive: Int64?

        public init(
            bytesSent: Int64 = 0, bytesToSend: Int64? = nil, bytesReceived: Int64 = 0, bytesToReceive: Int64? = nil
        ) {
            self.bytesSent = bytesSent
            self.bytesToSend = bytesToSend
            self.bytesReceived = bytesReceived
            self.bytesToReceive = bytesToReceive
        }
    }
}

/// What a cache may do for a request.
///
/// The server's `no-store` wins over it. ``expireTime`` overrides only freshness.
public struct CachePolicy: Hashable, Sendable, Codable {
    /// Whether a stored response may answer the request.
    public let useCache: Bool
    /// Whether a successful response is stored.
    public let storeCache: Bool
    /// The time until which a stored response may be used, or nil for no limit.
    public let expireTime: Date?

    public init(useCache: Bool, storeCache: Bool, expireTime: Date? = nil) {
        self.useCache = useCache
        self.storeCache = storeCache
        self.expireTime = expireTime
    }

    /// Neither reads nor writes the cache.
    public static let networkOnly = CachePolicy(useCache: false, storeCache: false)
}
