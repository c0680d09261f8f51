import AppleFoundation
import NetCore
import NetTesting
import NetTransport
import Networking
import Security
import TestLab
import Testing

/// A session of the caller that has a delegate: its delegate stays in charge of what it implements.
@Suite(.timeLimit(.minutes(5))) struct LentSessionTests {
    private static var context: RequestContext {
        var context = RequestContext()
        context.delivery = .collected(limit: 100)
        return context
    }

    /// A server that the system trusts.
    private func trustedServer() async throws -> (MockServer, URL) {
        let (server, _) = try await MockServer.trustedBySystem()
        return (server, try #require(URL(string: "https://localhost:\(server.port)/")))
    }

    @Test func taskDelegateMethodMayPin() async throws {
        let (server, url) = try await trustedServer()
        let recorder = SessionRecorder(.init(challenge: { _ in (.cancelAuthenticationChallenge, nil) }))
        let session = URLSession(recorder)
        let networking = Networking(session: session)
        let error = await #expect(throws: NetworkError.self) { let _: String = try await networking.request(url: url) }
        let inner = try #require(error?.embeddedError as? TransportError)
        #expect(error?.code == "unknown")
        #expect(inner.code == .certificateUntrusted && inner.message.contains("delegate"))
        #expect(recorder.calls.contains("challenge ServerTrust localhost") && server.requests.isEmpty)
        session.invalidateAndCancel()
    }

    @Test func acceptingDelegateLetsTheRequestThrough() async throws {
        let (server, url) = try await trustedServer()
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        let text: String = try await Networking(session: session).request(url: url)
        #expect(text == "secret" && server.requests.count == 1)
        #expect(recorder.calls.contains("challenge ServerTrust localhost"))
        session.invalidateAndCancel()
    }

    @Test func sessionDelegateReceivesTaskCallbacks() async throws {
        let server = try MockServer { _ in .text("answer") }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        let transport = try URLSessionTransport(session: session)
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        let response = try await transport.send(request, body: HTTPBody(Data("question".utf8)), context: Self.context)
        #expect(response.status == 200)
        await recorder.ended()
        let notes = recorder.notes.withLock { $0 }
        #expect(notes.data == Data("answer".utf8) && notes.sent == 8)
        #expect(notes.transactions.count == 1 && notes.error == nil)
        session.invalidateAndCancel()
    }

    @Test func taskCancelledByTheSessionsOwnerIsCancellation() async throws {
        let server = try MockServer { _ in
            try? await Task.sleep(nanoseconds: 30_000_000_000)
            return .ok
        }
        let session = URLSession(SessionRecorder())
        let transport = try URLSessionTransport(session: session)
        let sending = Task { try await transport.send(URLRequest(url: server.url), body: nil, context: Self.context) }
        while server.requests.isEmpty { await Task.yield() }
        session.invalidateAndCancel()
        let error = await #expect(throws: TransportError.self) { try await sending.value }
        #expect(error?.code == .shutDown)
    }
}

/// What URLSession says without a network, and who waits for one.
@Suite(.timeLimit(.minutes(5))) struct ConnectivityTests {
    private let server: MockServer

    init() throws { server = try MockServer { _ in .text("here") } }

    private func failure(_ networking: Networking) async -> NetworkFailure? {
        let response: NetworkResponse<String> = await networking.request(url: server.url)
        return response.failure
    }

    @Test(arguments: [
        (FakeConnectivity.Reason.offline, TransportError.UnavailableReason?.none), (.cellular, .cellular),
        (.expensive, .expensive), (.constrained, .constrained), (.localNetworkProhibited, .localNetworkProhibited),
    ])
    func unavailableReasonIsReported(_ reason: FakeConnectivity.Reason, _ expected: TransportError.UnavailableReason?)
        async throws
    {
        FakeConnectivity.cut(port: server.port, reason)
        // The system may give the port to another test's server.
        defer { FakeConnectivity.restore(port: server.port) }
        let failure = try #require(await failure(Networking()))
        #expect(failure.cause == .noInternetConnection && failure.networkUnavailableReason == expected)
        #expect(((failure.systemError as? URLError)?.code, (failure as NSError).code) == (.notConnectedToInternet, 7))
        let english = failure.localizedDescription(in: Locale(identifier: "en"))
        #expect(english.hasPrefix("No internet connection.") && (english.count > 23) == (expected != nil))
    }

    @Test func waitingPolicyIgnoresTheMonitor() async throws {
        FakeConnectivity.cut(port: server.port)
        let client = NetworkClient(resilience: Resilience(offline: .wait()), connectionMonitor: .configured)
        let url = server.url
        let call = Task { try await client.data(for: URLRequest(url: url)) }
        // The monitor does not know of it.
        try await Task.sleep(nanoseconds: 50_000_000)
        #expect(server.requests.isEmpty)
        FakeConnectivity.restore(port: server.port)
        let (data, response) = try await call.value
        #expect(data == Data("here".utf8) && response.retryTrace.retries.allSatisfy { $0.reason == .offline })
    }

    @Test(arguments: [true, false])
    func givenSessionKeepsWaitingForConnectivity(_ hasDelegate: Bool) async throws {
        let url = server.url
        try await withLimits([1, 4, 16]) { limit in
            FakeConnectivity.cut(port: server.port)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.waitsForConnectivity = true
            // It does not run while the session waits, but before and after that.
            configuration.timeoutIntervalForRequest = limit
            let recorder = SessionRecorder()
            let session = URLSession(
                configuration: configuration, delegate: hasDelegate ? recorder : nil, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            let networking = Networking(session: session)
            let call = Task { () -> NetworkResponse<String> in await networking.request(url: url) }
            try await SystemClock().sleep(for: limit + 0.5)
            FakeConnectivity.restore(port: server.port)
            let response = await call.value
            if let failure = response.failure { throw failure }
            return response.value == "here"
        }
    }

    @Test func givenSessionKeepsItsCredentialStorage() async throws {
        let server = try MockServer { request in
            request.headers["Authorization"] == nil
                ? .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]) : .text("in")
        }
        let configuration = URLSessionConfiguration.ephemeral
        let space = URLProtectionSpace(
            host: server.url.host ?? "", port: server.port, protocol: "http", realm: "x",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        configuration.urlCredentialStorage?.setDefaultCredential(
            URLCredential(user: "a", password: "b", persistence: .forSession), for: space)
        let text: String = try await Networking(session: URLSession(configuration: configuration)).request(
            url: server.url)
        #expect(text == "in")
    }
}
