public import NetCore

/// Answers a server's challenge with a name and a password: Digest (RFC 7616) or Basic (RFC 7617).
///
/// ```swift
/// let login = ChallengeInterceptor(username: "ada", password: "pass", hosts: ["printer.example.com"])
/// let client = NetworkClient(interceptors: [login])
/// ```
///
/// The strongest challenge that both sides know is answered: Digest with SHA-512/256, SHA-256, MD5, then Basic. The nonce is used for
/// the requests that follow, each with the next count, until the server gives another one (`nextnonce`, `stale`). A request whose
/// body can be read only once gets the server's 401, and the next one goes with credentials from the start.
///
/// Digest keeps the password from those who listen, and nothing else: use https. MD5 is as weak as its age; allow it where a server
/// has nothing else.
public final class ChallengeInterceptor: HTTPInterceptor {
    /// A way to answer.
    public enum Scheme: Sendable, CaseIterable {
        /// Digest with SHA-256 or SHA-512/256 (the latter where the system has it).
        case digest
        /// Digest with MD5.
        case digestMD5
        /// Basic: the password as it is. Only over https, or to this machine.
        case basic
    }

    private let username: String
    private let password: String
    private let hosts: Set<String>
    private let scope: CredentialScope
    private let schemes: Set<Scheme>
    private let sessions = Locked<[Origin: Session]>([:])

    /// What a server has agreed to.
    private enum Session {
        case digest(DigestChallenge, clientNonce: String, count: UInt32)
        case basic
    }

    /// What is read of a body that has to be digested.
    private static let bodyLimit = 64 << 20

    /// An interceptor for one name and password.
    ///
    /// - Parameters:
    ///   - username: the name.
    ///   - password: the password.
    ///   - hosts: where they belong: `"printer.example.com"`, or with a port that is not the scheme's own, `"printer.example.com:8443"`. A
    ///     call that starts at the host itself may have any port. Other origins, such as the target of a redirect, get no answer.
    ///   - schemes: which are permitted. Without ``Scheme/basic`` nobody on the way can ask for the password itself.
    public init(username: String, password: String, hosts: Set<String>, schemes: Set<Scheme> = Set(Scheme.allCases)) {
        self.username = username
        self.password = password
        self.hosts = Set(hosts.map(\.asciiLowercased))
        scope = CredentialScope(hosts: hosts)
        self.schemes = schemes
    }

    /// Sends the request, with credentials if the server has asked for them before. The client's retry engine sends it again if the server
    /// asks now.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let url = request.url, let origin = url.origin, scope.names(url, from: next.context.origin),
            request.value(forHTTPHeaderField: "Authorization") == nil
        else { return try await next(request) }
        let response = try await next(try await authenticated(request, url, origin, next.body))
        if response.status != 401 { takeNextNonce(from: response, origin) }
        return response
    }

    /// The request with the credentials for its server; as it is if the server has not asked yet.
    private func authenticated(
        _ request: URLRequest, _ url: URL, _ origin: Origin, _ body: HTTPBody?
    ) async throws -> URLRequest {
        guard let session = use(origin) else { return request }
        var request = request
        switch session {
        case .basic:
            let header = HTTPHeader.authorization(username: username, password: password)
            request.setValue(header.value, forHTTPHeaderField: header.name)
        case .digest(let challenge, let clientNonce, let count):
            var answer = DigestAnswer(
                challenge: challenge, username: username, password: password, method: request.httpMethod ?? "GET",
                target: url.requestTarget, clientNonce: clientNonce, count: count)
            if challenge.protection == .integrity, let body {
                guard body.isReplayable else { throw NetworkError.bodyNotReplayable }
                answer.body = try await body.collect(upTo: Self.bodyLimit)
            }
            let header = HTTPHeader.authorization(try answer.authorization())
            guard header.isValid else {
                throw RequestBuildingError("The server's challenge, or the username, has a line break in it.")
            }
            request.setValue(header.value, forHTTPHeaderField: header.name)
        }
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

    /// Notes how to answer the challenge; false if it cannot be, or was the answer to what was tried just now.
    private func learn(from response: TransportResponse, _ origin: Origin, _ url: URL) -> Bool {
        let challenges = HTTPChallenge.parse(response.headers.values(for: "WWW-Authenticate"))
        let sent = response.request?.value(forHTTPHeaderField: "Authorization")
        let digest = challenges.compactMap(DigestChallenge.init).filter(permits).max { $0.strength < $1.strength }
        if let digest {
            // The password was wrong, unless only the nonce was: then the same answer with a new one may do.
            if sent?.hasPrefix("Digest ") == true, !digest.isStale, !wasForgotten(digest, origin, sent) {
                sessions.withLock { $0[origin] = nil }
                return false
            }
            let clientNonce = Cryptography.randomBytes(16).base64URL
            sessions.withLock { $0[origin] = .digest(digest, clientNonce: clientNonce, count: 0) }
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

    /// Whether the request went with a nonce that was learnt before this call, and which the server may have forgotten without
    /// saying `stale`: many do.
    private func wasForgotten(_ digest: DigestChallenge, _ origin: Origin, _ sent: String?) -> Bool {
        sessions.withLock { sessions in
            guard case .digest(let known, _, let count)? = sessions[origin] else { return true }
            return count > 1 && known.nonce != digest.nonce
        }
    }

    private func permits(_ challenge: DigestChallenge) -> Bool {
        guard schemes.contains(challenge.function == .md5 ? .digestMD5 : .digest) else { return false }
        return (try? Cryptography.digest(Data(), challenge.function)) != nil
    }

    /// RFC 7616, section 3.5: a nonce for the requests to come.
    private func takeNextNonce(from response: TransportResponse, _ origin: Origin) {
        guard let info = response.headers["Authentication-Info"],
            let nonce = HTTPChallenge.parse(["Digest " + info]).first?.parameters["nextnonce"], !nonce.isEmpty
        else { return }
        sessions.withLock { sessions in
            guard case .digest(var challenge, _, _)? = sessions[origin] else { return }
            challenge.nonce = nonce
            sessions[origin] = .digest(challenge, clientNonce: Cryptography.randomBytes(16).base64URL, count: 0)
        }
    }
}

extension ChallengeInterceptor: FinalInterceptor {}

extension ChallengeInterceptor: ChallengeAnswering {
    package func canAnswer(_ response: TransportResponse, to request: URLRequest, context: RequestContext) -> Bool {
        guard response.status == 401, let url = request.url, let origin = url.origin,
            scope.names(url, from: context.origin),
            context.prepared?.request.value(forHTTPHeaderField: "Authorization") == nil
        else { return false }
        return learn(from: response, origin, url)
    }
}

extension ChallengeInterceptor: CredentialOwner {
    /// The username, where the URL's host is one of those given.
    public func owner(for url: URL) -> String? { scope.names(url, from: nil) ? username : nil }
}

extension ChallengeInterceptor: CustomReflectable {
    /// Shows the hosts, and no password.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": hosts]) }
}

extension URL {
    /// What stands in the request line: path and query, percent-encoded.
    var requestTarget: String {
        guard let components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "/" }
        let path = components.percentEncodedPath
        return (path.isEmpty ? "/" : path) + (components.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}
