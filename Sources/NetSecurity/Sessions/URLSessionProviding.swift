public import NetCore

/// A source of the `URLSession` to send through: seed 000's glossary calls it "SessionProvider".
///
/// ```swift
/// struct PinnedSessions: URLSessionProviding {
///     let session: URLSession  // made with a delegate of your own
/// }
/// let networking = Networking(sessionProvider: PinnedSessions(session: session))
/// ```
public protocol URLSessionProviding: Sendable {
    /// The session. The same one each time, so that connections are shared.
    var session: URLSession { get }
}

/// Makes one `URLSession` when it is first asked for, and keeps it.
///
/// The session is yours to end (`finishTasksAndInvalidate()`): it may well be in use by others after the provider is gone.
public final class DefaultSessionProvider: URLSessionProviding {
    private let made: LazySession
    /// Whether nobody asked for anything in particular, so that the platform's own transport will do as well.
    package let usesDefaults: Bool

    /// A provider of a session with the default configuration.
    public init() {
        made = LazySession(.default)
        usesDefaults = true
    }

    /// A provider of a session with a configuration of yours.
    ///
    /// - Parameter configuration: copied, so that later changes to it change nothing.
    public init(configuration: URLSessionConfiguration) {
        made = LazySession(configuration)
        usesDefaults = false
    }

    /// The session, the same one each time.
    public var session: URLSession { made.session }
}

/// A session that is made when it is first asked for.
final class LazySession: Sendable {
    private enum State {
        case configured(URLSessionConfiguration)
        case made(URLSession)
    }

    private let state: Locked<State>

    /// - Parameter configuration: copied.
    init(_ configuration: URLSessionConfiguration) {
        state = Locked(.configured(configuration.copy() as? URLSessionConfiguration ?? configuration))
    }

    var session: URLSession {
        state.withLock { state in
            switch state {
            case .made(let session): return session
            case .configured(let configuration):
                let session = URLSession(configuration: configuration)
                state = .made(session)
                return session
            }
        }
    }
}
