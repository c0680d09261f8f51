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

    init() async throws {
        certificate = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localhost"])
        server = try MockServer(certificate: certificate) { _ in .text("secret") }
        // Whom nobody pinned is trusted by the system: without this, all would be refused anyway.
        try FakeTrust.install(pem: certificate.authority)
    }

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

    @Test func unpinnedCertificateIsRefused() async throws {
        let other = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localhost"])
        let session = try session(policy(other))
        let url = try url
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .cancelled && server.requests.isEmpty)
    }

    @Test func pinDoesNotReplaceSystemTrust() async throws {
        let stranger = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localhost"])
        let server = try MockServer(certificate: stranger) { _ in .ok }
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

extension FakeTrust {
    /// Adds the one authority in a PEM file to those that this "system" trusts.
    static func install(pem: Data) throws {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        install(try #require(SecCertificateCreateWithData(nil, der as CFData)))
    }
}
