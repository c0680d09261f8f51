public import NetCore

/// The TLS certificate of a ``MockServer``, its key, and the authority to trust.
///
/// ```swift
/// let certificate = try await MockCertificate.make()
/// let server = try MockServer(certificate: certificate)
/// var configuration = TransportConfiguration()
/// configuration.certificateAuthorities = .only(pem: certificate.authority)
/// let client = NetworkClient(transport: .platform(configuration))
/// ```
///
/// Make one in each test run. A certificate in a repository would expire, and someone might trust it.
public struct MockCertificate: Sendable {
    /// The certificate of the authority, in PEM. A client that trusts it trusts the server.
    public let authority: Data
    /// The certificate of the server in PEM, perhaps followed by intermediate certificates.
    public let certificate: Data
    /// The private key in PEM, without a password.
    public let privateKey: Data

    /// The key of the authority in PEM, which issues client certificates. Nil for files of the caller's own.
    fileprivate var authorityKey: Data?

    /// Creates a certificate from files of your own.
    public init(certificate: Data, privateKey: Data, authority: Data) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.authority = authority
    }

    /// The server's certificate in DER, for example to make a pin. Empty if ``certificate`` is not PEM.
    public var der: Data { PEM.blocks(certificate).first ?? Data() }

    /// Makes an authority and a certificate with EC keys, valid for two days. It takes some tens of milliseconds, so share the result.
    ///
    /// It needs the `openssl` command (Debian: `apt-get install openssl`; macOS has one) and removes its files.
    ///
    /// - Parameter names: the host names and IP addresses of the server.
    /// - Throws: ``NetTestingError/unavailable(_:)`` without the command, and on systems that run no commands (iOS and the like).
    @concurrent
    public static func make(names: [String] = ["localhost", "127.0.0.1", "::1"]) async throws -> MockCertificate {
        try await CertificateMaker.make(names: names)
    }

    /// Makes a client certificate with a key of its own, issued by ``authority`` and valid for two days.
    ///
    /// It is a PKCS#12 archive, the form that all of our transports accept. Like ``make(names:)``, it needs the `openssl` command.
    ///
    /// - Parameter name: the common name in ASCII letters, digits, spaces and `.-_@`: see ``RecordedRequest/clientCertificateSubject``.
    /// - Throws: ``NetTestingError/unavailable(_:)`` as ``make(names:)`` does, and for a certificate that ``make(names:)`` did not make.
    @concurrent
    public func makeClient(named name: String = "client") async throws -> TransportConfiguration.ClientCertificate {
        guard let authorityKey else {
            throw NetTestingError.unavailable(
                "The key of this authority is unknown. Make the certificate by MockCertificate.make().")
        }
        let password = "mock"
        let archive = try await CertificateMaker.makeClient(
            named: name, password: password, authority: authority, authorityKey: authorityKey)
        return .pkcs12(archive, password: password)
    }

    /// Which client certificates a ``MockServer`` accepts, for mutual TLS. It refuses the handshake with one that another authority issued.
    ///
    /// ```swift
    /// let certificate = try await MockCertificate.make()
    /// let server = try MockServer(
    ///     certificate: certificate, clientCertificates: .required(authority: certificate.authority))
    /// var configuration = TransportConfiguration()
    /// configuration.clientCertificate = try await certificate.makeClient(named: "Ada")
    /// ```
    public enum ClientPolicy: Hashable, Sendable {
        /// The server requests no certificate.
        case notRequested
        /// The server requests a certificate, and serves clients without one too. The authorities are in PEM.
        case requested(authority: Data)
        /// The server refuses the handshake of a client without a certificate. The authorities are in PEM.
        case required(authority: Data)
    }
}

