public import NetCore

extension NetworkClient {
    /// Every setting of a client, with its default. The one place that says how a client is configured.
    ///
    /// ```swift
    /// var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com/v1"))
    /// configuration.retryPolicy = .default
    /// configuration.timeoutInterval = 20
    /// let client = NetworkClient(configuration: configuration)
    /// let patient = client.with { $0.timeoutInterval = 120 }
    /// ```
    ///
    /// It is a value: making or copying one opens no socket, file or thread. A client takes a copy when it is made, and does not change
    /// afterwards. ``NetworkManager`` holds the configuration that clients of the process start from.
    public struct Configuration: Sendable {
        // MARK: Requests

        /// The base URL of endpoints and paths, and what goes with every request to it; nil if requests name their own URL.
        public var environment: (any NetworkEnvironment)?
        /// Encodes the bodies of requests; plain JSON unless set.
        public var encoder: any BodyEncoder = .json
        /// Decodes the bodies of responses; plain JSON unless set.
        public var decoder: any BodyDecoder = .json
        /// The longest time without any byte, in seconds, for requests that say nothing of it; nil for the environment's, or 60.
        public var timeoutInterval: TimeInterval?
        /// What caches may do, in Foundation's terms, for requests that say nothing of it.
        public var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
        /// The most bytes that are collected of a response; 64 MiB unless set. A larger one fails with
        /// ``NetworkError/responseTooLarge(limit:)``; read it as a stream.
        public var maximumBodySize = 64 << 20
        /// The `User-Agent` field of requests that have none (RFC 9110, section 10.1.5): `app/version (system) Networking/version` unless
        /// set. Nil or empty sends none.
        public var userAgent: String? = HTTPHeaders.defaultUserAgent

        // MARK: Whose requests

        /// Gives requests their credentials; none unless set.
        public var authenticationProvider: any AuthenticationProvider = .none {
            didSet { authenticationRevision = .next() }
        }
        /// Names the user of the client, asked for each request: see ``RequestContext/identity``. A call's own name and that of a provider
        /// win. Nil, the default, goes by the credentials.
        public var partition: @Sendable () -> String? = { nil }
        /// The names of custom header fields that are no credentials, in any case: they do not keep users apart, and they follow a
        /// redirect to another origin. Every field that is neither in here nor defined by RFC 9110 or 9111 counts as a credential.
        public var harmlessFields: Set<String> = []

        // MARK: The pipeline

        /// Seen once by every call, outermost, in this order.
        public var callInterceptors: [any HTTPInterceptor] = []
        /// Seen by every attempt, in this order, innermost.
        public var interceptors: [any HTTPInterceptor] = []
        /// Which redirects are followed: up to 20, never from https to http, unless set.
        public var redirectPolicy = RedirectPolicy.default
        /// When a failed request is sent again; never unless set.
        public var retryPolicy = RetryPolicy.none
        /// Circuit breaker, limits, coalescing, hedging; none of them unless set.
        public var resilience = Resilience.none
        /// Answers requests from stored responses; nil, the default, for no cache.
        public var cache: (any HTTPCaching)?
        /// Says whether the device is offline, and is asked before a request is sent; nil, the default, never is.
        public var connectionMonitor: (any ConnectionMonitoring)?

        // MARK: The transport

        /// The settings of the platform's transport. Its ``TransportConfiguration/additionalHeaders`` and
        /// ``TransportConfiguration/cookies`` hold for every transport. Setting it replaces a ``PlatformTransport`` in ``transport``.
        public var transportConfiguration = TransportConfiguration() {
            didSet {
                refusal = nil
                transportRevision = .next()
                if transport is PlatformTransport { transport = nil }
            }
        }
        /// Does the input and output; nil, the default, for the platform's transport with ``transportConfiguration``.
        public var transport: (any HTTPTransport)? { didSet { transportRevision = .next() } }
        /// The cookies of the client; nil, the default, for a store by ``TransportConfiguration/cookies``.
        public var cookies: CookieStore?

        // MARK: Time and chance

        /// The clock for retries, deadlines, expiry and timestamps; the system's unless set.
        public var clock: any NetworkClock = .system
        /// Gives numbers from 0 to 1 for jitter. Set it in tests.
        public var random: @Sendable () -> Double = { Double.random(in: 0...1) }

        /// What speaks against the settings of a `URLSessionConfiguration`: told when something is sent.
        var refusal: NetworkError?
        private(set) var transportRevision = SettingRevision()
        private(set) var authenticationRevision = SettingRevision()

        /// The defaults.
        public init() {}

        /// The defaults, with a base URL.
        ///
        /// - Parameter baseURL: the URL that paths are added to; nil if requests name their own.
        public init(baseURL: URL?) {
            self.baseURL = baseURL
        }

        /// The URL that paths are added to. Setting it replaces ``environment``.
        public var baseURL: URL? {
            get { environment?.baseURL }
            set { environment = newValue.map(BaseURLEnvironment.init) }
        }
    }
}

/// Tells whether a setting was set again: a derived client shares what belongs to a setting that was not.
struct SettingRevision: Hashable, Sendable {
    private var number: UInt64 = 0

    private static let last = Locked(UInt64(0))

    static func next() -> SettingRevision {
        SettingRevision(
            number: last.withLock { last in
                last += 1
                return last
            })
    }
}

/// An environment that is no more than a base URL.
struct BaseURLEnvironment: NetworkEnvironment {
    let baseURL: URL
}
