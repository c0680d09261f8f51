public import NetCore

/// An authorization server: where its endpoints are, and what it can do (RFC 8414).
///
/// ```swift
/// let server = try await OAuthServer.discover(issuer: "https://auth.example.com", using: client)
/// ```
///
/// Or by hand, for a server without a discovery document: ``init(issuer:authorizationEndpoint:tokenEndpoint:deviceAuthorizationEndpoint:revocationEndpoint:)``.
public struct OAuthServer: Hashable, Sendable {
    /// The server's name for itself; nil if it has none. With it, answers of other servers are told apart (RFC 9207).
    public let issuer: String?
    /// Where users sign in.
    public let authorizationEndpoint: URL?
    /// Where tokens are had.
    public let tokenEndpoint: URL
    /// Where devices without a browser begin (RFC 8628).
    public let deviceAuthorizationEndpoint: URL?
    /// Where tokens are given back (RFC 7009).
    public let revocationEndpoint: URL?
    /// Whether every answer says whose it is: one that does not is then refused (RFC 9207).
    public var namesIssuerInAnswers = false
    /// How the server checks that the code goes to who asked for it; nil if it did not say. `S256` is what this client uses.
    public var codeChallengeMethods: [String]?

    /// A server whose endpoints are known.
    public init(
        issuer: String? = nil, authorizationEndpoint: URL? = nil, tokenEndpoint: URL,
        deviceAuthorizationEndpoint: URL? = nil, revocationEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        self.revocationEndpoint = revocationEndpoint
    }
}

extension OAuthServer {
    /// Reads the server's discovery document: the one of OAuth (RFC 8414), else the one of OpenID Connect.
    ///
    /// - Parameters:
    ///   - issuer: the server's name for itself, which is a URL: to the letter.
    ///   - http: a client. It gets no credentials along, whatever it has.
    /// - Throws: ``OAuthError/issuerMismatch`` if the document is another server's, ``OAuthError/insecureEndpoint``,
    ///   ``OAuthError/malformedResponse(_:)``, ``OAuthError/network(_:)``.
    public static func discover(issuer: String, using http: any HTTPSending) async throws(OAuthError) -> OAuthServer {
        guard let url = URL(string: issuer), let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil
        else {
            throw .malformedResponse("An issuer is a URL without query and fragment.")
        }
        try requireSecure(url)
        let exchange = OAuthExchange(http: http)
        var failure = OAuthError.malformedResponse("There is no discovery document.")
        for document in documents(of: url) {
            let answer = try await exchange.get(document)
            guard answer.status == 200 else {
                failure = answer.failure
                if answer.status == 404 { continue }
                break
            }
            guard let metadata = try? JSONDecoder().decode(Metadata.self, from: answer.body) else {
                throw .malformedResponse("The discovery document lacks an issuer or a token endpoint.")
            }
            // RFC 8414, section 3.3: identical, or another server could make itself ours.
            guard metadata.issuer == issuer else { throw .issuerMismatch }
            return try metadata.server()
        }
        throw failure
    }

    /// RFC 8414, section 3.1 puts the name before the path, OpenID Connect Discovery behind it.
    private static func documents(of issuer: URL) -> [URL] {
        guard var components = URLComponents(url: issuer, resolvingAgainstBaseURL: false) else { return [] }
        var path = components.percentEncodedPath
        if path.hasSuffix("/") { path.removeLast() }
        return ["/.well-known/oauth-authorization-server" + path, path + "/.well-known/openid-configuration"].compactMap
        {
            components.percentEncodedPath = $0
            return components.url
        }
    }

    /// - Throws: ``OAuthError/insecureEndpoint`` unless it is https, or on this machine.
    static func requireSecure(_ url: URL) throws(OAuthError) {
        let scheme = url.scheme?.asciiLowercased
        guard scheme == "https" || (scheme == "http" && url.isLoopback) else { throw .insecureEndpoint }
    }

    private struct Metadata: Decodable {
        let issuer: String
        let authorization_endpoint: URL?
        let token_endpoint: URL
        let device_authorization_endpoint: URL?
        let revocation_endpoint: URL?
        let authorization_response_iss_parameter_supported: Bool?
        let code_challenge_methods_supported: [String]?

        func server() throws(OAuthError) -> OAuthServer {
            for url in [authorization_endpoint, token_endpoint, device_authorization_endpoint, revocation_endpoint] {
                if let url { try OAuthServer.requireSecure(url) }
            }
            var server = OAuthServer(
                issuer: issuer, authorizationEndpoint: authorization_endpoint, tokenEndpoint: token_endpoint,
                deviceAuthorizationEndpoint: device_authorization_endpoint, revocationEndpoint: revocation_endpoint)
            server.namesIssuerInAnswers = authorization_response_iss_parameter_supported ?? false
            server.codeChallengeMethods = code_challenge_methods_supported
            return server
        }
    }
}

extension OAuthServer: RedactedReflectable {
    /// The endpoints, without what may be secret in a URL.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "issuer": issuer.map(Redactor.standard.url), "authorizationEndpoint": authorizationEndpoint?.redactedText,
            "tokenEndpoint": tokenEndpoint.redactedText,
            "deviceAuthorizationEndpoint": deviceAuthorizationEndpoint?.redactedText,
            "revocationEndpoint": revocationEndpoint?.redactedText,
        ]
    }
}
