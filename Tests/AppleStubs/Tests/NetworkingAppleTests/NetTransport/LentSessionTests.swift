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
        let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localhost"])
        try FakeTrust.install(pem: certificate.authority)
        let server = try MockServer(certificate: certificate) { _ in .text("secret") }
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
