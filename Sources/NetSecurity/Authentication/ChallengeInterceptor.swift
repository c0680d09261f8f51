public import NetCore

/// Answers a server's challenge with a username and a password: Digest (RFC 7616) or Basic (RFC 7617).
///
/// ```swift
/// let login = ChallengeInterceptor(username: "ada", password: "pass", hosts: ["printer.example.com"])
/// let client = NetworkClient(interceptors: [login])
/// ```
///
/// It answers the strongest challenge that both sides know: Digest with SHA-512/256, SHA-256, MD5, then Basic. Later requests use the
/// same nonce, each with the next count, until the server sends another one (`nextnonce`, `stale`). If a request's body can be read
/// only once, the caller gets the server's 401, and the next request has credentials from the start.
///
/// Digest only hides the password from eavesdroppers, so use https. MD5 is weak: permit it only for servers that offer nothing else.
public final class ChallengeInterceptor: HTTPInterceptor, FinalInterceptor, CredentialOwner, CustomReflectable {
    /// An authentication scheme.
    public enum Scheme: Sendable, CaseIterable {
        /// Digest with SHA-256 or, if the system has it, SHA-512/256.
        case digest
        /// Digest with MD5.
        case digestMD5
        /// Basic, which sends the password itself. Only over https, or to this machine.
        case basic
    }

    private let username: String
    private let password: String
    private let hosts: Set<String>
    private let scope: CredentialScope
    private let schemes: Set<Scheme>
    private let sessions = Locked<[Origin: Session]>([:])

    /// What a server accepted.
    private enum Session {
        case digest(DigestChallenge, clientNonce: String, count: UInt32)
        case basic
    }

    /// The largest body that is digested, in bytes.
    private static let bodyLimit = 64 << 20

    /// Creates an interceptor for one username and password.
    ///
    /// - Parameters:
    ///   - username: the username.
    ///   - password: the password.
    ///   - hosts: the hosts that may receive them: `"printer.example.com"`, or with a port that is not the scheme's default,
    ///     `"printer.example.com:8443"`. A call that starts at the host may use any port. Other origins, such as the target of a
    ///     redirect, get no answer.
    ///   - schemes: the permitted schemes. Without ``Scheme/basic`` an attacker on the network cannot request the password itself.
    public init(username: String, password: String, hosts: Set<String>, schemes: Set<Scheme> = Set(Scheme.allCases)) {
        self.username = username
        self.password = password
        self.hosts = Set(hosts.map(\.asciiLowercased))
        scope = CredentialScope(hosts: hosts)
        self.schemes = schemes
    }

