/// The process-wide configuration that every ``NetworkClient`` and the facade start from.
///
/// Configure it once, before the first client is made; a client takes a copy when it is made, and does not change afterwards. Without
/// it clients have no base URL, retry nothing, and speak plain JSON.
///
/// ```swift
/// NetworkManager.configure(baseURL: URL(string: "https://api.example.com"), retryPolicy: .default, timeoutInterval: 30)
/// let user = try await NetworkClient().send(Request<User>(method: .get, path: "/user"))
/// ```
public enum NetworkManager {
    private static let current = Locked(NetworkClient.Configuration())

    /// The settings that clients start from now, in the terms of ``NetworkConfiguration``.
    public static var configuration: NetworkConfiguration { NetworkConfiguration(clientConfiguration) }

    /// Every setting that clients start from now.
    public static var clientConfiguration: NetworkClient.Configuration { current.withLock { $0 } }

    /// Sets everything that clients start from.
    public static func configure(_ configuration: NetworkClient.Configuration) {
        current.withLock { $0 = configuration }
    }

    /// Sets what clients start from. Settings that ``NetworkConfiguration`` does not have get their defaults.
    public static func configure(with configuration: NetworkConfiguration) {
        configure(configuration.client)
    }

    /// Sets what clients start from: see ``NetworkConfiguration/init(baseURL:retryPolicy:authProvider:urlSessionConfiguration:decoder:encoder:cache:cachePolicy:timeoutInterval:)``.
    public static func configure(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: any AuthenticationProvider = .none,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cache: (any HTTPCaching)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval? = nil
    ) {
        configure(
            with: NetworkConfiguration(
                baseURL: baseURL, retryPolicy: retryPolicy, authProvider: authProvider,
                urlSessionConfiguration: urlSessionConfiguration, decoder: decoder, encoder: encoder, cache: cache,
                cachePolicy: cachePolicy, timeoutInterval: timeoutInterval))
    }
}
