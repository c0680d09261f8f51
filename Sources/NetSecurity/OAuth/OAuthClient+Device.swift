public import NetCore

/// What a user has to do elsewhere so that this device gets tokens (RFC 8628, section 3.2). Show the code and the page.
public struct DeviceAuthorization: Sendable {
    /// What the user types in.
    public let userCode: String
    /// Where.
    public let verificationURI: URL
    /// The same with the code in it, for a QR code; nil if the server has none.
    public let verificationURIComplete: URL?
    /// When it is too late.
    public let expiration: Date
    /// How long to wait between two questions, in seconds.
    public let interval: TimeInterval
    let deviceCode: String
}

extension DeviceAuthorization: RedactedReflectable {
    /// What the user may see: the page without its query, and when it is too late. The codes are not shown.
    public var shownFields: KeyValuePairs<String, Any?> {
        ["verificationURI": verificationURI.redactedText, "expiration": expiration, "interval": interval]
    }
}

extension OAuthClient {
    /// Begins the flow for devices without a browser (RFC 8628).
    ///
    /// ```swift
    /// let device = try await oauth.deviceAuthorization()
    /// print("Open \(device.verificationURI) and type \(device.userCode)")
    /// let tokens = try await oauth.tokens(for: device)
    /// ```
    ///
    /// - Throws: ``OAuthError/unsupported(_:)`` if the server has no such endpoint, and others.
    public func deviceAuthorization() async throws(OAuthError) -> DeviceAuthorization {
        struct Body: Decodable {
            let deviceCode: String
            let userCode: String
            let verificationURI: URL
            let verificationURIComplete: URL?
            let lifetime: TimeInterval
            let interval: TimeInterval?

            enum CodingKeys: String, CodingKey {
                case device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                deviceCode = try container.decode(String.self, forKey: .device_code)
                userCode = try container.decode(String.self, forKey: .user_code)
                verificationURI = try container.decode(URL.self, forKey: .verification_uri)
                verificationURIComplete = try? container.decode(URL.self, forKey: .verification_uri_complete)
                lifetime = container.lenientSeconds(forKey: .expires_in) ?? 600
                interval = container.lenientSeconds(forKey: .interval)
            }
        }
        guard let endpoint = server.deviceAuthorizationEndpoint else {
            throw .unsupported("The server has no endpoint for devices.")
        }
        let asked = clock.now
        let body = try await post(["scope": scope], to: endpoint).decoded(Body.self, "device response")
        return DeviceAuthorization(
            userCode: body.userCode, verificationURI: body.verificationURI,
            verificationURIComplete: body.verificationURIComplete, expiration: asked.addingTimeInterval(body.lifetime),
            // A server that says zero means as often as you like; one a second is often enough.
            interval: max(1, body.interval ?? Self.usualInterval), deviceCode: body.deviceCode)
    }

    /// Waits until the user has decided, asking as often as the server permits.
    ///
    /// - Throws: ``OAuthError/server(_:)`` with `access_denied` or `expired_token`; ``OAuthError/timedOut`` when it is too late by this
    ///   clock; ``OAuthError/cancelled`` as soon as the task is. Outages on the way are waited out.
    public func tokens(for device: DeviceAuthorization) async throws(OAuthError) -> OAuthTokens {
        var interval = device.interval
        while clock.now.addingTimeInterval(interval) < device.expiration {
            do {
                try await clock.sleep(for: interval)
            } catch {
                throw .cancelled
            }
            do throws(OAuthError) {
                return try await tokens([
                    "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": device.deviceCode,
                ])
            } catch {
                switch error {
                case .server(let response) where response.code == .authorizationPending: continue
                // RFC 8628, section 3.5.
                case .server(let response) where response.code == .slowDown: interval += 5
                case .network(let failure) where failure.isRetryable: interval = min(interval * 2, 60)
                default: throw error
                }
            }
        }
        throw .timedOut
    }

    /// RFC 8628, section 3.2.
    private static let usualInterval: TimeInterval = 5
}
