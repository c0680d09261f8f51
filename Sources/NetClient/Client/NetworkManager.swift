/// The process-wide default that ``NetworkClient``s start from (seed 001).
///
/// Configure it once, before the first client is made; a client takes what it needs when it is made, and does not change
/// afterwards. Without it clients have no base URL, retry nothing, and speak plain JSON.
///
/// ```swift
/// NetworkManager.configure(baseURL: URL(string: "https://api.example.com"), retryPolicy: .default, timeoutInterval: 30)
/// let user = try await NetworkClient().send(Request<User>(method: .get, path: "/user"))
/// ```
public enum NetworkManager {
    private static let current = Locked(NetworkConfiguration.initial)

    /// What clients start from now.
    public static var configuration: NetworkConfiguration { current.withLock { $0 } }

    /// Sets what clients start from.
    public static func configure(with configuration: NetworkConfiguration) {
        current.withLock { $0 = configuration }
    }

    /// Sets what clients start from: see ``NetworkConfiguration/init(baseURL:retryPolicy:authProvider:urlSessionConfiguration:decoder:encoder:cachePolicy:timeoutInterval:)``.
    public static func configure(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: any AuthenticationProvider = .none,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval? = nil
    ) {
        configure(
            with: NetworkConfiguration(
                baseURL: baseURL, retryPolicy: retryPolicy, authProvider: authProvider,
                urlSessionConfiguration: urlSessionConfiguration, decoder: decoder, encoder: encoder,
                cachePolicy: cachePolicy, timeoutInterval: timeoutInterval))
    }

    /// Sets what clients start from, with a cache such as `.shared`. The other parameters are those of the method without one.
    public static func configure(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: any AuthenticationProvider = .none,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cache: any HTTPCaching,
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

/// Stands for what ``NetworkManager`` says, where a default argument cannot know whether it is to be used.
public struct ConfiguredAuthenticationProvider: AuthenticationProvider {
    /// Leaves the request as it is: the client puts the configured provider in its place.
    public func authenticate(_ request: inout URLRequest) async throws {}

    /// Does nothing.
    public func reauthenticate() async throws {}
}

extension AuthenticationProvider where Self == ConfiguredAuthenticationProvider {
    /// The one that ``NetworkManager`` was configured with.
    public static var configured: ConfiguredAuthenticationProvider { ConfiguredAuthenticationProvider() }
}

extension HTTPTransport where Self == PlatformTransport {
    /// A new transport of the platform's kind, with the settings that ``NetworkManager`` was configured with.
    public static var configured: PlatformTransport {
        PlatformTransport(settings: NetworkManager.configuration.settings)
    }
}
