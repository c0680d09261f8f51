import NetCore
import NetTesting
import NetWebSocket
import TestLab
import Testing

/// TLS for `URLSessionWebSocketTask`: its challenges are answered as those of requests.
@Suite(.timeLimit(.minutes(5)), .requires(.openssl, .pythonPackages)) struct SecureWebSocketTests {
    private final class Policy: ServerTrustPolicy {
        struct Refusal: Error {}
        let asked = Locked<[String]>([])
        let refuses: Bool

        init(refuses: Bool) { self.refuses = refuses }

        func evaluate(_ chain: CertificateChain, host: String) throws {
            asked.withLock { $0.append(host) }
            if refuses { throw Refusal() }
        }
    }

    @Test func webSocketAsksTheTrustPolicy() async throws {
        let server = try await PythonWebSocketServer(identity: TestCertificates.shared.server)
        let policy = Policy(refuses: false)
        let client = try await NetworkClient.trusting { $0.trustPolicy = policy }
        let socket = try await client.webSocket(to: server.url("echo"))
        try await socket.expectEcho(.text("hello"))
        await socket.close()
        #expect(policy.asked.withLock { $0 } == ["localhost"])
    }

    @Test func refusedServerReceivesNothing() async throws {
        let server = try await PythonWebSocketServer(identity: TestCertificates.shared.server)
        let client = try await NetworkClient.trusting { $0.trustPolicy = Policy(refuses: true) }
        let url = try server.url("echo")
        let failure = await webSocketFailure { _ = try await client.webSocket(to: url) }
        #expect(failure?.cause == .pinningFailed(host: "localhost"))
        #expect(server.log.filter { $0.hasPrefix("request") }.isEmpty)
    }

    @Test func untrustedCertificateIsRefused() async throws {
        let server = try await PythonWebSocketServer(identity: TestCertificates.shared.otherServer)
        let client = try await NetworkClient.trusting()
        let url = try server.url("echo")
        let failure = await webSocketFailure { _ = try await client.webSocket(to: url) }
        #expect(failure?.transportError?.code == .certificateUntrusted)
    }

    /// `URLSession` has no time to connect alone, so a call that sets one is refused before anything is sent.
    @Test func connectTimeoutIsUnsupported() async throws {
        let server = try await PythonWebSocketServer(identity: TestCertificates.shared.server)
        let client = try await NetworkClient.trusting()
        var context = RequestContext()
        context.options.connectTimeout = 5
        let request = URLRequest(url: try server.url("echo"))
        let failure = await webSocketFailure { _ = try await client.webSocket(for: request, context: context) }
        #expect(failure?.code == "unsupported")
        #expect(server.log.filter { $0.hasPrefix("request") }.isEmpty)
    }

    /// `URLSessionWebSocketTask` does not compress: nothing is offered, and requiring it is refused before anything is sent.
    @Test func compressionIsNotOffered() async throws {
        let server = try await PythonWebSocketServer(identity: TestCertificates.shared.server)
        let client = try await NetworkClient.trusting()
        var options = WebSocket.Options()
        options.compression = .deflate
        let socket = try await client.webSocket(to: server.url("headers"), options: options)
        #expect(socket.compression == nil)
        #expect(try await socket.receive()?.text?.contains("permessage-deflate") == false)
        await socket.close()
        options.compression?.isRequired = true
        let required = options
        let url = try server.url("echo")
        let failure = await webSocketFailure { _ = try await client.webSocket(to: url, options: required) }
        #expect(failure?.code == "unsupported")
        #expect(server.log.filter { $0 == "request /echo" }.isEmpty)
    }

    @Test func clientCertificateIsSent() async throws {
        let certificates = try await TestCertificates.shared
        let server = try await PythonWebSocketServer(identity: certificates.server, clientAuthority: certificates.ca)
        let archive = try Data(contentsOf: certificates.clientPKCS12)
        let client = try await NetworkClient.trusting {
            $0.clientCertificate = .pkcs12(archive, password: certificates.clientPKCS12Password)
        }
        let socket = try await client.webSocket(to: server.url("echo"), options: .longCloseTimeout)
        await socket.close()
        #expect(socket.closeCode == .normalClosure)
    }
}
