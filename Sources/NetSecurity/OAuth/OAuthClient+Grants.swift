public import NetCore

// The grants without a browser on this device, and revocation.
extension OAuthClient {
    /// Exchanges a refresh token for new tokens (RFC 6749, section 6).
    ///
    /// The server may return another refresh token, and then the old one is no longer valid, so store the result. If the server returns
    /// none, the result contains the old one.
    ///
    /// - Throws: ``OAuthError``. If it ``OAuthError/endsSession``, the user has to sign in again.
    public func refresh(_ refreshToken: String) async throws(OAuthError) -> OAuthClient.Tokens {
        var fresh = try await tokens(["grant_type": "refresh_token", "refresh_token": refreshToken])
        fresh.refreshToken = fresh.refreshToken ?? refreshToken
        return fresh
    }

    /// Refreshes a session, as ``SessionAuthenticator`` needs it: `refresh: oauth.refresh`.
    ///
    /// - Throws: ``OAuthError``, ``SessionError/notRefreshable``; a ``NetworkFailure`` if the server could not be reached, so that it is
    ///   reported as an outage.
    @Sendable public func refresh(_ session: Session) async throws -> Session {
        guard let refreshToken = session.refreshToken else { throw SessionError.notRefreshable }
        do {
            return try await refresh(refreshToken).session(userID: session.userID) ?? session
        } catch {
            if case .network(let failure) = error, failure.isRetryable { throw failure }
            throw error
        }
    }

    /// Gets a token for the client itself, without a user (RFC 6749, section 4.4). The client needs a secret.
    public func clientCredentials() async throws(OAuthError) -> OAuthClient.Tokens {
        try await tokens(["grant_type": "client_credentials", "scope": scope])
    }

    /// A kind of token, as a hint for the server.
    public enum TokenKind: String, Sendable {
        case accessToken = "access_token"
        /// Servers usually revoke the access tokens along with it.
        case refreshToken = "refresh_token"
    }

    /// Revokes a token (RFC 7009). A token that the server does not know is not an error.
    ///
    /// - Parameters:
    ///   - token: a refresh token or an access token.
    ///   - hint: its kind, to help the server.
    /// - Throws: ``OAuthError/unsupported(_:)`` if the server has no such endpoint, and other errors.
    public func revoke(_ token: String, hint: TokenKind? = .refreshToken) async throws(OAuthError) {
        guard let endpoint = server.revocationEndpoint else {
            throw .unsupported("The server has no revocation endpoint.")
        }
        let answer = try await post(["token": token, "token_type_hint": hint?.rawValue], to: endpoint)
        guard (200..<300).contains(answer.status) else { throw answer.refusal }
    }
}

// The device flow (RFC 8628).
extension OAuthClient {
    /// What a user has to do on another device (RFC 8628, section 3.2). Show the code and the page.
    public struct DeviceAuthorization: Sendable, RedactedReflectable {
        /// The code that the user types in.
        public let userCode: String
        /// The page that asks for the code.
        public let verificationURI: URL
        /// The page with the code in its URL, for a QR code; nil if the server sent none.
        public let verificationURIComplete: URL?
        /// When the code expires.
        public let expiration: Date
        /// The time between two polls, in seconds.
        public let interval: TimeInterval
        let deviceCode: String

        /// The page without its query, the expiration and the interval. The codes are not shown.
        public var shownFields: KeyValuePairs<String, Any?> {
            ["verificationURI": verificationURI.redactedText, "expiration": expiration, "interval": interval]
        }
    }

    /// Begins the flow for devices without a browser (RFC 8628).
    ///
    /// ```swift
    /// let device = try await oauth.deviceAuthorization()
    /// print("Open \(device.verificationURI) and type \(device.userCode)")
    /// let tokens = try await oauth.tokens(for: device)
    /// ```
    ///
    /// - Throws: ``OAuthError/unsupported(_:)`` if the server has no such endpoint, and other errors.
    public func deviceAuthorization() async throws(OAuthError) -> DeviceAuthorization {
        guard let endpoint = server.deviceAuthorizationEndpoint else {
            throw .unsupported("The server has no device authorization endpoint.")
        }
        let asked = clock.now
        let body = try await post(["scope": scope], to: endpoint).decoded(DeviceResponse.self, "device response")
        return DeviceAuthorization(
            userCode: body.user_code, verificationURI: body.verification_uri,
            verificationURIComplete: body.verification_uri_complete?.url,
            expiration: asked.addingTimeInterval(body.expires_in?.value ?? 600),
            // The default is that of RFC 8628, section 3.2. Zero would mean polling without a pause.
            interval: max(1, body.interval?.value ?? 5), deviceCode: body.device_code)
    }

    /// Polls as often as the server permits, until the user has decided. Waits out outages.
    ///
    /// - Throws: ``OAuthError/server(_:)`` with `access_denied` or `expired_token`; ``OAuthError/timedOut`` when the code has expired by
    ///   the client's clock; ``OAuthError/cancelled`` as soon as the task is cancelled.
    public func tokens(for device: DeviceAuthorization) async throws(OAuthError) -> OAuthClient.Tokens {
        var interval = device.interval
        while clock.now.addingTimeInterval(interval) < device.expiration {
            do { try await clock.sleep(for: interval) } catch { throw .cancelled }
            do throws(OAuthError) {
                return try await tokens([
                    "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": device.deviceCode,
                ])
            } catch {
                switch error {
                case .server where error.code == "authorization_pending": continue
                // RFC 8628, section 3.5.
                case .server where error.code == "slow_down": interval += 5
                case .network(let failure) where failure.isRetryable: interval = max(interval, min(interval * 2, 60))
                default: throw error
                }
            }
        }
        throw .timedOut
    }
}

private struct DeviceResponse: Decodable {
    let device_code: String
    let user_code: String
    let verification_uri: URL
    let verification_uri_complete: Page?
    let expires_in: TokenResponse.Seconds?
    let interval: TokenResponse.Seconds?

    /// A URL; nil for anything else.
    struct Page: Decodable {
        let url: URL?

        init(from decoder: any Decoder) { url = (try? String(from: decoder)).flatMap(URL.init(string:)) }
    }
}
