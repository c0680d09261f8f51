import NetCore

/// The redirections of RFC 9110, section 15.4, so that a test can loop over them.
public enum MockRedirect: Int, Sendable, CaseIterable {
    /// 301.
    case movedPermanently = 301
    /// 302.
    case found = 302
    /// 303: the answer is elsewhere, and is asked for with GET.
    case seeOther = 303
    /// 307.
    case temporary = 307
    /// 308.
    case permanent = 308

    /// Whether the method and the body have to stay. Those that do not keep them are for history's sake turned into GET from POST.
    public var keepsMethod: Bool { self == .temporary || self == .permanent }
}

extension MockResponse {
    /// A redirection of that kind: see ``redirect(to:status:)``.
    public static func redirect(_ kind: MockRedirect, to location: String) -> MockResponse {
        redirect(to: location, status: kind.rawValue)
    }
}

extension MockServer {
    /// Redirects a path over a number of others: `from` leads to `from/1`, that to `from/2`, and so on, and the last one to `to`.
    ///
    /// - Parameters:
    ///   - path: where it begins.
    ///   - count: how many redirections there are, at least one.
    ///   - target: the `Location` of the last one.
    ///   - kind: the status and its meaning, the same for all.
    public func redirect(
        _ path: String, times count: Int = 1, to target: String, kind: MockRedirect = .found
    ) {
        for hop in 0..<max(1, count) {
            let here = hop == 0 ? path : "\(path)/\(hop)"
            on(here, .redirect(kind, to: hop == max(1, count) - 1 ? target : "\(path)/\(hop + 1)"))
        }
    }
}
