/// A request as a type of its own: what it asks for, and what the answer is (seed 003).
///
/// ```swift
/// struct GetUserEndpoint: Endpoint {
///     let id: String
///     var path: String { "/users/\(id)" }
///     var method: HTTPMethod { .get }
///     typealias Response = User
/// }
/// ```
///
/// An enum whose cases have different answers leaves out ``Response`` and is sent by `client.fetch(_:as:)`, where the caller
/// names the answer (seed 002).
public protocol Endpoint: Sendable {
    /// What the body of the response is decoded as, a `Decodable` type; ``EmptyResponse`` if it does not matter.
    ///
    /// It is not constrained here, so that a type whose conformance to `Decodable` belongs to the main actor can be named.
    associatedtype Response = EmptyResponse
    /// `URL` or `URL?`: whichever the conforming type writes.
    associatedtype BaseURL: EndpointBaseURL = URL?
    /// `[URLQueryItem]` or `[URLQueryItem]?`: whichever the conforming type writes.
    associatedtype QueryItems: EndpointQueryItems = [URLQueryItem]?

    /// The path behind the base URL, as plain text: it is percent-encoded when it is sent, so a `%`, `?`, `#`, space or emoji in
    /// a value arrives as it was. Only a `/` separates; a value that may hold one belongs into ``pathComponents``.
    ///
    /// A `.` or `..` between slashes is refused as ``NetworkError/invalidRequest``: it would lead elsewhere.
    var path: String { get }

    /// The components of the path, each a value that may hold anything, a slash as well; nil (the default) to go by ``path``.
    var pathComponents: [String]? { get }

    /// The method; GET unless given.
    var method: HTTPMethod { get }

    /// Header fields, in place of those of the same name in ``NetworkEnvironment/defaultHeaders``.
    var headers: [String: String] { get }

    /// Added to the URL's query, sorted by name, encoded as ``QueryEncoder`` says.
    var queryParameters: [String: String] { get }

    /// Added to the URL's query in this order, behind ``queryParameters``; a name may be there more than once (seed 002).
    var queryItems: QueryItems { get }

    /// The body; nil for none.
    var body: (any Encodable & Sendable)? { get }

    /// How the body is encoded: by the client's encoder unless given.
    var contentType: RequestContentType { get }

    /// Whether a GET or HEAD request may have a body: see ``RequestConfig/allowsBodyOnGet``. False by default.
    var allowsBodyOnGet: Bool { get }

    /// The base URL in place of the client's environment's (seed 002).
    var baseURL: BaseURL { get }
}

extension Endpoint {
    /// None: the path is ``path``.
    public var pathComponents: [String]? { nil }
    /// GET.
    public var method: HTTPMethod { .get }
    /// None.
    public var headers: [String: String] { [:] }
    /// None.
    public var queryParameters: [String: String] { [:] }
    /// None.
    public var body: (any Encodable & Sendable)? { nil }
    /// By the client's encoder.
    public var contentType: RequestContentType { .clientEncoder }
    /// False: a GET or HEAD request with a body fails.
    public var allowsBodyOnGet: Bool { false }
}

extension Endpoint where BaseURL == URL? {
    /// The client's.
    public var baseURL: URL? { nil }
}

extension Endpoint where QueryItems == [URLQueryItem]? {
    /// None.
    public var queryItems: [URLQueryItem]? { nil }
}

/// What an ``Endpoint`` may give as its base URL: a `URL` or a `URL?`. A requirement of one type would overlook the other
/// spelling without a word.
public protocol EndpointBaseURL: Sendable {
    /// The URL; nil for the client's.
    var endpointBaseURL: URL? { get }
}

extension URL: EndpointBaseURL {
    /// The URL.
    public var endpointBaseURL: URL? { self }
}

extension Optional: EndpointBaseURL where Wrapped == URL {
    /// The URL; nil for the client's.
    public var endpointBaseURL: URL? { self }
}

/// What an ``Endpoint`` may give as its query items: `[URLQueryItem]`, or an optional of it.
public protocol EndpointQueryItems: Sendable {
    /// The items.
    var endpointQueryItems: [URLQueryItem] { get }
}

extension Array: EndpointQueryItems where Element == URLQueryItem {
    /// The items.
    public var endpointQueryItems: [URLQueryItem] { self }
}

extension Optional: EndpointQueryItems where Wrapped == [URLQueryItem] {
    /// The items; none for nil.
    public var endpointQueryItems: [URLQueryItem] { self ?? [] }
}

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

/// The answer of an endpoint that sends no body, or one that does not matter: `DELETE`, `204 No Content`.
public struct EmptyResponse: Codable, Hashable, Sendable {
    /// Nothing.
    public init() {}
}
