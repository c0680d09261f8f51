#if os(Linux) || os(macOS)
    import NetCore

    /// Makes certificates by the `openssl` command. Of OpenSSL and LibreSSL, it uses what both have.
    enum CertificateMaker {
        /// - Parameter parent: where the files lie meanwhile, in a folder of their own.
        static func make(
            names: [String], in parent: URL = FileManager.default.temporaryDirectory
        ) async throws -> MockCertificate {
            guard let openssl = find("openssl") else {
                throw NetTestingError.unavailable("There is no openssl command. On Debian: apt-get install openssl.")
            }
            let alternatives = try names.map(alternativeName).joined(separator: ",")
            let folder = parent.appendingPathComponent("mock-\(UUID().uuidString)")
            // The keys are nobody else's to read.
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = { (name: String) in folder.appendingPathComponent(name).path }
            try Data(configuration(alternatives).utf8).write(to: folder.appendingPathComponent("openssl.cnf"))
            // A serial number of its own: two certificates of one issuer and number confuse clients that have seen both.
            let serial = "0x\(String(UInt64.random(in: 1 << 60..<1 << 62), radix: 16))"
            for name in ["authority", "server"] {
                try await run(
                    openssl, ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("\(name).key")],
                    in: folder)
            }
            try await run(
                openssl,
                [
                    "req", "-new", "-x509", "-sha256", "-days", "2", "-config", path("openssl.cnf"), "-extensions",
                    "authority", "-subj", "/CN=MockServer authority \(serial)", "-key", path("authority.key"),
                    "-out", path("authority.pem"),
                ], in: folder)
            try await run(
                openssl,
                [
                    "req", "-new", "-sha256", "-config", path("openssl.cnf"), "-subj", "/CN=MockServer",
                    "-key", path("server.key"), "-out", path("server.csr"),
                ], in: folder)
            try await run(
                openssl,
                [
                    "x509", "-req", "-sha256", "-days", "2", "-in", path("server.csr"), "-CA", path("authority.pem"),
                    "-CAkey", path("authority.key"), "-set_serial", serial, "-extfile", path("openssl.cnf"),
                    "-extensions", "server", "-out", path("server.pem"),
                ], in: folder)
            let read = { (name: String) in try Data(contentsOf: folder.appendingPathComponent(name)) }
            return MockCertificate(
                certificate: try read("server.pem"), privateKey: try read("server.key"),
                authority: try read("authority.pem"))
        }

        /// As a certificate has it. It goes into a configuration file, where a line end could say anything.
        private static func alternativeName(_ name: String) throws -> String {
            guard !name.isEmpty, name.utf8.allSatisfy({ isAllowed($0) }) else {
                throw NetTestingError.unavailable("'\(name.debugDescription)' is no host name and no address.")
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

        private static func run(_ executable: String, _ arguments: [String], in folder: URL) async throws {
            let errors = folder.appendingPathComponent("errors")
            guard try await !Command.run(executable, arguments, errors: errors.path) else { return }
            let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw NetTestingError.unavailable("openssl \(arguments.first ?? "") failed: \(text.prefix(1_000))")
        }
    }
#endif
