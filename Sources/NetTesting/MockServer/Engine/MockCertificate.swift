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
    private let authorityKey: Data?

    /// Creates a certificate from files of your own.
    public init(certificate: Data, privateKey: Data, authority: Data) {
        self.init(certificate: certificate, privateKey: privateKey, authority: authority, authorityKey: nil)
    }

    fileprivate init(certificate: Data, privateKey: Data, authority: Data, authorityKey: Data?) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.authority = authority
        self.authorityKey = authorityKey
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
        #if os(Linux) || os(macOS)
            try await CertificateMaker.make(names: names)
        #else
            throw NetTestingError.unavailable("This system runs no commands. Make the certificate elsewhere.")
        #endif
    }

    /// Makes a client certificate with a key of its own, issued by ``authority`` and valid for two days.
    ///
    /// It is a PKCS#12 archive, the form that all of our transports accept. Like ``make(names:)``, it needs the `openssl` command.
    ///
    /// - Parameter name: the common name, in ASCII letters, digits, spaces and `.-_@`. ``RecordedRequest/clientCertificateSubject``
    ///   shows it.
    /// - Throws: ``NetTestingError/unavailable(_:)`` as ``make(names:)`` does, and for a certificate that ``make(names:)`` did not make.
    @concurrent
    public func makeClient(named name: String = "client") async throws -> TransportConfiguration.ClientCertificate {
        guard let authorityKey else {
            throw NetTestingError.unavailable(
                "The key of this authority is unknown. Make the certificate by MockCertificate.make().")
        }
        #if os(Linux) || os(macOS)
            let password = "mock"
            let archive = try await CertificateMaker.makeClient(
                named: name, password: password, authority: authority, authorityKey: authorityKey)
            return .pkcs12(archive, password: password)
        #else
            throw NetTestingError.unavailable("This system runs no commands. Make the certificate elsewhere.")
        #endif
    }

    /// Which client certificates a ``MockServer`` accepts, for mutual TLS. It refuses the handshake of a client whose certificate
    /// another authority issued.
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

