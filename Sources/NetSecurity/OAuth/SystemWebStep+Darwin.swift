// tvOS and watchOS have no window to show the sheet over.
#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import NetCore

    /// Has the user sign in with the system's own sheet (`ASWebAuthenticationSession`, seed 002).
    ///
    /// Its redirect URI has a scheme of the app's own, `myapp://callback`, and `anchor` gives the window to show the sheet over.
    public struct SystemWebStep: OAuthWebStep {
        private let redirectURI: URL
        private let isEphemeral: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// A step that comes back to a scheme of the app's own.
        ///
        /// - Parameters:
        ///   - redirectURI: as the server knows it: `myapp://callback`.
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
        public func callback(
            from authorizationURL: @Sendable (_ redirectURI: URL) throws -> URL
        ) async throws -> URL {
            try await present(try authorizationURL(redirectURI))
        }

        @MainActor
        private func present(_ page: URL) async throws -> URL {
            let sheet = Sheet(anchor: anchor())
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    sheet.start(page, scheme: redirectURI.scheme, isEphemeral: isEphemeral) {
                        continuation.resume(with: $0)
                    }
                }
            } onCancel: {
                Task { @MainActor in sheet.cancel() }
            }
        }
    }

    @MainActor
    private final class Sheet: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let anchor: ASPresentationAnchor
        private var session: ASWebAuthenticationSession?

        init(anchor: ASPresentationAnchor) {
            self.anchor = anchor
        }

        func start(
            _ page: URL, scheme: String?, isEphemeral: Bool,
            completion: @escaping @Sendable (Result<URL, any Error>) -> Void
        ) {
            // A continuation is resumed once, whatever the system calls.
            let rest = Locked<(@Sendable (Result<URL, any Error>) -> Void)?>(completion)
            let completion: @Sendable (Result<URL, any Error>) -> Void = { result in
                let completion = rest.withLock { rest in
                    defer { rest = nil }
                    return rest
                }
                completion?(result)
            }
            if Task.isCancelled { return completion(.failure(CancellationError())) }
            let session = ASWebAuthenticationSession(url: page, callbackURLScheme: scheme) { url, error in
                if let url { return completion(.success(url)) }
                let isCancelled = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                completion(.failure(isCancelled ? OAuthError.cancelled : error ?? OAuthError.invalidCallback))
            }
            self.session = session
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            if !session.start() { completion(.failure(OAuthError.unsupported("The system shows no sheet now."))) }
        }

        func cancel() {
            session?.cancel()
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }
#endif
