import NetCore
import Security
import TestLab
import Testing

@testable import NetTransport

/// How challenges are answered that no server here makes.
@Suite(.requires(.openssl)) struct SecurityAdapterTests {
    private final class Sender: NSObject, URLAuthenticationChallengeSender {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
    }

    /// What a task is told.
    private final class Task: ChallengedTask {
        private let told = Locked<(any Error)?>(nil)
        let showsCertificate = false
        let context = RequestContext()
        var failure: (any Error)? { told.withLock { $0 } }
        func stop(_ error: any Error) { told.withLock { $0 = error } }

        func error(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase?) -> TransportError {
            TransportError(code, phase: phase ?? .securing, message: message, url: nil)
        }
    }

    private func challenge(_ space: URLProtectionSpace, failures: Int = 0) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: nil,
            error: nil, sender: Sender())
    }

    private func space(_ method: String) -> URLProtectionSpace {
        URLProtectionSpace(host: "a.example", port: 443, protocol: "https", realm: nil, authenticationMethod: method)
    }

    @Test(arguments: [
        (NSURLAuthenticationMethodNTLM, URLSession.AuthChallengeDisposition.rejectProtectionSpace),
        (NSURLAuthenticationMethodNegotiate, .rejectProtectionSpace),
        (NSURLAuthenticationMethodClientCertificate, .performDefaultHandling),
    ])
    func challengeWithoutAnAnswer(_ method: String, _ disposition: URLSession.AuthChallengeDisposition) {
        let answer = SecurityAdapter().answer(to: challenge(space(method)), exchange: nil)
        #expect(answer.disposition == disposition && answer.credential == nil)
    }

    @Test func proxyCredentialsAreSentOnce() throws {
        var configuration = TransportConfiguration()
        configuration.proxy = .http(host: "proxy.example", port: 8080, username: "leia", password: "alderaan")
        let adapter = try SecurityAdapter(configuration)
        let proxy = URLProtectionSpace(
            proxyHost: "proxy.example", port: 8080, type: NSURLProtectionSpaceHTTPProxy, realm: nil,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let answer = adapter.answer(to: challenge(proxy), exchange: nil)
        #expect(answer.disposition == .useCredential)
        #expect(answer.credential?.user == "leia" && answer.credential?.password == "alderaan")
        #expect(adapter.answer(to: challenge(proxy, failures: 1), exchange: nil).credential == nil)
        // A server gets none of it.
        #expect(
            adapter.answer(to: challenge(space(NSURLAuthenticationMethodHTTPBasic)), exchange: nil).credential == nil)
    }

    @Test func emptyChainIsRefused() throws {
        struct Anyone: ServerTrustPolicy { func evaluate(_ chain: CertificateChain, host: String) throws {} }
        var configuration = TransportConfiguration()
        configuration.trustPolicy = Anyone()
        let task = Task()
        let answer = try SecurityAdapter(configuration).answer(
            to: challenge(space(NSURLAuthenticationMethodServerTrust)), exchange: task)
        #expect(answer.disposition == .cancelAuthenticationChallenge)
        #expect((task.failure as? TransportError)?.code == .certificateUntrusted)
    }

    /// Nothing of a handshake: the trust is made here.
    @Test func acceptsCertificatesOfDevelopmentServers() async throws {
        struct Leaf: ServerTrustPolicy {
            let count = Locked<[Int]>([])
            func evaluate(_ chain: CertificateChain, host: String) throws {
                count.withLock { $0.append(chain.certificates.count) }
            }
        }
        let certificates = try await TestCertificates.shared
        let policy = Leaf()
        var configuration = TransportConfiguration()
        configuration.trustPolicy = policy
        configuration.developmentServers = .selfSigned(hosts: ["dev.example"], allowsReleaseBuilds: true)
        let adapter = try SecurityAdapter(configuration)
        for (host, isAccepted) in [("localhost", true), ("dev.example", true), ("a.dev.example", false)] {
            let presented = [certificates.otherServer.certificate.der, certificates.ca.der]
            let space = URLProtectionSpace(
                host: host, trust: SecTrust(presented: presented.map { SecCertificate(der: $0) }, host: host))
            let task = Task()
            let answer = adapter.answer(to: challenge(space), exchange: task)
            #expect((answer.disposition == .useCredential) == isAccepted, "\(host)")
            #expect((task.failure == nil) == isAccepted)
        }
        // Of an untrusted chain only the server's own certificate counts.
        #expect(policy.count.withLock { $0 } == [1, 1])
    }

    @Test func unreadableAuthoritiesAreRefused() {
        func expectError(_ change: (inout TransportConfiguration) -> Void, _ code: TransportError.Code) {
            var configuration = TransportConfiguration()
            change(&configuration)
            let error = #expect(throws: TransportError.self) { try SecurityAdapter(configuration) }
            #expect(error?.code == code)
        }
        expectError({ $0.certificateAuthorities = .only(pem: Data("nothing".utf8)) }, .other)
        let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        expectError({ $0.certificateAuthorities = .only(pem: Data(damaged.utf8)) }, .other)
        expectError({ $0.certificateAuthorities = .onlyFile(URL(fileURLWithPath: "/does/not/exist")) }, .other)
        expectError({ $0.clientCertificate = .pkcs12(Data("x".utf8), password: nil) }, .clientCertificateRejected)
    }

    @Test func authoritiesAreReadFromAFile() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("ca.pem")
        try await TestCertificates.shared.ca.pem.write(to: file)
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .onlyFile(file)
        _ = try SecurityAdapter(configuration)
    }

    /// PKCS#12, the one form that Apple's systems take: the shared suite has PEM.
    @Test(.requires(.nginx), .timeLimit(.minutes(5))) func pkcs12IdentityIsSent() async throws {
        let server = try await NginxServer()
        let certificates = try await TestCertificates.shared
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .only(pem: try certificates.ca.pem)
        configuration.clientCertificate = .pkcs12(
            try Data(contentsOf: certificates.clientPKCS12), password: certificates.clientPKCS12Password)
        let request = URLRequest(url: server.mutualTLSURL.appendingPathComponent("small"))
        func status(_ configuration: TransportConfiguration) async throws -> Int {
            let transport = URLSessionTransport(configuration: configuration)
            return try await transport.send(request, body: nil, context: RequestContext()).status
        }
        #expect(try await status(configuration) == 200)
        #expect(try !FakeImports.isInKeychain(Data(contentsOf: certificates.clientPKCS12)))
        configuration.clientCertificateHosts = ["other.example"]
        #expect(try await status(configuration) == 400, "It belongs to another host.")
        configuration.clientCertificate = nil
        #expect(try await status(configuration) == 400)
    }
}
