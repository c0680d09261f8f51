import NetCore
import NetTesting
import Networking
import Security
import TestLab
import Testing

@testable import NetSecurity

/// Pins with a `URLSession` of one's own (seed 000), against a real server whose authority this "system" trusts.
@Suite(.timeLimit(.minutes(5))) struct PinningTests {
    private let server: MockServer
    private let certificate: MockCertificate

    /// Whom nobody pinned is trusted by the system: without this, all would be refused anyway.
    init() async throws { (server, certificate) = try await MockServer.trustedBySystem() }

    private var url: URL { get throws { try #require(URL(string: "https://localhost:\(server.port)/")) } }

    private func policy(_ certificate: MockCertificate) throws -> PinningPolicy {
        try PinningPolicy([
            PinningPolicy.Host("localhost", pins: [.certificate(reading: certificate.der)], backup: .waived)
        ])
    }

    private func session(_ policy: PinningPolicy) -> URLSession {
        URLSession(configuration: .ephemeral, delegate: PinningURLSessionDelegate(policy: policy), delegateQueue: nil)
    }

    @Test func pinnedCertificateIsTrusted() async throws {
        let (data, _) = try await session(policy(certificate)).data(from: url)
        #expect(data == Data("secret".utf8))
    }

    /// A pin does not replace the system's trust, and that replaces no pin.
    @Test(arguments: [true, false])
    func unpinnedOrUntrustedCertificateIsRefused(_ isTrusted: Bool) async throws {
        let stranger = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localhost"])
        let server = try isTrusted ? self.server : MockServer(certificate: stranger) { _ in .ok }
        let session = try session(policy(stranger))
        let url = try #require(URL(string: "https://localhost:\(server.port)/"))
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .cancelled && server.requests.isEmpty)
    }

    @Test func otherChallengesGetDefaultHandling() async throws {
        let server = try MockServer { _ in .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]) }
        let (_, response) = try await session(policy(certificate)).data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func providedSessionPins() async throws {
        let provider = PinnedSessionProvider(policy: try policy(certificate))
        #expect(provider.session === provider.session)
        #expect(try await provider.session.data(from: url).0 == Data("secret".utf8))
    }

    @Test func pinningFailureHasItsOwnError() async throws {
        let other = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localhost"])
        let networking = Networking(session: try session(policy(other)))
        let url = try url
        let error = await #expect(throws: NetworkError.self) { let _: String = try await networking.request(url: url) }
        #expect(error == .pinningFailed(host: "localhost"))
    }
}

@Suite struct BackgroundSessionProviderTests {
    @Test func providerMakesABackgroundSession() throws {
        let identifier = UUID().uuidString
        let provider = try DefaultSessionProvider.background(identifier: identifier)
        #expect(provider.session.configuration.identifier == identifier && provider.session === provider.session)
        #expect(try DefaultSessionProvider.background(identifier: identifier).session === provider.session)
    }
}

extension MockServer {
    /// A server for `localhost` that the system trusts.
    static func trustedBySystem() async throws -> (MockServer, MockCertificate) {
        let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localhost"])
        try FakeTrust.install(pem: certificate.authority)
        return (try MockServer(certificate: certificate) { _ in .text("secret") }, certificate)
    }
}

extension FakeTrust {
    /// Adds the one authority in a PEM file to those that this "system" trusts.
    static func install(pem: Data) throws {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        install(try #require(SecCertificateCreateWithData(nil, der as CFData)))
    }
}
