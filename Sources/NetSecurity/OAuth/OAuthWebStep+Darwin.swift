// tvOS and watchOS have no window to show the sheet over.
#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import NetCore

    extension OAuthWebStep {
        /// Signs the user in with the system's own sheet (`ASWebAuthenticationSession`).
        ///
        /// It throws ``OAuthError/cancelled`` if the user closes the sheet or the task is cancelled, ``OAuthError/unsupported(_:)`` if
        /// the system cannot show a sheet now or cannot return to the redirect URI, `CancellationError` if the task was cancelled
        /// before, and the system's errors.
        ///
        /// - Parameters:
        ///   - redirectURI: as the server knows it: with a scheme of the app's own, `myapp://callback`, or `https` with a host and a path
        ///     of one of the app's associated domains (iOS 17.4, macOS 14.4, visionOS 1.1 and later).
        ///   - isEphemeral: whether the browser's cookies are ignored, so that the user signs in each time.
        ///   - anchor: returns the window to show the sheet over.
        public static func system(
            redirectURI: URL, isEphemeral: Bool = true,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) -> OAuthWebStep {
            OAuthWebStep { authorizationURL in
                try await Sheet.present(
                    try authorizationURL(redirectURI), redirectURI: redirectURI, isEphemeral: isEphemeral,
                    anchor: anchor)
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

        static func present(
            _ page: URL, redirectURI: URL, isEphemeral: Bool, anchor: @MainActor @Sendable () -> ASPresentationAnchor
        ) async throws -> URL {
            try Task.checkCancellation()
            let sheet = Sheet(anchor: anchor())
            return try await withTaskCancellationHandler {
                try sheet.start(page, redirectURI: redirectURI, isEphemeral: isEphemeral)
                return try await sheet.answer.value
            } onCancel: {
                // It is not documented that the system calls the handler of a cancelled session.
                sheet.answer.give(.failure(OAuthError.cancelled))
                Task { @MainActor in sheet.dismiss() }
            }
        }

        func start(_ page: URL, redirectURI: URL, isEphemeral: Bool) throws(OAuthError) {
            // The system calls the handler on any queue, any number of times. Without `@Sendable` the closure would be isolated to the
            // main actor, and trap on other queues.
            let session = try Self.session(page, redirectURI) { @Sendable [answer] url, error in
                if let url { return answer.give(.success(url)) }
                let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                answer.give(.failure(isCancelled ? OAuthError.cancelled : error ?? OAuthError.invalidCallback))
            }
            self.session = session
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            if !session.start() {
                answer.give(.failure(OAuthError.unsupported("The system cannot show a sheet now.")))
            }
        }

        private static func session(
            _ page: URL, _ redirectURI: URL, _ handler: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) throws(OAuthError) -> ASWebAuthenticationSession {
            guard let scheme = redirectURI.scheme?.lowercased(), scheme != "http" else {
                throw .unsupported(
                    "The sheet returns to a scheme of the app's own, such as myapp://callback, or to an https URL.")
            }
            guard scheme == "https" else {
                return ASWebAuthenticationSession(url: page, callbackURLScheme: scheme, completionHandler: handler)
            }
            guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *), SystemTraits.current.hasHTTPSCallbacks else {
                throw .unsupported(
                    "This system's sheet cannot return to an https URL. That requires iOS 17.4, macOS 14.4 or visionOS 1.1. Use a "
                        + "redirect URI with a scheme of the app's own.")
            }
            guard let host = redirectURI.host, !host.isEmpty else {
                throw .unsupported("The redirect URI has no host.")
            }
            let path = redirectURI.path.isEmpty ? "/" : redirectURI.path
            return ASWebAuthenticationSession(
                url: page, callback: .https(host: host, path: path), completionHandler: handler)
        }

        /// Closes the sheet. The system may or may not call the handler.
        func dismiss() {
            session?.cancel()
        }

        /// Not isolated, because the protocol belongs to the main actor in newer SDKs but not in Xcode 16's.
        nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }

    /// The result of a sheet. The first one counts, from any thread.
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

        /// Waits for the result. It has one reader.
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