    /// Sends the request, with credentials if the server has sent a challenge before. If it sends one now, the client's retry engine
    /// repeats the request.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let url = request.url, let origin = url.origin, scope.includesHost(of: url, from: next.context.origin),
            request.value(forHTTPHeaderField: "Authorization") == nil
        else { return try await next(request) }
        let response = try await next(try await authenticated(request, url, origin, next.body))
        if response.status != 401 { takeNextNonce(from: response, origin) }
        return response
    }

    /// Returns the request with the credentials for its server, or unchanged if the server has not sent a challenge yet.
    private func authenticated(
        _ request: URLRequest, _ url: URL, _ origin: Origin, _ body: HTTPBody?
    ) async throws -> URLRequest {
        guard let session = use(origin) else { return request }
        let header: HTTPHeader
        switch session {
        case .basic: header = .authorization(username: username, password: password)
        case .digest(let challenge, let clientNonce, let count):
            var answer = DigestAnswer(
                challenge: challenge, username: username, password: password, method: request.httpMethod ?? "GET",
                target: url.requestTarget, clientNonce: clientNonce, count: count)
            if challenge.protection == .integrity, let body {
                guard body.isReplayable else { throw NetworkError.bodyNotReplayable }
                answer.body = try await body.collect(upTo: Self.bodyLimit)
            }
            header = .authorization(try answer.authorization())
            guard header.isValid else {
                throw RequestBuildingError("The server's challenge, or the username, has a line break in it.")
            }
        }
        var request = request
        request.setValue(header.value, forHTTPHeaderField: header.name)
        return request
    }

    /// What is known of the server, with the next count.
    private func use(_ origin: Origin) -> Session? {
        sessions.withLock { sessions in
            guard case .digest(let challenge, let clientNonce, let count)? = sessions[origin] else {
                return sessions[origin]
            }
            guard count < .max else {
                // A nonce that was used four thousand million times: the server will give another.
                sessions[origin] = nil
                return nil
            }
            let session = Session.digest(challenge, clientNonce: clientNonce, count: count + 1)
            sessions[origin] = session
            return session
        }
    }

    /// Stores how to answer the challenge; false if it cannot be answered, or if the server has just refused the answer.
    private func learn(from response: TransportResponse, _ origin: Origin, _ url: URL) -> Bool {
        let challenges = HTTPChallenge.parse(response.headers.values(for: "WWW-Authenticate"))
        let sent = response.request?.value(forHTTPHeaderField: "Authorization")
        let digest = challenges.compactMap(DigestChallenge.init).filter(permits).max { $0.strength < $1.strength }
        if let digest {
            // The password was wrong, unless only the nonce was: then the same answer with the new nonce may succeed.
            if let sent, sent.hasPrefix("Digest "), !digest.isStale, !wasForgotten(digest, origin, sent) {
                sessions.withLock { $0[origin] = nil }
                return false
            }
            var session = Session.digest(digest, clientNonce: Cryptography.randomBytes(16).base64URL, count: 0)
            sessions.withLock { sessions in
                // Another request may have used the nonce already. A server may refuse a count that it has seen.
                if case .digest(let known, let nonce, let count)? = sessions[origin], known.nonce == digest.nonce {
                    session = .digest(digest, clientNonce: nonce, count: count)
                }
                sessions[origin] = session
            }
            return true
        }
        guard sent == nil else {
            sessions.withLock { $0[origin] = nil }
            return false
        }
        guard schemes.contains(.basic), challenges.contains(where: { $0.scheme == "basic" }),
            origin.scheme == "https" || url.isLoopback, !username.utf8.contains(UInt8(ascii: ":"))
        else { return false }
        sessions.withLock { $0[origin] = .basic }
        return true
    }

    /// Whether the request used a nonce from before this call, which the server may have forgotten. Many servers do not send `stale`.
    private func wasForgotten(_ digest: DigestChallenge, _ origin: Origin, _ sent: String) -> Bool {
        let nonce = HTTPChallenge.parse([sent]).first?.parameters["nonce"]
        return sessions.withLock { sessions in
            guard case .digest(let known, _, let count)? = sessions[origin] else { return true }
            // Another request has replaced the nonce meanwhile.
            if known.nonce != nonce { return true }
            return count > 1 && known.nonce != digest.nonce
        }
    }

    private func permits(_ challenge: DigestChallenge) -> Bool {
        guard schemes.contains(challenge.function == .md5 ? .digestMD5 : .digest) else { return false }
        return (try? Cryptography.digest(Data(), challenge.function)) != nil
    }

    /// Stores the nonce for the next requests (RFC 7616, section 3.5).
    private func takeNextNonce(from response: TransportResponse, _ origin: Origin) {
        guard let info = response.headers["Authentication-Info"],
            let nonce = HTTPChallenge.parse(["Digest " + info]).first?.parameters["nextnonce"], !nonce.isEmpty
        else { return }
        sessions.withLock { sessions in
            // Several responses may name the same nonce. It keeps its count.
            guard case .digest(var challenge, _, _)? = sessions[origin], challenge.nonce != nonce else { return }
            challenge.nonce = nonce
            sessions[origin] = .digest(challenge, clientNonce: Cryptography.randomBytes(16).base64URL, count: 0)
        }
    }

    /// Returns the username, if the URL's host is one of `hosts`.
    public func owner(for url: URL) -> String? { scope.includesHost(of: url, from: nil) ? username : nil }

    /// Shows the hosts, but not the password.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": hosts]) }
}

extension ChallengeInterceptor: ChallengeAnswering {
    package func canAnswer(_ response: TransportResponse, to request: URLRequest, context: RequestContext) -> Bool {
        guard response.status == 401, let url = request.url, let origin = url.origin,
            scope.includesHost(of: url, from: context.origin),
            context.pipeline.prepared?.request.value(forHTTPHeaderField: "Authorization") == nil
        else { return false }
        return learn(from: response, origin, url)
    }
}
