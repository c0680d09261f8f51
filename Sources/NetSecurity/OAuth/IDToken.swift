import NetCore

/// The claims of an ID token (OpenID Connect Core, section 2) that came straight from the token endpoint.
struct IDToken {
    let subject: String
    private let claims: Claims

    private struct Claims: Decodable {
        let iss: String
        let sub: String
        let aud: Audience
        let exp: Double
        let nonce: String?
        let azp: String?
    }

    /// One, or a list.
    private struct Audience: Decodable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            names = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    /// Clocks differ.
    private static let leeway: TimeInterval = 60

    /// - Throws: ``OAuthError/invalidIDToken(_:)`` for what is no JWT with these claims.
    init(_ token: String) throws(OAuthError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Data(base64URL: parts[1]),
            let claims = try? JSONDecoder().decode(Claims.self, from: payload)
        else { throw .invalidIDToken("it is no signed JWT with iss, sub, aud and exp") }
        self.claims = claims
        subject = claims.sub
    }

    /// OpenID Connect Core, section 3.1.3.7, but for the signature: TLS says whom it comes from.
    func check(issuer: String?, audience: String, nonce: String?, now: Date) throws(OAuthError) {
        if let issuer, claims.iss != issuer { throw .issuerMismatch }
        guard claims.aud.names.contains(audience), claims.azp == nil || claims.azp == audience else {
            throw .invalidIDToken("it is for another client")
        }
        guard claims.exp + Self.leeway > now.timeIntervalSince1970 else { throw .invalidIDToken("it has ended") }
        guard claims.nonce == nonce else { throw .invalidIDToken("its nonce is another request's") }
    }
}