#if os(Linux) || os(macOS)

    /// Makes certificates by the `openssl` command, with options that OpenSSL and LibreSSL have. It works in a temporary folder.
    struct CertificateMaker {
        private let executable: String
        private let folder: URL

        /// - Parameter parent: the folder for the temporary folder.
        static func make(
            names: [String], in parent: URL = FileManager.default.temporaryDirectory
        ) async throws -> MockCertificate {
            let alternatives = try names.map(alternativeName).joined(separator: ",")
            let maker = try CertificateMaker(in: parent, configuration(alternatives))
            defer { maker.removeFiles() }
            try await maker.makeKey("authority")
            try await maker.openssl(
                "req", "-new", "-x509", "-sha256", "-days", "2", "-config", maker.path("openssl.cnf"), "-extensions",
                "authority", "-subj", "/CN=MockServer authority \(serial())", "-key", maker.path("authority.key"),
                "-out", maker.path("authority.pem"))
            try await maker.issue("server", commonName: "MockServer")
            return MockCertificate(
                certificate: try maker.read("server.pem"), privateKey: try maker.read("server.key"),
                authority: try maker.read("authority.pem"), authorityKey: try maker.read("authority.key"))
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
            let maker = try CertificateMaker(in: parent, configuration("DNS:unused"))
            defer { maker.removeFiles() }
            try authority.write(to: maker.file("authority.pem"))
            try authorityKey.write(to: maker.file("authority.key"))
            try await maker.issue("client", commonName: name)
            // The algorithms that Apple's Security framework reads, too.
            try await maker.openssl(
                "pkcs12", "-export", "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1",
                "-passout", "pass:\(password)", "-in", maker.path("client.pem"), "-inkey", maker.path("client.key"),
                "-out", maker.path("client.p12"))
            return try maker.read("client.p12")
        }

        private init(in parent: URL, _ configuration: String) throws {
            guard let executable = Self.find("openssl") else {
                throw NetTestingError.unavailable("There is no openssl command. On Debian: apt-get install openssl.")
            }
            self.executable = executable
            folder = parent.appendingPathComponent("mock-\(UUID().uuidString)")
            // Other users must not read the keys.
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try Data(configuration.utf8).write(to: file("openssl.cnf"))
        }

        private func removeFiles() { try? FileManager.default.removeItem(at: folder) }

        private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

        private func path(_ name: String) -> String { file(name).path }

        private func read(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

        /// A random serial number, since two certificates of one issuer and number confuse clients.
        private static func serial() -> String { "0x\(String(UInt64.random(in: 1 << 60..<1 << 62), radix: 16))" }

        private func makeKey(_ name: String) async throws {
            try await openssl(
                "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("\(name).key"))
        }

        /// Makes a key and a certificate, signed by the authority.
        ///
        /// - Parameter name: the name of the files, and of the section of the configuration.
        private func issue(_ name: String, commonName: String) async throws {
            try await makeKey(name)
            try await openssl(
                "req", "-new", "-sha256", "-config", path("openssl.cnf"), "-subj", "/CN=\(commonName)",
                "-key", path("\(name).key"), "-out", path("\(name).csr"))
            try await openssl(
                "x509", "-req", "-sha256", "-days", "2", "-in", path("\(name).csr"), "-CA", path("authority.pem"),
                "-CAkey", path("authority.key"), "-set_serial", Self.serial(), "-extfile", path("openssl.cnf"),
                "-extensions", name, "-out", path("\(name).pem"))
        }

        /// Returns the entry of a name. It goes into a configuration file, so a line end must not get through.
        private static func alternativeName(_ name: String) throws -> String {
            guard !name.isEmpty, name.utf8.allSatisfy({ isAllowed($0) }) else {
                throw NetTestingError.unavailable("'\(name.debugDescription)' is neither a host name nor an address.")
            }
            let isAddress =
                name.contains(":") || name.allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
            return isAddress ? "IP:\(name)" : "DNS:\(name)"
        }

        private static func isAllowed(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "*"):
                true
            default: false
            }
        }

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

        private static func find(_ name: String) -> String? {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return (path.split(separator: ":").map(String.init) + ["/usr/bin", "/opt/homebrew/bin", "/usr/local/bin"])
                .map { "\($0)/\(name)" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        private func openssl(_ arguments: String...) async throws {
            guard try await !Command.run(executable, arguments, errors: path("errors")) else { return }
            let text = (try? String(contentsOf: file("errors"), encoding: .utf8)) ?? ""
            throw NetTestingError.unavailable("openssl \(arguments.first ?? "") failed: \(text.prefix(1_000))")
        }
    }

    /// Runs a program to its end. Foundation's `Process` would sometimes crash on Linux when several start at the same time.
    enum Command {
        /// Runs it with empty input, on a thread of its own.
        ///
        /// - Parameter errors: the file for its standard error.
        /// - Returns: whether it ended with status 0.
        static func run(_ executable: String, _ arguments: [String], errors: String) async throws -> Bool {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try spawnAndWait(executable, arguments, errors) })
                }
            }
        }

        private static func spawnAndWait(_ executable: String, _ arguments: [String], _ errors: String) throws -> Bool {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
            #else
                var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            let pointers = ([executable] + arguments).map { strdup($0) }
            let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") }
            defer { for pointer in pointers + variables { free(pointer) } }
            var identifier: pid_t = 0
            let code = posix_spawn(&identifier, executable, &actions, nil, pointers + [nil], variables + [nil])
            guard code == 0 else { throw NetTestingError.system(call: "posix_spawn", code: code) }
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0 {
                guard errno == EINTR else { throw NetTestingError.system(call: "waitpid", code: errno) }
            }
            return status == 0
        }
    }
#endif
