public import NetCore

/// Has the user sign in, in a browser: the one step of the code flow that no client can do by itself.
///
/// `SystemWebStep` shows Apple's own sheet, ``LoopbackWebStep`` any browser on this machine (RFC 8252). One of your own makes a redirect
/// URI that leads back to it, asks for the URL to open with it, and gives the URL that came back, whole. It looks at neither.
public protocol OAuthWebStep: Sendable {
    /// Has the user sign in.
    ///
    /// - Parameter authorizationURL: gives the page to show, for the redirect URI that is to end there. Call it once.
    /// - Returns: the redirect URI as the browser called it, with what the server added to it.
    /// - Throws: ``OAuthError/cancelled``, ``OAuthError/timedOut``, `CancellationError`, or what you have.
    func callback(
        from authorizationURL: @Sendable (_ redirectURI: URL) throws -> URL
    ) async throws -> URL
}
