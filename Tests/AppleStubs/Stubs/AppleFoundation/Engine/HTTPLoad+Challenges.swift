internal import CAppleNetwork
internal import Security

/// What is sent to be let in.
struct Logins {
    struct Login {
        let user: String
        let password: String
        let isDigest: Bool
    }

    var server: Login?
    var proxy: Login?
    var serverFailures = 0
    var proxyFailures = 0
    /// libcurl has been asked for the digest by the server, and answers it.
    var hasSentDigest = false

    var digest: Login? { server.flatMap { $0.isDigest ? $0 : nil } }

    var basicHeader: String? {
        guard let server, !server.isDigest else { return nil }
        return "Basic " + Data("\(server.user):\(server.password)".utf8).base64EncodedString()
    }
}

/// The questions of a TLS handshake.
extension CurlLoad {
    func isTrusted(_ certificates: [Data]) -> Bool {
        do {
            try challenges.trust(certificates)
            return true
        } catch {
            verdict = error
            return false
        }
    }

    func identify(
        _ archive: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<Int>?,
        _ password: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32 {
        do {
            guard let identity = try challenges.identity() else { return 0 }
            let bytes = NSData(data: identity.archive)
            let text = NSData(data: Data(identity.password.utf8) + [0])
            kept = [bytes, text]
            archive?.pointee = bytes.bytes.assumingMemoryBound(to: UInt8.self)
            length?.pointee = bytes.length
            password?.pointee = text.bytes.assumingMemoryBound(to: CChar.self)
            return 1
        } catch {
            verdict = error
            return -1
        }
    }
}

extension HTTPLoad: CurlLoad {
    var challenges: TLSChallenges { TLSChallenges(task, request.url) }

    /// A 401, or a 407 of a proxy.
    func answerLogin(_ response: HTTPURLResponse, header: String, ofProxy: Bool) -> Next? {
        guard let offer = response.value(forHTTPHeaderField: header), let url = request.url else { return .deliver }
        let methods = [
            ("digest", NSURLAuthenticationMethodHTTPDigest), ("basic", NSURLAuthenticationMethodHTTPBasic),
            ("negotiate", NSURLAuthenticationMethodNegotiate), ("ntlm", NSURLAuthenticationMethodNTLM),
        ]
        guard let (_, method) = methods.first(where: { offer.lowercased().contains($0.0) }) else { return .deliver }
        let realm = offer.range(of: "realm=\"").map { String(offer[$0.upperBound...].prefix { $0 != "\"" }) }
        let space =
            ofProxy
            ? proxySpace(realm: realm, method: method)
            : URLProtectionSpace(
                host: url.host ?? "", port: url.effectivePort, protocol: url.scheme, realm: realm,
                authenticationMethod: method)
        return login(space, ofProxy: ofProxy)
    }

    private func proxySpace(realm: String?, method: String) -> URLProtectionSpace {
        let proxy = ProxySettings(session.settings, for: request.url)
        let type = request.url?.scheme == "https" ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy
        return URLProtectionSpace(
            proxyHost: proxy?.host ?? "", port: proxy?.port ?? 0, type: type, realm: realm, authenticationMethod: method
        )
    }

    /// The proxy refused to connect to the server: libcurl gives no head then, and so the realm is not known.
    func answerTunnel(_ result: an_result) throws -> Next? {
        let method =
            result.proxy_offers_digest ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
        let next = login(proxySpace(realm: nil, method: method), ofProxy: true)
        if case .follow? = next { return next }
        throw verdict.map { Verdict(error: $0) } ?? failure(result)
    }

    private func login(_ space: URLProtectionSpace, ofProxy: Bool) -> Next? {
        let failures = ofProxy ? logins.proxyFailures : logins.serverFailures
        let proposed = session.settings.urlCredentialStorage?.defaultCredential(for: space) ?? ofURL(ofProxy)
        let challenge = URLAuthenticationChallenge(space, failures: failures)
        let isSessionWide = [NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodNTLM].contains(
            space.authenticationMethod)
        guard let (disposition, given) = session.answer(to: challenge, of: task, isSessionWide: isSessionWide) else {
            return nil
        }
        var credential: URLCredential?
        switch disposition {
        case .useCredential: credential = given
        case .performDefaultHandling: credential = failures == 0 ? proposed : nil
        case .cancelAuthenticationChallenge:
            verdict = task.cancellation
            return nil
        case .rejectProtectionSpace: break
        }
        guard !isSessionWide, let user = credential?.user, let password = credential?.password else { return .deliver }
        let login = Logins.Login(
            user: user, password: password, isDigest: space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest)
        if let credential, credential.persistence != .none {
            session.settings.urlCredentialStorage?.setDefaultCredential(credential, for: space)
        }
        if ofProxy {
            logins.proxy = login
            logins.proxyFailures += 1
        } else {
            logins.server = login
            logins.serverFailures += 1
            logins.hasSentDigest = false
        }
        return .follow(request)
    }

