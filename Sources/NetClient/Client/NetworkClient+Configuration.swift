extension NetworkClient {
    /// The settings of a client, with their defaults.
    ///
    /// ```swift
    /// var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com/v1"))
    /// configuration.retryPolicy = .default
    /// configuration.timeoutInterval = 20
    /// let client = NetworkClient(configuration: configuration)
    /// let slowClient = client.with { $0.timeoutInterval = 120 }
    /// ```
    ///
    /// Making or copying a configuration opens no socket, file or thread. A client copies it when it is made, and does not change afterwards.
    /// ``NetworkManager`` holds the configuration that clients of the process start from.
    public struct Configuration: Sendable {
        // MARK: Requests

        /// The base URL of endpoints and paths, with default header fields and timeout; nil if requests have complete URLs.
        public var environment: (any NetworkEnvironment)?
        /// Encodes the bodies of requests. The default is plain JSON.
        public var encoder: any BodyEncoder = .json
        /// The conventions of queries and forms, for requests that set none (``RequestOptions/queryEncoding``): lists, nested names, dates and so on.
        public var queryEncoding = QueryEncoding.default
        /// Decodes the bodies of responses. The default is plain JSON.
        public var decoder: any BodyDecoder = .json
        /// The longest time without any byte, in seconds, for requests that set none; nil for the environment's, or 60.
        public var timeoutInterval: TimeInterval?
        /// Foundation's cache policy, for requests that set none.
        public var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
        /// The most bytes that are collected of a response. The default is 64 MiB. A larger response fails with
        /// ``NetworkError/responseTooLarge(limit:)``: read it as a stream.
        public var maximumBodySize = 64 << 20
        /// The compression of request bodies. The default is none.
        public var requestCompression = RequestOptions.Compression.off
        /// The `User-Agent` field of requests without one (RFC 9110, section 10.1.5). The default is `app/version (system)
        /// Networking/version`. Nil or empty sends none.
        public var userAgent: String? = HTTPHeaders.defaultUserAgent

        // MARK: Users

        /// Adds credentials to requests. The default adds none.
        public var authenticationProvider: any AuthenticationProvider = .none {
            didSet { authenticationRevision = Self.lastRevision.next() }
        }
        /// Returns the name of the client's user, for each request: see ``RequestContext/identity``. A name of the call or of the provider
        /// wins. With nil, the default, the credentials identify the user.
        public var partition: @Sendable () -> String? = { nil }
        /// The names of custom header fields that follow a redirect to another origin, in any case. Of other fields only those of RFC 9110
        /// and 9111 do, and the fields that name or date a message.
        public var harmlessFields: Set<String> = []
        /// The names of header fields that say whose a request is, in any case, besides those whose name says a secret or a subject
        /// (`X-API-Key`, `X-Tenant`). They separate stored responses and shared exchanges.
        public var identifyingFields: Set<String> = []
        /// The names of header fields that do not say whose a request is although their name says a secret or a subject, in any case.
        /// `x-foo-*` stands for all names that begin with `x-foo-`. They select a stored response by `Vary` alone.
        public var sharedFields: Set<String> = []

        // MARK: The pipeline

        /// The interceptors that run once per call: the outermost ones, in this order.
        public var callInterceptors: [any HTTPInterceptor] = []
        /// The interceptors that run for each attempt: the innermost ones, in this order.
        public var interceptors: [any HTTPInterceptor] = []
        /// The redirects to follow. The default is up to 20, never from https to http.
        public var redirectPolicy = RedirectPolicy.default
        /// The retries of failed requests. The default is none.
        public var retryPolicy = RetryPolicy.none
        /// Circuit breaker, limits, coalescing and hedging. The default is none of them.
        public var resilience = Resilience.none
        /// The cache; nil, the default, for none.
        public var cache: (any HTTPCaching)?
        /// Tells whether the device is offline, before a request is sent; nil, the default, sends requests in any case.
        public var connectionMonitor: (any ConnectionMonitoring)?

        // MARK: The transport

        /// The settings of the platform's transport. Its ``TransportConfiguration/additionalHeaders`` and
        /// ``TransportConfiguration/cookies`` hold for every transport. Setting it replaces a ``HTTPTransport/platform`` in ``transport``.
        public var transportConfiguration = TransportConfiguration() {
            didSet {
                refusal = nil
                transportRevision = Self.lastRevision.next()
                if (transport as? any ConfiguredTransport)?.isPlatformDefault == true { transport = nil }
            }
        }
        /// The transport; nil, the default, for the platform's with ``transportConfiguration``.
        public var transport: (any HTTPTransport)? { didSet { transportRevision = Self.lastRevision.next() } }
        /// The cookie store; nil, the default, for a store by ``TransportConfiguration/cookies``.
        public var cookies: CookieStore?

        // MARK: Time and chance

        /// The clock for retries, deadlines, expiration and timestamps. The default is the system's.
        public var clock: any NetworkClock = .system
        /// Returns a number from 0 to 1 for jitter. Set it in tests.
        public var random: @Sendable () -> Double = { Double.random(in: 0...1) }

        /// The error of an unsupported `URLSessionConfiguration`, thrown when a request is sent.
        var refusal: NetworkError?
        /// The versions of two settings. A derived client shares the resources of a setting whose version is the same.
        private(set) var transportRevision: UInt64 = 0
        private(set) var authenticationRevision: UInt64 = 0
        private static let lastRevision = Locked(UInt64(0))

        /// Creates a configuration with the defaults.
        public init() {}

        /// Creates a configuration with the defaults and a base URL.
        ///
        /// - Parameter baseURL: the URL that paths are added to; nil if requests have complete URLs.
        public init(baseURL: URL?) { self.baseURL = baseURL }

        /// The URL that paths are added to. Setting it replaces ``environment``.
        public var baseURL: URL? {
            get { environment?.baseURL }
            set { environment = newValue.map(BaseURLEnvironment.init) }
        }
    }
}

