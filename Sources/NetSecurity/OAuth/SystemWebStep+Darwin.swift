// tvOS and watchOS have no window to show the sheet over.
#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import NetCore

    /// Has the user sign in with the system's own sheet (`ASWebAuthenticationSession`, seed 002).
    ///
    /// The redirect URI has either a scheme of the app's own, such as `myapp://callback`, or `https` with a host and a path of one of the
    /// app's associated domains (iOS 17.4, macOS 14.4, visionOS 1.1 and later). `anchor` gives the window to show the sheet over.
    public struct SystemWebStep: OAuthWebStep {
        private let redirectURI: URL
        private let isEphemeral: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// A step that comes back to a URL of the app.
        ///
        /// - Parameters:
        ///   - redirectURI: as the server knows it: `myapp://callback`, or `https://example.com/callback`.
        ///   - isEphemeral: whether the browser's cookies are left out, so that the user signs in anew each time.
        ///   - anchor: the window to show the sheet over.
        public init(
            redirectURI: URL, isEphemeral: Bool = true,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) {
            self.redirectURI = redirectURI
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        /// Shows the sheet, and waits for it to come back.
        ///
        /// - Throws: ``OAuthError/cancelled`` if the user closes the sheet or the task is cancelled; ``OAuthError/unsupported(_:)`` if the system
        ///   shows no sheet now, or cannot come back to such a redirect URI; `CancellationError` if the task was cancelled before; the
        ///   system's error.
        public func callback(
            from authorizationURL: @Sendable (_ redirectURI: URL) throws -> URL
        ) async throws -> URL {
            try await present(try authorizationURL(redirectURI))
        }

        @MainActor
        private func present(_ page: URL) async throws -> URL {
            try Task.checkCancellation()
            let sheet = Sheet(anchor: anchor())
            return try await withTaskCancellationHandler {
                try sheet.start(page, redirectURI: redirectURI, isEphemeral: isEphemeral)
                return try await sheet.answer.value
            } onCancel: {
                // The system is not said to call the handler of a session that is cancelled.
                sheet.answer.give(.failure(OAuthError.cancelled))
                Task { @MainActor in sheet.dismiss() }
            }
        }
    }

    @MainActor
    private final class Sheet: NSObject, ASWebAuthenticationPresentationContextProviding {
        nonisolated let answer = SheetAnswer()
        private nonisolated let anchor: ASPresentationAnchor
        private var session: ASWebAuthenticationSession?

        init(anchor: ASPresentationAnchor) {
            self.anchor = anchor
        }

        func start(_ page: URL, redirectURI: URL, isEphemeral: Bool) throws(OAuthError) {
            // The system calls the handler on any queue, however often. A closure that is not `@Sendable` would be isolated to the main
            // actor here, and trap elsewhere.
            let session = try Self.session(page, redirectURI) { @Sendable [answer] url, error in
                if let url { return answer.give(.success(url)) }
                let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                answer.give(.failure(isCancelled ? OAuthError.cancelled : error ?? OAuthError.invalidCallback))
            }
            self.session = session
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            if !session.start() {
                answer.give(.failure(OAuthError.unsupported("The system shows no sheet now.")))
            }
        }

        private static func session(
            _ page: URL, _ redirectURI: URL, _ handler: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) throws(OAuthError) -> ASWebAuthenticationSession {
            guard let scheme = redirectURI.scheme?.lowercased(), scheme != "http" else {
                throw .unsupported(
                    "The sheet comes back to a scheme of the app's own, such as myapp://callback, or to an https URL.")
            }
            guard scheme == "https" else {
                return ASWebAuthenticationSession(url: page, callbackURLScheme: scheme, completionHandler: handler)
            }
            guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *), SystemTraits.current.hasHTTPSCallbacks else {
                throw .unsupported(
                    "This system's sheet cannot come back to an https URL: that takes iOS 17.4, macOS 14.4 or visionOS 1.1. Use a "
                        + "redirect URI with a scheme of the app's own.")
            }
            guard let host = redirectURI.host, !host.isEmpty else {
                throw .unsupported("The redirect URI has no host.")
            }
            let path = redirectURI.path.isEmpty ? "/" : redirectURI.path
            return ASWebAuthenticationSession(
                url: page, callback: .https(host: host, path: path), completionHandler: handler)
        }

        /// The system may call the handler now, or not.
        func dismiss() {
            session?.cancel()
        }

        /// Not isolated, since the protocol is of the main actor in newer SDKs and of no actor in Xcode 16's.
        nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }

    /// What a sheet came back with: the first answer counts, from any thread.
    private final class SheetAnswer: Sendable {
        private enum State {
            case open
            case awaited(CheckedContinuation<URL, any Error>)
            case given(Result<URL, any Error>)
        }

        private let state = Locked(State.open)

        func give(_ result: Result<URL, any Error>) {
            let waiting = state.withLock { state -> CheckedContinuation<URL, any Error>? in
                switch state {
                case .open:
                    state = .given(result)
                    return nil
                case .awaited(let continuation):
                    state = .given(result)
                    return continuation
                case .given: return nil
                }
            }
            waiting?.resume(with: result)
        }

        /// For one reader.
        var value: URL {
            get async throws {
                try await withCheckedThrowingContinuation { continuation in
                    let result = state.withLock { state -> Result<URL, any Error>? in
                        if case .given(let result) = state { return result }
                        state = .awaited(continuation)
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            }
        }
    }
#endif
