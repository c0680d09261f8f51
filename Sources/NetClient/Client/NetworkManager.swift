/// The process-wide configuration that every ``NetworkClient`` and the facade start from.
///
/// Configure it once, before the first client is made: a client copies the configuration when it is made, and does not change afterwards. By
/// default, clients have no base URL, retry nothing, and use plain JSON.
///
/// ```swift
/// var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com"))
/// configuration.retryPolicy = .default
/// NetworkManager.configure(configuration)
/// let user = try await NetworkClient().send(Request<User>(method: .get, path: "/user"))
/// ```
public enum NetworkManager {
    private static let current = Locked(NetworkClient.Configuration())

    /// The current settings.
    public static var clientConfiguration: NetworkClient.Configuration { current.withLock { $0 } }

    /// The current provider of credentials: the default of client initialisers. It is for the configured base URL, and a client with another
    /// environment does not use it.
    public static var authenticationProvider: any AuthenticationProvider {
        ConfiguredAuthenticationProvider(base: clientConfiguration.authenticationProvider)
    }

    /// Sets the configuration that clients start from.
    public static func configure(_ configuration: NetworkClient.Configuration) {
        current.withLock { $0 = configuration }
    }
}

extension NetworkClient.Configuration {
    /// Takes the transport's settings and the cache policy from a `URLSessionConfiguration`, or the error of an unsupported one. With `takesCache`,
    /// the caller takes over its `ownCache`.
    package mutating func setTransport(mapping session: URLSessionConfiguration, takesCache: Bool = false) {
        if session.requestCachePolicy != URLSessionConfiguration.default.requestCachePolicy {
            cachePolicy = session.requestCachePolicy
        }
        do throws(NetworkError) {
            transportConfiguration = try TransportConfiguration(
                mapping: session, apartFrom: takesCache ? [.requestCachePolicy, .urlCache] : [.requestCachePolicy])
        } catch {
            transportConfiguration = TransportConfiguration()
            refusal = error
        }
    }
}
