internal import NetCore

/// Issues certificates with the `openssl` command, in one directory.
struct CertificateAuthority {
    /// What a certificate is for: a section of ``configuration``.
    enum Kind: String {
        case server, wrongHost, client
        /// An authority beneath another.
        case intermediate
        /// A server's, that does not say by which key it was signed.
        case bareServer
    }

    /// What kind of key is made.
    enum Key: String {
        case p256 = "ec"
        case rsa1024 = "rsa:1024"
        case rsa2048 = "rsa:2048"
    }

    private let directory: TemporaryDirectory

    init(_ directory: TemporaryDirectory) throws {
        self.directory = directory
        try Data(Self.configuration(directory.url.path).utf8).write(to: directory.file("openssl.cnf"))
        try Data().write(to: directory.file("index.txt"))
        let serial = String(UInt64.random(in: 1 << 60..<1 << 62), radix: 16)
        try Data(serial.utf8).write(to: directory.file("serial"))
    }

    /// Makes a self-signed authority.
    ///
    /// - Parameter owner: the certificate whose key it uses, or nil for a new key.
    func makeRoot(_ name: String, commonName: String, keyOf owner: String? = nil) async throws -> TestCertificate {
        try await signItself(name, commonName, extensions: "root", keyOf: owner)
        return try certificate(name)
    }

    /// Makes a self-signed certificate of a server.
    func makeSelfSigned(_ name: String, commonName: String) async throws -> TestIdentity {
        try await signItself(name, commonName, extensions: "selfSigned")
        return try identity(name)
    }

    private func signItself(
        _ name: String, _ commonName: String, extensions: String, keyOf owner: String? = nil
    ) async throws {
        let key = owner.map { ["-key", path("\($0).key")] + subject(commonName) } ?? newKey(name, commonName)
        try await openssl(
            ["req", "-x509", "-days", "30", "-extensions", extensions, "-out", path("\(name).pem")] + key)
    }

    /// Makes a key, and a certificate for it, valid from yesterday for a month unless told otherwise.
    func issue(
        _ name: String, commonName: String, kind: Kind, by issuer: String, key: Key = .p256, from start: String? = nil,
        to end: String? = nil
    ) async throws -> TestIdentity {
        try await openssl(["req", "-new", "-out", path("\(name).csr")] + newKey(name, commonName, key))
        let now = Date()
        // `ca` and not `x509 -req`, which in OpenSSL 3.0 cannot be told when the time begins.
        try await openssl([
            "ca", "-batch", "-notext", "-config", path("openssl.cnf"), "-extensions", kind.rawValue,
            "-cert", path("\(issuer).pem"), "-keyfile", path("\(issuer).key"),
            "-startdate", start ?? Self.timestamp(now.addingTimeInterval(-86_400)),
            "-enddate", end ?? Self.timestamp(now.addingTimeInterval(30 * 86_400)),
            "-in", path("\(name).csr"), "-out", path("\(name).pem"),
        ])
        return try identity(name)
    }

    private func identity(_ name: String) throws -> TestIdentity {
        TestIdentity(certificate: try certificate(name), keyURL: directory.file("\(name).key"))
    }

    /// Puts a certificate, its key and its issuer into a PKCS#12 file.
    func bundle(_ identity: TestIdentity, issuer: TestCertificate, password: String) async throws -> URL {
        let bundle = identity.keyURL.deletingPathExtension().appendingPathExtension("p12")
        // The algorithms that Apple's Security framework reads, too; OpenSSL has them in its default provider.
        try await openssl([
            "pkcs12", "-export", "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1",
            "-passout", "pass:\(password)", "-in", identity.certificate.url.path, "-inkey", identity.keyURL.path,
            "-certfile", issuer.url.path, "-out", bundle.path,
        ])
        return bundle
    }

    private func newKey(_ name: String, _ commonName: String, _ key: Key = .p256) -> [String] {
        ["-newkey", key.rawValue] + (key == .p256 ? ["-pkeyopt", "ec_paramgen_curve:prime256v1"] : [])
            + ["-nodes", "-keyout", path("\(name).key")] + subject(commonName)
    }

    private func subject(_ commonName: String) -> [String] {
        ["-subj", "/CN=\(commonName)", "-config", path("openssl.cnf")]
    }

    private func openssl(_ arguments: [String]) async throws {
        try await ProcessRunner.run("openssl", arguments).checked()
    }

    private func path(_ name: String) -> String { directory.file(name).path }

    private func certificate(_ name: String) throws -> TestCertificate {
        let url = directory.file("\(name).pem")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter {
            !$0.hasPrefix("-----")
        }
        guard let data = Data(base64Encoded: lines.joined()), !data.isEmpty else {
            throw LabError("\(url.path) is not PEM")
        }
        return TestCertificate(url: url, der: data)
    }

    private static func timestamp(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return formatter.string(from: date)
    }

    private static func configuration(_ directory: String) -> String {
        """
        [req]
        distinguished_name = name
        prompt = no
        [name]
        CN = unused
        [ca]
        default_ca = authority
        [authority]
        database = \(directory)/index.txt
        serial = \(directory)/serial
        new_certs_dir = \(directory)
        default_md = sha256
        policy = policy
        unique_subject = no
        [policy]
        commonName = supplied
        \(extensions)
        """
    }

    /// The extensions of each kind of certificate, a section for each.
    private static let extensions: String = {
        let authority = "keyUsage = critical, keyCertSign, cRLSign"
        let leaf = "basicConstraints = critical, CA:false"
        let signing = "keyUsage = critical, digitalSignature"
        let server = "extendedKeyUsage = serverAuth"
        let localhost = "subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1"
        let own = "subjectKeyIdentifier = hash"
        let issuers = "authorityKeyIdentifier = keyid"
        let sections = [
            ("root", ["basicConstraints = critical, CA:true", authority, own]),
            ("intermediate", ["basicConstraints = critical, CA:true, pathlen:0", authority, own, issuers]),
            ("server", [leaf, signing, server, own, issuers, localhost]),
            ("wrongHost", [leaf, signing, server, own, issuers, "subjectAltName = DNS:wrong.example"]),
            ("client", [leaf, signing, "extendedKeyUsage = clientAuth", own, issuers]),
            ("bareServer", [leaf, server, localhost]),
            ("selfSigned", [leaf, signing + ", keyCertSign", server, localhost]),
        ]
        return sections.map { "[\($0)]\n" + $1.joined(separator: "\n") }.joined(separator: "\n")
    }()
}
