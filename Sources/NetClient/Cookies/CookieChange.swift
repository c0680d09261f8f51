/// A change of a ``CookieStore``.
public struct CookieChange: Hashable, Sendable {
    /// What happened to the cookie.
    public enum Kind: Hashable, Sendable {
        /// The cookie is new, or has a new value or new attributes.
        case set
        /// The app or the server removed the cookie.
        case removed
        /// The cookie reached its end.
        case expired
        /// The store had too many cookies.
        case evicted
    }

    /// What happened.
    public let kind: Kind
    /// The cookie as it is now, or as it was before it was removed.
    public let cookie: Cookie
}
