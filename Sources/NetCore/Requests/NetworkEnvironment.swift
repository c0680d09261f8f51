/// Where a client's endpoints live, and what goes with each request to them (seed 003).
///
/// An enum makes several of them:
///
/// ```swift
/// enum AppEnvironment: NetworkEnvironment {
///     case staging, production
///     var baseURL: URL {
///         switch self {
///         case .staging: URL(string: "https://staging-api.example.com")!
///         case .production: URL(string: "https://api.example.com")!
///         }
///     }
/// }
/// let client = NetworkClient(environment: AppEnvironment.production)
/// ```
public protocol NetworkEnvironment: Sendable {
    /// What paths are added to; with or without a slash at its end, and with a path of its own where wanted.
    var baseURL: URL { get }

    /// Header fields of every request made from an ``Endpoint``, a ``Request`` or a path. What the request itself says wins, and
    /// the type of an encoded body wins over a `Content-Type` given here.
    ///
    /// Those that may hold a secret (`Authorization`, `X-API-Key` …) go to the origin of ``baseURL`` only.
    var defaultHeaders: [String: String] { get }

    /// The longest time without any byte, in seconds; 60 unless given.
    var timeout: TimeInterval { get }
}

extension NetworkEnvironment {
    /// None.
    public var defaultHeaders: [String: String] { [:] }
    /// 60 seconds.
    public var timeout: TimeInterval { 60 }
}
