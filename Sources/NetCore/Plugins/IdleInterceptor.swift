/// An interceptor that may be made to do nothing. A client then leaves it out: each one in the list costs a hop.
package protocol IdleInterceptor: HTTPInterceptor {
    /// Whether it hands on all requests as they are, for ever.
    var isIdle: Bool { get }
}

extension HTTPInterceptor {
    /// Whether it has something to do, as far as is known.
    package var isActive: Bool { (self as? any IdleInterceptor)?.isIdle != true }
}
