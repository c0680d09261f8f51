package import NetCore

/// Certificates for the tests, which `openssl` makes once in each process. In the repository they would expire.
///
/// All keys are EC P-256. Only clients that are given ``ca`` or ``otherCA`` trust the authorities.
package struct TestCertificates: Sendable {
    /// The authority that the tests trust.
    package let ca: TestCertificate
    /// An authority that the tests do not trust.
    package let otherCA: TestCertificate
    /// For `localhost`, `127.0.0.1` and `::1`, by ``ca``.
    package let server: TestIdentity
    /// For the same names, by ``otherCA``.
    package let otherServer: TestIdentity
    /// For the same names, by ``ca``, but valid in 2020 only.
    package let expiredServer: TestIdentity
    /// By ``ca``, for `wrong.example`.
    package let wrongHostServer: TestIdentity
    /// A client, by ``ca``. Its common name is "Test Client".
    package let client: TestIdentity
    /// A client, by ``otherCA``.
    package let otherClient: TestIdentity
    /// ``client`` with its key and ``ca`` in one PKCS#12 file.
    package let clientPKCS12: URL
    /// The password of ``clientPKCS12``.
    package let clientPKCS12Password = "secret"

    private let directory: TemporaryDirectory

    /// The certificates of this process.
    ///
    /// - Throws: ``LabError``, for example if there is no `openssl`.
    package static var shared: TestCertificates { get async throws { try await making.value } }

    private static let making = Task { try await TestCertificates() }

    private init() async throws {
        let directory = try TemporaryDirectory()
        let authority = try CertificateAuthority(directory)
        self.directory = directory
        ca = try await authority.makeRoot("ca", commonName: "Test CA")
        otherCA = try await authority.makeRoot("other-ca", commonName: "Other CA")
        server = try await authority.issue("server", commonName: "localhost", kind: .server, by: "ca")
        otherServer = try await authority.issue("other-server", commonName: "localhost", kind: .server, by: "other-ca")
        expiredServer = try await authority.issue(
            "expired", commonName: "localhost", kind: .server, by: "ca", from: "20200101000000Z", to: "20201231235959Z")
        wrongHostServer = try await authority.issue(
            "wrong-host", commonName: "wrong.example", kind: .wrongHost, by: "ca")
        client = try await authority.issue("client", commonName: "Test Client", kind: .client, by: "ca")
        otherClient = try await authority.issue(
            "other-client", commonName: "Other Client", kind: .client, by: "other-ca")
        clientPKCS12 = try await authority.bundle(client, issuer: ca, password: clientPKCS12Password)
    }
}

/// A certificate in a file.
package struct TestCertificate: Sendable {
    /// The PEM file.
    package let url: URL
    /// The certificate itself, which the PEM file holds in base64.
    package let der: Data

    /// What the PEM file holds.
    package var pem: Data { get throws { try Data(contentsOf: url) } }
}

/// A certificate and its private key.
package struct TestIdentity: Sendable {
    package let certificate: TestCertificate
    /// The PEM file (PKCS#8, without a password) of the key.
    package let keyURL: URL

    /// What the PEM file of the key holds.
    package var keyPEM: Data { get throws { try Data(contentsOf: keyURL) } }
}
