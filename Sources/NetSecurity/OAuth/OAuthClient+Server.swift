public import NetCore

extension OAuthClient {
    /// An authorization server: its endpoints and capabilities (RFC 8414).
    ///
    /// ```swift
    /// let server = try await OAuthClient.Server.discover(issuer: "https://auth.example.com", using: client)
    /// ```
    ///
    /// For a server without a discovery document use
    /// ``init(issuer:authorizationEndpoint:tokenEndpoint:deviceAuthorizationEndpoint:revocationEndpoint:)``.
    public struct Server: Hashable, Sendable, RedactedReflectable {
        /// The server's identifier, which distinguishes its callbacks from those of other servers (RFC 9207); nil if it has none.
        public let issuer: String?
        /// The page where users sign in.
        public let authorizationEndpoint: URL?
        /// The endpoint that issues tokens.
        public let tokenEndpoint: URL
        /// The endpoint for devices without a browser (RFC 8628).
        public let deviceAuthorizationEndpoint: URL?
        /// The endpoint that revokes tokens (RFC 7009).
        public let revocationEndpoint: URL?
        /// Whether every callback contains the issuer. One without it is then refused (RFC 9207).
        public var namesIssuerInAnswers = false
        /// The PKCE methods that the server supports; nil if unknown. This client uses `S256`.
        public var codeChallengeMethods: [String]?

        /// Creates a server with these endpoints.
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

        /// Reads the server's discovery document: that of OAuth (RFC 8414), or else that of OpenID Connect.
        ///
        /// - Parameters:
        ///   - issuer: the server's identifier, a URL that has to match exactly.
        ///   - http: a client. Its credentials are not sent.
        /// - Throws: ``OAuthError/issuerMismatch`` if the document is another server's, ``OAuthError/insecureEndpoint``,
        ///   ``OAuthError/malformedResponse(_:)``, ``OAuthError/network(_:)``.
        public static func discover(issuer: String, using http: any HTTPSending) async throws(OAuthError)
            -> OAuthClient.Server
        {
            guard let url = URL(string: issuer), url.host?.isEmpty == false, url.query == nil, url.fragment == nil
            else { throw .malformedResponse("An issuer is a URL without a query and a fragment.") }
            try requireSecure(url)
            var failure = OAuthError.malformedResponse("The server has no discovery document.")
            for document in documents(of: url) {
                var request = URLRequest(url: document)
                request.setValue("application/json", forHTTPHeaderField: "Accept")
                let answer = try await OAuthAnswer(to: request, using: http)
                guard answer.status == 200 else {
                    failure = answer.failure
                    if answer.status == 404 { continue }
                    break
                }
                guard let metadata = try? JSONDecoder().decode(Metadata.self, from: answer.body) else {
                    throw .malformedResponse("The discovery document lacks an issuer or a token endpoint.")
                }
                // Must be identical, or another server could impersonate this one (RFC 8414, section 3.3).
                guard metadata.issuer == issuer else { throw .issuerMismatch }
                return try metadata.server()
            }
            throw failure
        }

        /// RFC 8414, section 3.1 puts the well-known path before the issuer's path, OpenID Connect Discovery after it.
        private static func documents(of issuer: URL) -> [URL] {
            guard var components = URLComponents(url: issuer, resolvingAgainstBaseURL: false) else { return [] }
            var path = components.percentEncodedPath
            if path.hasSuffix("/") { path.removeLast() }
            let paths = ["/.well-known/oauth-authorization-server" + path, path + "/.well-known/openid-configuration"]
            return paths.compactMap {
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

            func server() throws(OAuthError) -> OAuthClient.Server {
                for url in [authorization_endpoint, token_endpoint, device_authorization_endpoint, revocation_endpoint]
                {
                    if let url { try OAuthClient.Server.requireSecure(url) }
                }
                var server = OAuthClient.Server(
                    issuer: issuer, authorizationEndpoint: authorization_endpoint, tokenEndpoint: token_endpoint,
                    deviceAuthorizationEndpoint: device_authorization_endpoint, revocationEndpoint: revocation_endpoint)
                server.namesIssuerInAnswers = authorization_response_iss_parameter_supported ?? false
                server.codeChallengeMethods = code_challenge_methods_supported
                return server
            }
        }

        /// The endpoints, without the secrets in URLs.
        public var shownFields: KeyValuePairs<String, Any?> {
            [
                "issuer": issuer.map(Redactor.standard.url),
                "authorizationEndpoint": authorizationEndpoint?.redactedText,
                "tokenEndpoint": tokenEndpoint.redactedText,
                "deviceAuthorizationEndpoint": deviceAuthorizationEndpoint?.redactedText,
                "revocationEndpoint": revocationEndpoint?.redactedText,
            ]
        }
    }
}

/// The response of an endpoint of the flows.
struct OAuthAnswer {
    let request: URLRequest
    let status: Int
    let body: Data

    /// More bytes than any token response has.
    private static let sizeLimit = 1 << 20

    /// Sends a request with any client, and reads the response.
    ///
    /// - Parameter body: the form of an endpoint that gets secrets or issues tokens. Such a request follows no redirect, since another
    ///   server's response could supply the tokens.
    init(to request: URLRequest, body: HTTPBody? = nil, using http: any HTTPSending) async throws(OAuthError) {
        self.request = request
        var context = RequestContext()
        context[FollowsRedirectsKey.self] = body == nil
        // The client's own credentials are not for this server, and they may be waiting for this request.
        context[AuthenticationProviderKey.self] = NoAuthProvider()
        do {
            let response = try await http.send(request, body: body, context: context)
            if body != nil { try Self.refuseRedirect(response, of: request) }
            status = response.status
            self.body = try await response.body.collect(upTo: Self.sizeLimit)
        } catch {
            if let error = error as? OAuthError { throw error }
            let failure = NetworkFailure(wrapping: error, request: request)
            throw failure.isCancellation ? .cancelled : .network(failure)
        }
    }

    /// Also refuses a response from another URL, in case the ``HTTPSending`` follows redirects by itself.
    private static func refuseRedirect(_ response: TransportResponse, of request: URLRequest) throws(OAuthError) {
        let isElsewhere = response.url.map { $0.origin != request.url?.origin || $0.path != request.url?.path } ?? false
        guard isElsewhere || (300..<400).contains(response.status) else { return }
        throw .endpointRedirected(statusCode: response.status)
    }

    /// Returns the decoded body of a successful response.
    ///
    /// - Throws: ``refusal`` for other statuses, or ``OAuthError/malformedResponse(_:)``.
    func decoded<Value: Decodable>(_ type: Value.Type, _ what: String) throws(OAuthError) -> Value {
        guard (200..<300).contains(status) else { throw refusal }
        guard let value = try? JSONDecoder().decode(type, from: body) else {
            throw .malformedResponse("The \(what) cannot be read.")
        }
        return value
    }

    /// The error of a status without an OAuth error.
    var failure: OAuthError {
        .network(
            NetworkFailure(cause: .requestFailed(statusCode: status, data: nil), request: RequestSnapshot(request)))
    }

    /// The same, or OAuth's error if the body contains one.
    var refusal: OAuthError {
        struct Body: Decodable {
            let error: String
            let error_description: String?
            let error_uri: String?
        }
        // The body of a 5xx response may come from a proxy.
        guard (400..<500).contains(status), let body = try? JSONDecoder().decode(Body.self, from: body) else {
            return failure
        }
        return .server(
            OAuthError.Response(
                code: body.error, explanation: body.error_description,
                documentation: body.error_uri.flatMap(URL.init(string:)), statusCode: status))
    }
}
