extension ProtocolDefaults {
    /// The members of an ``Endpoint`` that have a default, in the types that the conforming type gives them.
    ///
    /// Conform to ``Endpoint``, which refines this protocol. With these associated types, the compiler refuses a member of another type instead
    /// of ignoring it: `var method: String` is an error, with a note for each type that it accepts.
    public protocol EndpointMembers: Sendable {
        associatedtype DeclaredPathComponents = [String]?
        associatedtype DeclaredMethod = HTTPMethod
        associatedtype DeclaredHeaders = [String: String]
        associatedtype DeclaredQueryParameters = [String: any Encodable & Sendable]
        associatedtype DeclaredQueryItems = [URLQueryItem]?
        associatedtype DeclaredBody = (any Encodable & Sendable)?
        associatedtype DeclaredContentType = RequestContentType
        associatedtype DeclaredAllowsBodyOnGet = Bool
        associatedtype DeclaredOptions = RequestOptions
        associatedtype DeclaredBaseURL = URL?

        var pathComponents: DeclaredPathComponents { get }
        var method: DeclaredMethod { get }
        var headers: DeclaredHeaders { get }
        var queryParameters: DeclaredQueryParameters { get }
        var queryItems: DeclaredQueryItems { get }
        var body: DeclaredBody { get }
        var contentType: DeclaredContentType { get }
        var allowsBodyOnGet: DeclaredAllowsBodyOnGet { get }
        var options: DeclaredOptions { get }
        var baseURL: DeclaredBaseURL { get }
    }
}

// MARK: Accepted types, with the defaults

extension Endpoint where DeclaredPathComponents == [String]? { public var pathComponents: [String]? { nil } }

extension Endpoint where DeclaredPathComponents == [String] {
    public var pathComponents: [String]? { pathComponents as [String] }
}

extension Endpoint where DeclaredMethod == HTTPMethod { public var method: HTTPMethod { .get } }
extension Endpoint where DeclaredHeaders == [String: String] { public var headers: [String: String] { [:] } }

extension Endpoint where DeclaredHeaders == HTTPHeaders {
    public var headers: [String: String] { (headers as HTTPHeaders).dictionary }
}

extension Endpoint where DeclaredQueryParameters == [String: any Encodable & Sendable] {
    public var queryParameters: [String: any Encodable & Sendable] { [:] }
}

// A dictionary with text as keys and any one type of values, such as `[String: Int]`.
extension Endpoint
where
    DeclaredQueryParameters: Sequence & ExpressibleByDictionaryLiteral & Encodable,
    DeclaredQueryParameters.Value: Encodable & Sendable,
    DeclaredQueryParameters.Element == (key: String, value: DeclaredQueryParameters.Value)
{
    public var queryParameters: [String: any Encodable & Sendable] {
        Dictionary((queryParameters as DeclaredQueryParameters).lazy.map { ($0.key, $0.value) }) { $1 }
    }
}

extension Endpoint where DeclaredQueryItems == [URLQueryItem]? { public var queryItems: [URLQueryItem]? { nil } }

extension Endpoint where DeclaredQueryItems == [URLQueryItem] {
    public var queryItems: [URLQueryItem]? { queryItems as [URLQueryItem] }
}

extension Endpoint where DeclaredBody == (any Encodable & Sendable)? {
    public var body: (any Encodable & Sendable)? { nil }
}

extension Endpoint where DeclaredBody == any Encodable & Sendable {
    public var body: (any Encodable & Sendable)? { body as any Encodable & Sendable }
}

extension Endpoint where DeclaredBody: Encodable & Sendable {
    public var body: (any Encodable & Sendable)? {
        let declared: DeclaredBody = body
        return (declared as? any OptionalBody)?.isNil == true ? nil : declared
    }
}

private protocol OptionalBody { var isNil: Bool { get } }

extension Optional: OptionalBody { fileprivate var isNil: Bool { self == nil } }

extension Endpoint where DeclaredContentType == RequestContentType {
    public var contentType: RequestContentType { .clientEncoder }
}

extension Endpoint where DeclaredAllowsBodyOnGet == Bool { public var allowsBodyOnGet: Bool { false } }
extension Endpoint where DeclaredOptions == RequestOptions { public var options: RequestOptions { RequestOptions() } }
extension Endpoint where DeclaredBaseURL == URL? { public var baseURL: URL? { nil } }
extension Endpoint where DeclaredBaseURL == URL { public var baseURL: URL? { baseURL as URL } }
