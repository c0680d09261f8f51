/// The common settings of a process, for ``NetworkManager/configure(with:)``: retries and ISO 8601 dates by default.
///
/// It has all settings of a ``NetworkClient/Configuration`` as members, such as `timeoutInterval`.
@dynamicMemberLookup
public struct NetworkConfiguration: Sendable {
    package var client: NetworkClient.Configuration

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - baseURL: the URL that paths are added to; nil if requests have complete URLs.
    ///   - retryPolicy: the retries of failed requests: by default three, see ``RetryPolicy/default``.
    ///   - authProvider: adds credentials to requests to the base URL; nil for none.
    ///   - urlSessionConfiguration: the settings of the transport as Foundation's type, read now. [Transports](doc:/Guides/Transports) lists
    ///     the supported ones. With another one, requests fail with ``NetworkError/unsupported(_:)``. A `URLCache` of your own becomes the
    ///     store of a ``ResponseCache``, and is unsupported besides a `cache`.
    ///   - decoder: decodes responses; by default JSON with ISO 8601 dates.
    ///   - encoder: encodes requests; by default JSON with ISO 8601 dates.
    ///   - cache: the cache: `.shared`, or `ResponseCache(maxEntries: 100)`; nil for none.
    ///   - cachePolicy: Foundation's cache policy; nil for that of `urlSessionConfiguration`.
    ///   - timeoutInterval: the longest time without any byte, in seconds; nil for 60.
    public init(
        baseURL: URL? = nil, retryPolicy: RetryPolicy = .default, authProvider: (any AuthenticationProvider)? = nil,
        urlSessionConfiguration: URLSessionConfiguration = .default, decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601, cache: (any HTTPCaching)? = nil,
        cachePolicy: URLRequest.CachePolicy? = nil, timeoutInterval: TimeInterval? = nil
    ) {
        client = NetworkClient.Configuration(baseURL: baseURL)
        client.retryPolicy = retryPolicy
        client.authenticationProvider = authProvider ?? NoAuthProvider()
        client.decoder = decoder
        client.encoder = encoder
        client.cache = cache
        client.timeoutInterval = timeoutInterval
        client.setTransportAndCache(mapping: urlSessionConfiguration, keepingCache: cache != nil)
        if let cachePolicy { client.cachePolicy = cachePolicy }
    }

    init(_ client: NetworkClient.Configuration) { self.client = client }

    /// A setting of the client's.
    public subscript<Value>(dynamicMember setting: WritableKeyPath<NetworkClient.Configuration, Value>) -> Value {
        get { client[keyPath: setting] }
        set { client[keyPath: setting] = newValue }
    }
}

extension NetworkManager {
    /// The current settings as a ``NetworkConfiguration``.
    public static var configuration: NetworkConfiguration { NetworkConfiguration(clientConfiguration) }

    /// Sets the configuration that clients start from.
    public static func configure(with configuration: NetworkConfiguration) { configure(configuration.client) }

    /// Sets the configuration that clients start from: see
    /// ``NetworkConfiguration/init(baseURL:retryPolicy:authProvider:urlSessionConfiguration:decoder:encoder:cache:cachePolicy:timeoutInterval:)``.
    public static func configure(
        baseURL: URL? = nil, retryPolicy: RetryPolicy = .default, authProvider: (any AuthenticationProvider)? = nil,
        urlSessionConfiguration: URLSessionConfiguration = .default, decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601, cache: (any HTTPCaching)? = nil,
        cachePolicy: URLRequest.CachePolicy? = nil, timeoutInterval: TimeInterval? = nil
    ) {
        configure(
            with: NetworkConfiguration(
                baseURL: baseURL, retryPolicy: retryPolicy, authProvider: authProvider,
                urlSessionConfiguration: urlSessionConfiguration, decoder: decoder, encoder: encoder, cache: cache,
                cachePolicy: cachePolicy, timeoutInterval: timeoutInterval))
    }
}