/// The text form of certificates and keys (RFC 7468).
enum PEM {
    /// Returns the bytes of each block, in order.
    static func blocks(_ text: Data) -> [Data] {
        let parts = String(decoding: text, as: UTF8.self).components(separatedBy: "-----")
        return zip(parts, parts.dropFirst()).compactMap { label, content in
            guard label.hasPrefix("BEGIN ") else { return nil }
            return Data(base64Encoded: content.filter { !$0.isWhitespace }).flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}

/// Makes certificates by the `openssl` command, with options that OpenSSL and LibreSSL have. It works in a temporary folder.
enum CertificateMaker {
    /// - Parameter parent: the folder for the temporary folder.
    static func make(
        names: [String], in parent: URL = FileManager.default.temporaryDirectory
    ) async throws -> MockCertificate {
        let script = """
            openssl ecparam -name prime256v1 -genkey -noout -out authority.key
            openssl req -new -x509 -sha256 -days 2 -config openssl.cnf -extensions authority \\
                -subj "/CN=MockServer authority $serial" -key authority.key -out authority.pem
            issue server MockServer
            """
        let alternatives = try names.map(alternativeName).joined(separator: ",")
        let files = try await run(
            script, [], ["openssl.cnf": Data(configuration(alternatives).utf8)],
            reading: ["server.pem", "server.key", "authority.pem", "authority.key"], in: parent)
        var made = MockCertificate(certificate: files[0], privateKey: files[1], authority: files[2])
        made.authorityKey = files[3]
        return made
    }

    /// Returns a PKCS#12 archive with a client certificate and its key.
    static func makeClient(
        named name: String, password: String, authority: Data, authorityKey: Data,
        in parent: URL = FileManager.default.temporaryDirectory
    ) async throws -> Data {
        guard !name.isEmpty, name.utf8.allSatisfy({ isAllowed($0) || " @_".utf8.contains($0) }) else {
            throw NetTestingError.unavailable(
                "\(name.debugDescription) cannot name a client. Use ASCII letters, digits, spaces and . - _ @.")
        }
        // The algorithms that Apple's Security framework reads, too.
        let script = """
            issue client "$3"
            openssl pkcs12 -export -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1 \\
                -passout "pass:$4" -in client.pem -inkey client.key -out client.p12
            """
        let configuration = Data(configuration("DNS:unused").utf8)
        let files = ["openssl.cnf": configuration, "authority.pem": authority, "authority.key": authorityKey]
        return try await run(script, [name, password], files, reading: ["client.p12"], in: parent)[0]
    }

    /// Runs a script of the shell in a temporary folder with files, and returns the files that it makes. Its parameters begin at `$3`. The
    /// command `issue` makes a key and a certificate, signed by the authority: its first parameter is the name of the files and of the
    /// section of the configuration, its second one the common name.
    private static func run(
        _ script: String, _ parameters: [String], _ files: [String: Data], reading results: [String], in parent: URL
    ) async throws -> [Data] {
        let beginning = """
            cd "$1"; serial=$2; PATH="$PATH:/usr/bin:/opt/homebrew/bin:/usr/local/bin"
            exec < /dev/null > /dev/null 2> errors
            command -v openssl || exit 127
            issue() {
                openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
                openssl req -new -sha256 -config openssl.cnf -subj "/CN=$2" -key "$1.key" -out "$1.csr"
                openssl x509 -req -sha256 -days 2 -in "$1.csr" -CA authority.pem -CAkey authority.key \\
                    -set_serial "$serial" -extfile openssl.cnf -extensions "$1" -out "$1.pem"
            }

            """
        let folder = parent.appendingPathComponent("mock-\(UUID().uuidString)")
        // Other users must not read the keys.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in files { try content.write(to: folder.appendingPathComponent(name)) }
        // Two certificates of one issuer and number confuse clients.
        let serial = "0x\(String(UInt64.random(in: 1 << 60..<1 << 62), radix: 16))"
        switch try await shell(["-ec", beginning + script, "sh", folder.path, serial] + parameters) {
        case 0: return try results.map { try Data(contentsOf: folder.appendingPathComponent($0)) }
        case 127: throw NetTestingError.unavailable("There is no openssl command. On Debian: apt-get install openssl.")
        default:
            let text = (try? String(contentsOf: folder.appendingPathComponent("errors"), encoding: .utf8)) ?? ""
            throw NetTestingError.unavailable("openssl failed: \(text.prefix(1_000))")
        }
    }

    /// Returns the entry of a name. It goes into a configuration file, so a line end must not get through.
    private static func alternativeName(_ name: String) throws -> String {
        guard !name.isEmpty, name.utf8.allSatisfy(isAllowed) else {
            throw NetTestingError.unavailable("'\(name.debugDescription)' is neither a host name nor an address.")
        }
        let isAddress = name.contains(":") || name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isDigit }
        return isAddress ? "IP:\(name)" : "DNS:\(name)"
    }

    private static func isAllowed(_ byte: UInt8) -> Bool { byte.isAlphanumeric || ":.-*".utf8.contains(byte) }

    private static func configuration(_ alternatives: String) -> String {
        """
        [req]
        distinguished_name = name
        prompt = no
        [name]
        CN = unused
        [authority]
        basicConstraints = critical, CA:true
        keyUsage = critical, keyCertSign, cRLSign
        subjectKeyIdentifier = hash
        [client]
        basicConstraints = critical, CA:false
        keyUsage = critical, digitalSignature
        extendedKeyUsage = clientAuth
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        [server]
        basicConstraints = critical, CA:false
        keyUsage = critical, digitalSignature
        extendedKeyUsage = serverAuth
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        subjectAltName = \(alternatives)
        """
    }

    /// Runs the shell on a thread of its own, and returns its exit status. Foundation's `Process` may crash on Linux if several start at once.
    private static func shell(_ arguments: [String]) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try spawnAndWait("/bin/sh", arguments) }) }
        }
    }

    private static func spawnAndWait(_ executable: String, _ arguments: [String]) throws -> Int32 {
        #if os(Linux) || os(macOS)
            let pointers = ([executable] + arguments).map { strdup($0) }
            let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") }
            defer { for pointer in pointers + variables { free(pointer) } }
            var identifier: pid_t = 0
            let code = posix_spawn(&identifier, executable, nil, nil, pointers + [nil], variables + [nil])
            guard code == 0 else { throw NetTestingError.system(call: "posix_spawn", code: code) }
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0 {
                guard errno == EINTR else { throw NetTestingError.system(call: "waitpid", code: errno) }
            }
            // The end by a signal is an error, too.
            return status & 0x7F == 0 ? status >> 8 & 0xFF : 1
        #else
            throw NetTestingError.unavailable("This system runs no commands. Make the certificate elsewhere.")
        #endif
    }
}
