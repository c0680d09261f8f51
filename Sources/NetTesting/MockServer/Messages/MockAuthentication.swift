import NetCore
internal import NetSecurity

/// An authentication scheme (RFC 9110, section 11) and the credentials that the server accepts.
///
/// ```swift
/// server.on("/account", requiring: .bearer("token-1")) { _ in .text("yours") }
/// ```
public enum MockAuthentication: Hashable, Sendable {
    /// A name and a password in Base64 (RFC 7617).
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)
    /// A proof of the password by SHA-256 (RFC 7616), with `qop=auth`. Each count of a nonce is accepted once.
    case digest(user: String, password: String)

    /// The realm of the challenges.
    public static let realm = "mock"
}

/// Checks the credentials of requests to one route.
final class AuthenticationChecker: Sendable {
    private let authentication: MockAuthentication
    /// The nonce of Digest, which limits a proof to this server and this route.
    private let nonce = UUID().uuidString
    /// The highest count that was used with the nonce.
    private let lastCount = Locked<UInt64>(0)

    init(_ authentication: MockAuthentication) { self.authentication = authentication }

    /// Returns the challenge to a request, or nil if its credentials are valid.
    func challenge(for request: RecordedRequest) -> MockResponse? {
        let credentials = request.headers["Authorization"]
        return accepts(credentials, request)
            ? nil : .status(401, headers: ["WWW-Authenticate": challenge(to: credentials)])
    }

    private func accepts(_ credentials: String?, _ request: RecordedRequest) -> Bool {
        guard let parts = credentials?.split(separator: " ", maxSplits: 1), parts.count == 2 else { return false }
        let (scheme, rest) = (String(parts[0]), String(parts[1]).withoutHTTPWhitespace)
        switch authentication {
        case .basic(let user, let password):
            return scheme.equalsIgnoringASCIICase("Basic")
                && Data(base64Encoded: rest) == Data("\(user):\(password)".utf8)
        case .bearer(let token): return scheme.equalsIgnoringASCIICase("Bearer") && rest == token
        case .digest(let user, let password):
            return scheme.equalsIgnoringASCIICase("Digest")
                && accepts(HTTPChallenge.parse([credentials ?? ""]).first?.parameters ?? [:], user, password, request)
        }
    }

    private func challenge(to credentials: String?) -> String {
        let realm = "realm=\"\(MockAuthentication.realm)\""
        switch authentication {
        case .basic: return "Basic \(realm), charset=\"UTF-8\""
        // A request with a token gets an error (RFC 6750, section 3.1).
        case .bearer: return "Bearer \(realm)" + (credentials == nil ? "" : ", error=\"invalid_token\"")
        case .digest: return "Digest \(realm), nonce=\"\(nonce)\", qop=\"auth\", algorithm=SHA-256"
        }
    }

    /// Checks the proof of Digest (RFC 7616, section 3.4).
    private func accepts(
        _ fields: [String: String], _ user: String, _ password: String, _ request: RecordedRequest
    ) -> Bool {
        let realm = MockAuthentication.realm
        guard fields["username"] == user, fields["realm"] == realm, fields["nonce"] == nonce,
            fields["uri"] == request.target, fields["qop"] == "auth", let cnonce = fields["cnonce"],
            let count = fields["nc"], count.utf8.count == 8, let number = UInt64(count, radix: 16)
        else { return false }
        let secret = Self.hash("\(user):\(realm):\(password)")
        let what = Self.hash("\(request.method.rawValue):\(request.target)")
        let proof = Self.hash("\(secret):\(nonce):\(count):\(cnonce):auth:\(what)")
        guard fields["response"]?.asciiLowercased == proof else { return false }
        return lastCount.withLock { last in
            guard number > last else { return false }
            last = number
            return true
        }
    }

    private static func hash(_ text: String) -> String { SHA256.hex(Data(text.utf8)) }
}