    private func ofURL(_ ofProxy: Bool) -> URLCredential? {
        guard !ofProxy, let user = request.url?.user, let password = request.url?.password else { return nil }
        return URLCredential(user: user, password: password, persistence: .none)
    }
}

extension URL { var effectivePort: Int { port ?? (["https", "wss"].contains(scheme?.lowercased()) ? 443 : 80) } }

/// The handshake's questions, put to the delegate.
struct TLSChallenges {
    private let task: URLSessionTask
    private let url: URL?

    init(_ task: URLSessionTask, _ url: URL?) { (self.task, self.url) = (task, url) }

    private func space(_ method: String) -> URLProtectionSpace {
        URLProtectionSpace(
            host: url?.host ?? "", port: url?.effectivePort ?? 443, protocol: "https", realm: nil,
            authenticationMethod: method)
    }

    /// Returns if the server is trusted.
    func trust(_ certificates: [Data]) throws {
        let space = space(NSURLAuthenticationMethodServerTrust)
        let trust = SecTrust(presented: certificates.map { SecCertificate(der: $0) }, host: space.host)
        space.serverTrust = trust
        let answer = task.session.answer(to: URLAuthenticationChallenge(space), of: task, isSessionWide: true)
        switch answer {
        case nil, (.cancelAuthenticationChallenge, _)?: throw task.cancellation
        case (.useCredential, let credential?)? where credential.trust != nil: return
        case .some: try evaluate(trust)
        }
    }

    private func evaluate(_ trust: SecTrust) throws {
        var failure: CFError?
        guard !SecTrustEvaluateWithError(trust, &failure) else { return }
        var info = task.errorInfo
        info[NSUnderlyingErrorKey] = failure
        info[NSLocalizedDescriptionKey] =
            "The certificate for this server is invalid. You might be connecting to a server that is pretending to be “\(trust.host)”, which could put your confidential information at risk."
        throw URLError(.serverCertificateUntrusted, userInfo: info)
    }

    /// Nil for no certificate.
    func identity() throws -> SecIdentity? {
        let challenge = URLAuthenticationChallenge(space(NSURLAuthenticationMethodClientCertificate))
        switch task.session.answer(to: challenge, of: task, isSessionWide: true) {
        case nil, (.cancelAuthenticationChallenge, _)?: throw task.cancellation
        case (.useCredential, let credential)?: return credential?.identity
        case .some: return nil
        }
    }
}

extension URLSession {
    typealias ChallengeAnswer = (AuthChallengeDisposition, URLCredential?)

    /// Session-wide ones go to the session's delegate first, and to a task's if it does not have the method. Nil if the task was cancelled
    /// meanwhile.
    func answer(
        to challenge: URLAuthenticationChallenge, of task: URLSessionTask, isSessionWide: Bool
    ) -> ChallengeAnswer? {
        if isSessionWide, !state.isDetached, let delegate {
            let reply = Reply<ChallengeAnswer>(task)
            nonisolated(unsafe) var isAsked = false
            onDelegateQueueAndWait {
                isAsked = Unimplemented.isAnswered {
                    delegate.urlSession(self, didReceive: challenge) { reply.give(($0, $1)) }
                }
            }
            if isAsked { return reply.wait() }
        }
        let answer: ChallengeAnswer? = ask(task, (any URLSessionTaskDelegate).self) { delegate, reply in
            delegate.urlSession(self, task: task, didReceive: challenge) { reply(($0, $1)) }
        }
        if task.sync(\.isCancelled) { return nil }
        return answer ?? (.performDefaultHandling, nil)
    }
}
