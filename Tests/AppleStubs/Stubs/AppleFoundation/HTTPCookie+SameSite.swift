/// What FoundationNetworking's `HTTPCookie` lacks.
///
/// https://developer.apple.com/documentation/foundation/httpcookiestringpolicy
@available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
    public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")
}

extension HTTPCookiePropertyKey {
    /// Foundation on Linux keeps no property that it does not know, so this one takes the place of the comment, which nothing here uses.
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public static let sameSitePolicy = HTTPCookiePropertyKey.comment
}

extension HTTPCookie {
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public var sameSitePolicy: HTTPCookieStringPolicy? { properties?[.sameSitePolicy] as? HTTPCookieStringPolicy }
}