extension NetworkClient.Configuration {
    /// Replaces Foundation's defaults in a request. Foundation does not tell whether a timeout of 60 s was set.
    func complete(_ request: inout URLRequest, _ context: RequestContext) {
        if request.timeoutInterval == 60, let seconds = defaultTimeout, seconds > 0, seconds != 60 {
            request.timeoutInterval = seconds
        }
        if request.cachePolicy == .useProtocolCachePolicy {
            let policy = defaultCachePolicy(besides: context.cachePolicy)
            if policy != .useProtocolCachePolicy { request.cachePolicy = policy }
        }
    }

    /// The timeout of requests that set none, in seconds; nil for Foundation's.
    var defaultTimeout: TimeInterval? { timeoutInterval ?? environment?.timeout }

    /// The cache policy of requests that set none. A ``CachePolicy`` of the call replaces the client's.
    func defaultCachePolicy(besides own: CachePolicy?) -> URLRequest.CachePolicy {
        own == nil ? cachePolicy : .useProtocolCachePolicy
    }
}

struct BaseURLEnvironment: NetworkEnvironment { let baseURL: URL }

extension NetworkClient: RedactedReflectable {
    public var shownFields: KeyValuePairs<String, Any?> { ["configuration": configuration] }
}

extension NetworkClient.Configuration: RedactedReflectable {
    /// Shows the types of plugins, whose values may hold secrets.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "baseURL": baseURL?.redactedText, "timeoutInterval": timeoutInterval, "maximumBodySize": maximumBodySize,
            "authenticationProvider": "\(type(of: authenticationProvider))",
            "callInterceptors": callInterceptors.map { "\(type(of: $0))" },
            "interceptors": interceptors.map { "\(type(of: $0))" }, "cache": cache.map { "\(type(of: $0))" },
            "transport": transport.map { "\(type(of: $0))" }, "transportConfiguration": transportConfiguration,
        ]
    }
}
