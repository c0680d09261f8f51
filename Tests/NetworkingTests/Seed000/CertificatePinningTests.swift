import Networking
import TestLab
import Testing

/// Seed 000, chapter Certificate Pinning. The bundle is a folder with the files of section 2.
@Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct CertificatePinningTests {
    private let certificates: PinningCertificates
    private let server: NginxServer
    private let directory: TemporaryDirectory
    private let bundle: Bundle

    init() async throws {
        certificates = try await PinningCertificates.shared
        server = try await NginxServer(certificates.server, chain: [certificates.intermediate])
        directory = try TemporaryDirectory()
        try certificates.server.certificate.der.write(to: directory.file("leafCert.cer"))
        try certificates.intermediate.der.write(to: directory.file("intermediateCert.cer"))
        try certificates.sibling.certificate.der.write(to: directory.file("outdatedCert.cer"))
        bundle = try #require(Bundle(url: directory.url))
    }

    /// Of an authority of its own, which the seed's server has not.
    private func configuration() throws -> TransportConfiguration {
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .only(pem: try certificates.root.pem)
        configuration.proxy = .none
        return configuration
    }

    private func networking(_ names: [String], backup: PinningPolicy.Host.Backup) throws -> Networking {
        let delegate = try #require(
            PinningURLSessionDelegate(
                pinnedCertificateNamesByHost: ["localhost": names], bundle: bundle, backup: backup))
        return Networking(
            sessionProvider: PinnedSessionProvider(policy: delegate.policy, configuration: try configuration()))
    }

    #if canImport(Security)
        /// Section 1, as it is written.
        @Test func usageOfASession() throws {
            let delegate = PinningURLSessionDelegate(
                pinnedCertificateNamesByHost: [
                    "api.example.com": ["leafCert", "intermediateCert"]
                ], bundle: bundle)!

            let session = URLSession(
                configuration: .default,
                delegate: delegate,
                delegateQueue: nil)

            let net = Networking(session: session)  // or via SessionProvider
            #expect(net.cache != nil)
            session.finishTasksAndInvalidate()
        }
    #endif

    /// Section 4: `nil` init, by a typo in a name or in its case.
    @Test(arguments: ["leafcert", "leafCert2", "Resources/leafCert"]) func nilForATypo(_ name: String) {
        #expect(
            PinningURLSessionDelegate(
                pinnedCertificateNamesByHost: ["api.example.com": [name, "intermediateCert"]], bundle: bundle) == nil)
    }

    /// Section 4: "App can't connect after cert renewal".
    @Test func outdatedFile() async throws {
        let net = try networking(["outdatedCert"], backup: .waived)
        let url = server.httpsURL.appendingPathComponent("small")
        let error = await #expect(throws: NetworkError.self) { let _: String = try await net.request(url: url) }
        #expect(error == .pinningFailed(host: "localhost"))
        let response: NetworkResponse<String> = await net.request(url: url)
        #expect(response.failure?.underlyingError is PinningPolicy.Mismatch && server.accessLog.isEmpty)
    }

    /// Section 1, and its way by a provider; section 3: leaf or intermediate, and old and new side by side.
    @Test(arguments: [
        (["leafCert", "intermediateCert"], PinningPolicy.Host.Backup.required), (["leafCert"], .waived),
        (["intermediateCert"], .waived), (["outdatedCert", "leafCert"], .waived),
    ]) func usage(_ names: [String], backup: PinningPolicy.Host.Backup) async throws {
        let net = try networking(names, backup: backup)
        let text: String = try await net.request(url: server.httpsURL.appendingPathComponent("small"))
        #expect(text.count == 200)
    }
}
