public import NetCore

/// A source of a background `URLSession`, whose transfers go on while the app does not run: Apple's systems only.
public final class BackgroundSessionProvider: URLSessionProviding {
    private let made: LazySession

    /// A provider of a session with that identifier. One for each identifier in a process.
    ///
    /// - Parameter identifier: the same after each launch of the app.
    /// - Throws: ``NetworkError/unsupported(_:)`` where `URLSession` has no background sessions: on all systems but Apple's.
    public init(identifier: String) throws(NetworkError) {
        #if canImport(Darwin)
            made = LazySession(.background(withIdentifier: identifier))
        #else
            throw .unsupported(
                "There are no background sessions on this system. Use DefaultSessionProvider in a process that keeps running."
            )
        #endif
    }

    /// The session, the same one each time.
    public var session: URLSession { made.session }
}

/// A source of a `URLSession` that asks `URLProtocol` classes of yours and keeps nothing on disk: for tests.
public final class MockSessionProvider: URLSessionProviding {
    private let made: LazySession

    /// A provider of a session that answers by these classes.
    ///
    /// - Parameter protocolClasses: asked in this order, before the system's own.
    public init(protocolClasses: [URLProtocol.Type]) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = protocolClasses + (configuration.protocolClasses ?? [])
        made = LazySession(configuration)
    }

    /// The session, the same one each time.
    public var session: URLSession { made.session }
}
