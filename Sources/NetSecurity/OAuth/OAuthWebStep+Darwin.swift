// tvOS and watchOS have no window to show the sheet over.
#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import NetCore

    extension OAuthClient.WebStep {
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
        ) -> OAuthClient.WebStep {
            OAuthClient.WebStep { authorizationURL in
                try await Sheet.present(
                    try authorizationURL(redirectURI), redirectURI: redirectURI, isEphemeral: isEphemeral,
                    anchor: anchor)
            }
        }
    }

    @MainActor
    private final class Sheet: NSObject, ASWebAuthenticationPresentationContextProviding {
        /// Gets the result of the sheet, from any thread. The first one counts.
        private nonisolated let answer: AsyncThrowingStream<URL, any Error>.Continuation
        private nonisolated let anchor: ASPresentationAnchor
        private var session: ASWebAuthenticationSession?

        init(anchor: ASPresentationAnchor, answer: AsyncThrowingStream<URL, any Error>.Continuation) {
            self.anchor = anchor
            self.answer = answer
        }

        static func present(
            _ page: URL, redirectURI: URL, isEphemeral: Bool, anchor: @MainActor @Sendable () -> ASPresentationAnchor
        ) async throws -> URL {
            try Task.checkCancellation()
            let (answers, answer) = AsyncThrowingStream<URL, any Error>.makeStream()
            let sheet = Sheet(anchor: anchor(), answer: answer)
            try sheet.start(page, redirectURI: redirectURI, isEphemeral: isEphemeral)
            return try await withTaskCancellationHandler {
                for try await url in answers { return url }
                // The stream of a cancelled task ends. It is not documented that the system calls the handler of a cancelled session.
                throw OAuthError.cancelled
            } onCancel: {
                Task { @MainActor in sheet.dismiss() }
            }
        }

        func start(_ page: URL, redirectURI: URL, isEphemeral: Bool) throws(OAuthError) {
            // The system calls the handler on any queue, any number of times. Without `@Sendable` the closure would be isolated to the
            // main actor, and trap on other queues.
            let session = try Self.session(page, redirectURI) { @Sendable [answer] url, error in
                if let url {
                    answer.yield(url)
                    return answer.finish()
                }
                let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                answer.finish(throwing: isCancelled ? OAuthError.cancelled : error ?? OAuthError.invalidCallback)
            }
            self.session = session
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            if !session.start() {
                answer.finish(throwing: OAuthError.unsupported("The system cannot show a sheet now."))
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
        func dismiss() { session?.cancel() }

        /// Not isolated, because the protocol belongs to the main actor in newer SDKs but not in Xcode 16's.
        nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }
#endif
