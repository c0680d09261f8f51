public import NetCore

/// Has the user sign in with any browser on this machine, which comes back to a port of 127.0.0.1 (RFC 8252, section 7.3): for
/// programs on Linux and macOS.
///
/// ```swift
/// let step = LoopbackWebStep { url in print("Open this page: \(url)") }
/// let tokens = try await oauth.signIn(using: step)
/// ```
///
/// It listens only while the user signs in, on a port that the system chooses: the server has to permit any port for
/// `http://127.0.0.1/callback`. It answers that one path. A callback with another `state` than the page's, or with another `Host` than
/// the redirect URI's, is refused, and the step goes on listening: other programs and pages cannot end a sign-in.
public struct LoopbackWebStep: OAuthWebStep {
    private let path: String
    private let timeLimit: TimeInterval
    private let clock: any NetworkClock
    private let open: @Sendable (URL) async throws -> Void

    /// A step that opens pages by a closure.
    ///
    /// - Parameters:
    ///   - path: the path of the redirect URI, as the server knows it; begins with a slash.
    ///   - timeLimit: how long the user may take, in seconds.
    ///   - clock: measures that.
    ///   - open: shows a page to the user: starts `xdg-open` or `open`, or prints it. What it throws ends the sign-in.
    public init(
        path: String = "/callback", timeLimit: TimeInterval = 300, clock: any NetworkClock = .system,
        open: @escaping @Sendable (URL) async throws -> Void
    ) {
        self.path = path.hasPrefix("/") ? path : "/" + path
        self.timeLimit = timeLimit
        self.clock = clock
        self.open = open
    }

    /// Listens, opens the page, and waits for the browser to come back.
    public func callback(
        from authorizationURL: @Sendable (_ redirectURI: URL) throws -> URL
    ) async throws -> URL {
        let advice = "Sign in on the paired iPhone, or by the device flow."
        if let reason = SystemTraits.refusalOfSockets(for: "A loopback redirect", advice) {
            throw OAuthError.unsupported(reason)
        }
        let state = Locked<String?>(nil)
        let listener = try LoopbackListener(path: path) { target in
            guard let expected = state.withLock({ $0 }) else { return true }
            return URL(string: target)?.uniqueQueryValues?["state"] == expected
        }
        guard let redirectURI = URL(string: "http://127.0.0.1:\(listener.port)\(path)") else {
            throw OAuthError.unsupported("The path of the redirect URI cannot stand in a URL.")
        }
        let page = try authorizationURL(redirectURI)
        state.withLock { $0 = page.uniqueQueryValues?["state"] }
        return try await withThrowingTaskGroup(of: URL?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                guard let url = URL(string: "http://127.0.0.1:\(listener.port)\(try await listener.target())") else {
                    throw OAuthError.invalidCallback
                }
                return url
            }
            group.addTask { [clock, timeLimit] in
                try await clock.sleep(for: timeLimit)
                throw OAuthError.timedOut
            }
            group.addTask { [open] in
                try await open(page)
                return nil
            }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw OAuthError.cancelled
        }
    }
}
