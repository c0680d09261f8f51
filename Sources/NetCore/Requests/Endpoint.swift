/// A request as a type, with the type of its response.
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
/// An enum whose cases have different responses omits ``Response``; send it with `client.fetch(_:as:)`, where the caller names the type.
public protocol Endpoint: Sendable {
    /// The `Decodable` type of the response's body; ``EmptyResponse`` if it does not matter.
    ///
    /// It is not constrained, so that it can be a type whose conformance to `Decodable` is isolated to the main actor.
    associatedtype Response = EmptyResponse
    /// `URL` or `URL?`: the type of the conforming type's ``baseURL``.
    associatedtype BaseURL: EndpointBaseURL = URL?
    /// `[URLQueryItem]` or `[URLQueryItem]?`: the type of the conforming type's ``queryItems``.
    associatedtype QueryItems: EndpointQueryItems = [URLQueryItem]?

    /// The path after the base URL, as plain text. It is percent-encoded when it is sent, so a value may contain `%`, `?`, `#`, a space or
    /// an emoji. Use ``pathComponents`` for a value that may contain a `/`.
    ///
    /// A segment `.` or `..` is refused with ``NetworkError/invalidRequest``, since it would lead to another resource.
    var path: String { get }

    /// The components of the path, each of which may contain anything, including slashes. Nil, the default, uses ``path``.
    var pathComponents: [String]? { get }

    /// GET by default.
    var method: HTTPMethod { get }

    /// The header fields, which replace those of the same name in ``NetworkEnvironment/defaultHeaders``.
    var headers: [String: String] { get }

    /// Added to the URL's query, sorted by name: see ``QueryEncoding``.
    var queryParameters: [String: String] { get }

    /// Added to the URL's query after ``queryParameters``, in this order. Names may repeat.
    var queryItems: QueryItems { get }

    /// The body, or nil for none.
    var body: (any Encodable & Sendable)? { get }

    /// The encoding of the body; the client's encoder by default.
    var contentType: RequestContentType { get }

    /// Whether a GET or HEAD request may have a body: see ``RequestConfig/allowsBodyOnGet``. False by default.
    var allowsBodyOnGet: Bool { get }

    /// The settings of the request in place of the client's. The client's by default.
    var options: RequestOptions { get }

    /// Replaces the base URL of the client's environment, unless it is nil.
    var baseURL: BaseURL { get }
}

extension Endpoint {
    public var pathComponents: [String]? { nil }
    public var method: HTTPMethod { .get }
    public var headers: [String: String] { [:] }
    public var queryParameters: [String: String] { [:] }
    public var body: (any Encodable & Sendable)? { nil }
    public var contentType: RequestContentType { .clientEncoder }
    public var allowsBodyOnGet: Bool { false }
    public var options: RequestOptions { RequestOptions() }
}

extension Endpoint where BaseURL == URL? {
    public var baseURL: URL? { nil }
}

extension Endpoint where QueryItems == [URLQueryItem]? {
    public var queryItems: [URLQueryItem]? { nil }
}

/// The type of an ``Endpoint``'s base URL: `URL` or `URL?`. With a requirement of one type, a property of the other type would be ignored
/// silently.
public protocol EndpointBaseURL: Sendable {
    /// The URL, or nil for the client's.
    var endpointBaseURL: URL? { get }
}

extension URL: EndpointBaseURL {
    public var endpointBaseURL: URL? { self }
}

extension Optional: EndpointBaseURL where Wrapped == URL {
    public var endpointBaseURL: URL? { self }
}

/// The type of an ``Endpoint``'s query items: `[URLQueryItem]` or `[URLQueryItem]?`.
public protocol EndpointQueryItems: Sendable {
    var endpointQueryItems: [URLQueryItem] { get }
}

extension Array: EndpointQueryItems where Element == URLQueryItem {
    public var endpointQueryItems: [URLQueryItem] { self }
}

extension Optional: EndpointQueryItems where Wrapped == [URLQueryItem] {
    public var endpointQueryItems: [URLQueryItem] { self ?? [] }
}

/// The base URL of a client's endpoints, and the settings of all requests to it.
///
/// Use an enum for several environments:
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
    /// The URL to which paths are appended, with or without a trailing slash. It may have a path.
    var baseURL: URL { get }

    /// Header fields of every request made from an ``Endpoint``, a ``Request`` or a path. The request's own fields win, and so does the
    /// type of an encoded body over a `Content-Type` given here.
    ///
    /// Fields that may hold a secret (`Authorization`, `X-API-Key` …) are sent only to the origin of ``baseURL``.
    var defaultHeaders: [String: String] { get }

    /// The longest time without any byte, in seconds; 60 by default.
    var timeout: TimeInterval { get }
}

extension NetworkEnvironment {
    public var defaultHeaders: [String: String] { [:] }
    public var timeout: TimeInterval { 60 }
}

/// A response whose body is empty or does not matter, as for `DELETE` or `204 No Content`.
public struct EmptyResponse: Codable, Hashable, Sendable {
    public init() {}
}
