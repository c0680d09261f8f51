import NetClient
import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

/// lighttpd with the user ada, whose password is `pass, "word"`, on a loopback port.
struct Lighttpd: Sendable {
    let url: URL
    private let process: BackgroundProcess
    private let folder: TemporaryDirectory

    static let password = "pass, \"word\""

    init() async throws {
        let folder = try TemporaryDirectory()
        try Data("ada:\(Self.password)\n".utf8).write(to: folder.file("users"))
        for place in ["md5", "sha256", "both", "basic"] {
            let directory = folder.url.appendingPathComponent(place)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(place.utf8).write(to: directory.appendingPathComponent("a b.txt"))
        }
        var failure: any Error = LabError("lighttpd was not tried")
        // The port may be taken by the time it is used.
        for _ in 0..<5 {
            do {
                let port = try freePort()
                try Data(Self.configuration(folder.url.path, port).utf8).write(to: folder.file("lighttpd.conf"))
                let process = try BackgroundProcess("lighttpd", ["-D", "-f", folder.file("lighttpd.conf").path])
                try await waitUntil("lighttpd listens") { () -> Void? in
                    if let end = process.termination { throw LabError("lighttpd: \(end) \(process.output)") }
                    return process.output.contains("server started") ? () : nil
                }
                guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw LabError("no URL") }
                (self.url, self.process) = (url, process)
                self.folder = folder
                return
            } catch let error as LabError { failure = error }
        }
        throw failure
    }

    private static func configuration(_ root: String, _ port: UInt16) -> String {
        func place(_ name: String, _ method: String, _ algorithm: String) -> String {
            #""/\#(name)/" => ("method" => "\#(method)", "realm" => "The \#(name)", "require" => "valid-user"\#(algorithm))"#
        }
        return """
            server.modules = ("mod_auth", "mod_authn_file")
            server.document-root = "\(root)"
            server.bind = "127.0.0.1"
            server.port = \(port)
            mimetype.assign = ("" => "text/plain")
            auth.backend = "plain"
            auth.backend.plain.userfile = "\(root)/users"
            auth.require = (
                \(place("md5", "digest", #", "algorithm" => "MD5""#)),
                \(place("sha256", "digest", #", "algorithm" => "SHA-256""#)),
                \(place("both", "digest", #", "algorithm" => "MD5|SHA-256""#)),
                \(place("basic", "basic", ""))
            )
            """
    }
}

@Suite(.timeLimit(.minutes(5))) struct ChallengeInterceptorTests {
    private func interceptor(
        password: String = Lighttpd.password, hosts: Set<String> = ["127.0.0.1"],
        schemes: Set<ChallengeInterceptor.Scheme> = Set(ChallengeInterceptor.Scheme.allCases)
    ) -> ChallengeInterceptor {
        ChallengeInterceptor(username: "ada", password: password, hosts: hosts, schemes: schemes)
    }

    private func get(_ path: String, of server: Lighttpd, by interceptor: ChallengeInterceptor) async throws -> Int {
        let url = try #require(URL(string: server.url.absoluteString + path))
        return try await NetworkClient(interceptors: [interceptor]).send(URLRequest(url: url)).status
    }

    @Test(.requires(.lighttpd)) func lighttpdAcceptsDigestAndBasic() async throws {
        let server = try await Lighttpd()
        for place in ["md5", "sha256", "both", "basic"] {
            let file = "/\(place)/a%20b.txt?x=%22y%22&z"
            let login = interceptor()
            for _ in 0..<3 { #expect(try await get(file, of: server, by: login) == 200, "\(place)") }
            #expect(try await get(file, of: server, by: interceptor(password: "wrong")) == 401, "\(place)")
        }
    }

    @Test(.requires(.lighttpd)) func onlyPermittedSchemesAreAnswered() async throws {
        let server = try await Lighttpd()
        for (place, schemes, status) in [
            ("md5", [.digest, .basic], 401), ("sha256", [.digest], 200), ("both", [.digestMD5], 200),
            ("basic", [.digest, .digestMD5], 401),
        ] as [(String, Set<ChallengeInterceptor.Scheme>, Int)] {
            let answer = try await get("/\(place)/a%20b.txt", of: server, by: interceptor(schemes: schemes))
            #expect(answer == status, "\(place)")
        }
    }

    @Test(.requires(.lighttpd)) func concurrentRequestsAreAuthenticated() async throws {
        let (server, login) = (try await Lighttpd(), interceptor())
        let statuses = try await atOnce(50) { _ in try await get("/sha256/a%20b.txt", of: server, by: login) }
        #expect(statuses == Array(repeating: 200, count: 50))
    }

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
