internal import NetCore

/// Certificates of a hierarchy with an intermediate authority, and certificates of attackers. `openssl` makes them once in each
/// process.
///
/// The certificates of servers are for `localhost`, `127.0.0.1` and `::1` unless noted otherwise.
package struct PinningCertificates: Sendable {
    /// The authority that the tests trust.
    package let root: TestCertificate
    /// By ``root``.
    package let intermediate: TestCertificate
    /// A server, by ``intermediate``.
    package let server: TestIdentity
    /// Another server, by ``intermediate``.
    package let sibling: TestIdentity
    /// A server with an RSA key of 2048 bits, by ``intermediate``.
    package let rsa: TestIdentity
    /// A server with an RSA key of 1024 bits, by ``intermediate``.
    package let weak: TestIdentity
    /// A server, by ``intermediate``, until 2020.
    package let expired: TestIdentity
    /// A server, by ``intermediate``, from 2090 on.
    package let notYetValid: TestIdentity
    /// `wrong.example`, by ``intermediate``.
    package let wrongHost: TestIdentity
    /// A server with a self-signed certificate.
    package let selfSigned: TestIdentity
    /// An authority with the name of ``intermediate`` and a key of its own.
    package let impostor: TestCertificate
    /// A server, by ``impostor``. It differs from one by ``intermediate`` in its signature only.
    package let forged: TestIdentity
    /// An authority with the name and the key of ``sibling``, which is not an authority.
    package let upstart: TestCertificate
    /// A server, by ``upstart``, and so signed by ``sibling``.
    package let usurped: TestIdentity

    private let directory: TemporaryDirectory

    /// The certificates of this process.
    ///
    /// - Throws: ``LabError``, for example if there is no `openssl`.
    package static var shared: PinningCertificates { get async throws { try await making.value } }

    private static let making = Task { try await PinningCertificates() }

    private init() async throws {
        let directory = try TemporaryDirectory()
        let authority = try CertificateAuthority(directory)
        func issue(
            _ name: String, _ kind: CertificateAuthority.Kind = .server, by issuer: String = "intermediate",
            key: CertificateAuthority.Key = .p256, from start: String? = nil, to end: String? = nil
        ) async throws -> TestIdentity {
            try await authority.issue(name, commonName: name, kind: kind, by: issuer, key: key, from: start, to: end)
        }
        self.directory = directory
        root = try await authority.makeRoot("root", commonName: "Lab Root")
        intermediate = try await issue("intermediate", .intermediate, by: "root").certificate
        server = try await issue("server")
        sibling = try await issue("sibling")
        rsa = try await issue("rsa", key: .rsa2048)
        weak = try await issue("weak", key: .rsa1024)
        expired = try await issue("expired", from: "20200101000000Z", to: "20201231235959Z")
        notYetValid = try await issue("not-yet-valid", from: "20900101000000Z", to: "20901231235959Z")
        wrongHost = try await issue("wrong.example", .wrongHost)
        selfSigned = try await authority.makeSelfSigned("self-signed", commonName: "localhost")
        impostor = try await authority.makeRoot("impostor", commonName: "intermediate")
        forged = try await issue("forged", .bareServer, by: "impostor")
        upstart = try await authority.makeRoot("upstart", commonName: "sibling", keyOf: "sibling")
        // `openssl ca` looks for the issuer's key under the issuer's name.
        try FileManager.default.copyItem(at: sibling.keyURL, to: directory.file("upstart.key"))
        usurped = try await issue("usurped", .bareServer, by: "upstart")
    }
}
