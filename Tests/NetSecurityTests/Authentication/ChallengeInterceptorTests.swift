import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

@Suite(.timeLimit(.minutes(5))) struct ChallengeInterceptorTests {
    private func interceptor(
        password: String = Lighttpd.password, hosts: Set<String> = ["127.0.0.1"],
        schemes: Set<ChallengeInterceptor.Scheme> = Set(ChallengeInterceptor.Scheme.allCases)
    ) -> ChallengeInterceptor {
        ChallengeInterceptor(username: "ada", password: password, hosts: hosts, schemes: schemes)
    }

    private func get(_ url: String, _ interceptor: ChallengeInterceptor, body: HTTPBody? = nil) async throws -> Int {
        var request = URLRequest(url: try #require(URL(string: url)))
        if body != nil { request.httpMethod = "POST" }
        return try await NetworkClient(interceptors: [interceptor]).send(request, body: body).status
    }

    // MARK: A real server

    @Test(.requires(.lighttpd)) func lighttpdAcceptsDigestAndBasic() async throws {
        let server = try await Lighttpd()
        for place in ["md5", "sha256", "both", "basic"] {
            let file = server.url.absoluteString + "/\(place)/a%20b.txt?x=%22y%22&z"
            let login = interceptor()
            for _ in 0..<3 { #expect(try await get(file, login) == 200, "\(place)") }
            #expect(try await get(file, interceptor(password: "wrong")) == 401, "\(place)")
        }
    }

    @Test(.requires(.lighttpd)) func onlyPermittedSchemesAreAnswered() async throws {
        let server = try await Lighttpd()
        let base = server.url.absoluteString
        #expect(try await get(base + "/md5/a%20b.txt", interceptor(schemes: [.digest, .basic])) == 401)
        #expect(try await get(base + "/sha256/a%20b.txt", interceptor(schemes: [.digest])) == 200)
        #expect(try await get(base + "/both/a%20b.txt", interceptor(schemes: [.digestMD5])) == 200)
        #expect(try await get(base + "/basic/a%20b.txt", interceptor(schemes: [.digest, .digestMD5])) == 401)
        withExtendedLifetime(server) {}
    }

    @Test(.requires(.lighttpd)) func concurrentRequestsAreAuthenticated() async throws {
        let server = try await Lighttpd()
        let (url, login) = (server.url.absoluteString + "/sha256/a%20b.txt", interceptor())
        #expect(try await atOnce(50) { _ in try await get(url, login) } == Array(repeating: 200, count: 50))
        withExtendedLifetime(server) {}
    }

    // MARK: Scripted servers

    private static let challenge = "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"

    private func refusal(_ challenges: String...) -> TransportResponse {
        var headers = HTTPHeaders()
        for challenge in challenges { headers.append(name: "WWW-Authenticate", value: challenge) }
        return TransportResponse(status: 401, headers: headers, url: nil)
    }

    private func ok(_ info: String? = nil) -> TransportResponse {
        TransportResponse(status: 200, headers: info.map { ["Authentication-Info": $0] } ?? [:], url: nil)
    }

    /// Sends some requests over scripted answers, and gives the `Authorization` parameters of all that went out.
    private func run(
        _ answers: [TransportResponse], requests: Int = 1, url: String = "https://printer.example/x",
        schemes: Set<ChallengeInterceptor.Scheme> = Set(ChallengeInterceptor.Scheme.allCases), body: HTTPBody? = nil
    ) async throws -> (statuses: [Int], sent: [[String: String]?], headers: [String?]) {
        let rest = Locked(answers[...])
        let transport = StubTransport { _, _, _ in
            guard let answer = rest.withLock({ $0.popFirst() }) else { throw LabError("no answer left") }
            return answer
        }
        let client = NetworkClient(
            interceptors: [interceptor(hosts: ["printer.example"], schemes: schemes)], transport: transport)
        var statuses: [Int] = []
        for _ in 0..<requests {
            var request = URLRequest(url: try #require(URL(string: url)))
            if body != nil { request.httpMethod = "POST" }
            statuses.append(try await client.send(request, body: body).status)
        }
        let headers = transport.exchanges.map { $0.request.value(forHTTPHeaderField: "Authorization") }
        return (statuses, headers.map { $0.flatMap { HTTPChallenge.parse([$0]).first?.parameters } }, headers)
    }

    /// `Authentication-Info` of the responses; nonce and nonce count of the requests after the refused one.
    static let nonces: [([String?], [String?], [String?])] = [
        ([nil, nil, nil], ["n1", "n1", "n1"], ["00000001", "00000002", "00000003"]),
        (["nextnonce=\"n2\", qop=auth", nil], ["n1", "n2"], ["00000001", "00000001"]),
        (["nextnonce=\"n2\"", "nextnonce=\"n2\"", nil], ["n1", "n2", "n2"], ["00000001", "00000001", "00000002"]),
    ]

    @Test(arguments: nonces) func nonceCountFollowsNextnonce(
        info: [String?], nonces: [String?], counts: [String?]
    ) async throws {
        let (statuses, sent, _) = try await run([refusal(Self.challenge)] + info.map(ok), requests: info.count)
        #expect((statuses, sent.map { $0?["nonce"] }) == (info.map { _ in 200 }, [nil] + nonces))
        #expect(sent.map { $0?["nc"] } == [nil] + counts)
    }

    /// A server that does not say that a nonce is stale, and refuses a count that it has seen. It refuses two requests at a time.
    @Test func concurrentRequestsSurviveAForgottenNonce() async throws {
        let state = Locked((nonce: "n1", counts: Set<String>(), refusals: 0))
        let transport = StubTransport { request, _, _ in
            let sent = request.value(forHTTPHeaderField: "Authorization").flatMap { HTTPChallenge.parse([$0]).first }
            let (isAccepted, refusals) = state.withLock { state in
                let isKnown = sent?.parameters["nonce"] == state.nonce
                let isAccepted = isKnown && state.counts.insert(sent?.parameters["nc"] ?? "").inserted
                if !isAccepted { state.refusals += 1 }
                return (isAccepted, state.refusals)
            }
            if isAccepted { return ok() }
            _ = try await waitUntil("both are refused", within: 10) {
                state.withLock { $0.refusals } > (refusals - 1) / 2 * 2 + 1 ? true : nil
            }
            return refusal(Self.challenge.replacingOccurrences(of: "n1", with: state.withLock { $0.nonce }))
        }
        let client = NetworkClient(interceptors: [interceptor(hosts: ["printer.example"])], transport: transport)
        let request = URLRequest(url: try #require(URL(string: "https://printer.example/x")))
        for nonce in ["n1", "n2"] {
            state.withLock { ($0.nonce, $0.counts) = (nonce, []) }
            #expect(try await atOnce(2) { _ in try await client.send(request).status } == [200, 200], "\(nonce)")
        }
    }

    /// Whether the server says that the nonce is stale, or has forgotten it.
    @Test(arguments: [", stale=TRUE", ""]) func staleNonceIsReplaced(_ mark: String) async throws {
        let new = Self.challenge.replacingOccurrences(of: "n1", with: "n2") + mark
        let (statuses, sent, _) = try await run([refusal(Self.challenge), ok(), refusal(new), ok()], requests: 2)
        #expect((statuses, sent.map { $0?["nonce"] }) == ([200, 200], [nil, "n1", "n1", "n2"]))
    }

    @Test func wrongPasswordIsTriedOnce() async throws {
        let new = Self.challenge.replacingOccurrences(of: "n1", with: "n2")
        let (statuses, sent, _) = try await run([refusal(Self.challenge), refusal(new)])
        #expect((statuses, sent.count) == ([401], 2))
        let stale = new + ", stale=true"
        let endless = try await run([refusal(stale), refusal(stale), refusal(stale), refusal(stale)])
        #expect(endless.statuses == [401] && endless.sent.count == 3, "a server that always says stale is left")
        let basic = try await run([refusal("Basic realm=r"), refusal("Basic realm=r")])
        #expect(basic.statuses == [401] && basic.sent.count == 2)
    }

    @Test func strongestChallengeIsAnswered() async throws {
        let md5 = Self.challenge.replacingOccurrences(of: "SHA-256", with: "MD5")
        let (_, sent, _) = try await run([refusal("Basic realm=r", md5, Self.challenge, "Negotiate"), ok()])
        #expect(sent.last??["algorithm"] == "SHA-256")
    }

    @Test func basicCredentialsAreSentOverTLSOnly() async throws {
        let (statuses, _, headers) = try await run([refusal("Basic realm=r"), ok()], url: "https://printer.example/")
        #expect(statuses == [200])
        #expect(headers.last == HTTPHeader.authorization(username: "ada", password: Lighttpd.password).value)
        let plain = try await run([refusal("Basic realm=r")], url: "http://printer.example/")
        #expect(plain.statuses == [401] && plain.headers == [nil])
        let forbidden = try await run([refusal("Basic realm=r")], schemes: [.digest])
        #expect(forbidden.statuses == [401] && forbidden.headers == [nil])
    }

    @Test func otherHostsGetNoCredentials() async throws {
        let (statuses, _, headers) = try await run([refusal(Self.challenge)], url: "https://evil.example/")
        #expect(statuses == [401] && headers == [nil])
        #expect(try await run([refusal(Self.challenge), ok()], url: "https://printer.example:8443/").statuses == [200])
    }

    @Test func bodyThatCannotBeReplayedIsNotSentTwice() async throws {
        let once = HTTPBody(length: 1, pulling: { nil })
        let (statuses, sent, _) = try await run([refusal(Self.challenge)], body: once)
        #expect(statuses == [401] && sent.count == 1)
    }

    @Test func authIntCoversTheBody() async throws {
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\", algorithm=SHA-256"
        let (_, sent, _) = try await run([refusal(challenge), ok()], body: HTTPBody("hello"))
        let fields = try #require(sent.last ?? nil)
        var answer = DigestAnswer(
            challenge: try #require(HTTPChallenge.parse([challenge]).first.flatMap(DigestChallenge.init)),
            username: "ada", password: Lighttpd.password, method: "POST", target: "/x",
            clientNonce: fields["cnonce"] ?? "", count: 1)
        answer.body = Data("hello".utf8)
        #expect(fields["response"] == (try answer.response()))
        answer.body = Data("hellO".utf8)
        #expect(fields["response"] != (try answer.response()))
    }
}
