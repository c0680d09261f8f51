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
/// Only ``path`` is required. The compiler refuses another member of this protocol that has a wrong type.
///
/// An enum whose cases have different responses omits ``Response``; send it with `client.fetch(_:as:)`, where the caller names the type.
public protocol Endpoint: ProtocolDefaults.EndpointMembers {
    /// The `Decodable` type of the response's body; ``EmptyResponse`` if it does not matter.
    ///
    /// It is not constrained, so that it can be a type whose conformance to `Decodable` is isolated to the main actor.
    associatedtype Response = EmptyResponse

    /// The path after the base URL, as plain text. It is percent-encoded when it is sent, so a value may contain `%`, `#`, a space or
    /// an emoji. Use ``pathComponents`` for a value that may contain a `/` or a `?`.
    ///
    /// A `?` is refused with ``NetworkError/invalidRequest``, since a query belongs in ``queryParameters`` or ``queryItems``. So is a
    /// segment `.` or `..`, which would lead to another resource.
    var path: String { get }

    /// The components of the path, each of which may contain anything, including slashes. Nil, the default, uses ``path``.
    var pathComponents: [String]? { get }

    /// GET by default.
    var method: HTTPMethod { get }
    /// The header fields, which replace those of the same name in ``NetworkEnvironment/defaultHeaders``. The property may also be an ``HTTPHeaders``.
    var headers: [String: String] { get }

    /// Added to the URL's query, sorted by name: see ``QueryEncoding``. The property may be a dictionary from `String` to any `Encodable`
    /// type, such as `[String: String]` and `[String: Int]`.
    var queryParameters: [String: any Encodable & Sendable] { get }

    /// Added to the URL's query after ``queryParameters``, in this order. Names may repeat.
    var queryItems: [URLQueryItem]? { get }

    /// The body, or nil for none. The property may be of any type that is `Encodable & Sendable`, and of an optional of one.
    var body: (any Encodable & Sendable)? { get }

    /// The encoding of the body; the client's encoder by default.
    var contentType: RequestContentType { get }

    /// Whether a GET or HEAD request may have a body: see ``RequestConfig/allowsBodyOnGet``. False by default.
    var allowsBodyOnGet: Bool { get }

    /// The settings of the request in place of the client's. The client's by default.
    var options: RequestOptions { get }

    /// Replaces the base URL of the client's environment, unless it is nil.
    var baseURL: URL? { get }
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
public protocol NetworkEnvironment: ProtocolDefaults.NetworkEnvironmentMembers {
    /// The URL to which paths are appended, with or without a trailing slash. It may have a path.
    var baseURL: URL { get }

    /// Header fields of every request made from an ``Endpoint``, a ``Request`` or a path. The request's own fields win, and so does the
    /// type of an encoded body over a `Content-Type` given here. The property may also be an ``HTTPHeaders``.
    ///
    /// Fields that may hold a secret (`Authorization`, `X-API-Key` …) are sent only to the origin of ``baseURL``.
    var defaultHeaders: [String: String] { get }

    /// The longest time without any byte, in seconds; 60 by default. The property may also be an integer.
    var timeout: TimeInterval { get }
}

extension ProtocolDefaults {
    /// The members of a ``NetworkEnvironment`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol NetworkEnvironmentMembers: Sendable {
        associatedtype DeclaredDefaultHeaders = [String: String]
        associatedtype DeclaredTimeout = TimeInterval

        var defaultHeaders: DeclaredDefaultHeaders { get }
        var timeout: DeclaredTimeout { get }
    }
}

extension NetworkEnvironment where DeclaredDefaultHeaders == [String: String] {
    public var defaultHeaders: [String: String] { [:] }
}

extension NetworkEnvironment where DeclaredDefaultHeaders == HTTPHeaders {
    public var defaultHeaders: [String: String] { (defaultHeaders as HTTPHeaders).dictionary }
}

extension NetworkEnvironment where DeclaredTimeout == TimeInterval { public var timeout: TimeInterval { 60 } }

extension NetworkEnvironment where DeclaredTimeout: BinaryInteger {
    public var timeout: TimeInterval { TimeInterval(timeout as DeclaredTimeout) }
}

/// A response whose body is empty or does not matter, as for `DELETE` or `204 No Content`.
public struct EmptyResponse: Codable, Hashable, Sendable { public init() {} }
