import NetCore
import TestLab

/// Certificates of many kinds, made by `openssl`, and those of the system.
enum CertificateSamples {
    static var made: [Data] { get async throws { try await making.value } }

    /// The system's authorities: certificates of real life, some of them twenty years old.
    static let system: [Data] = {
        let folder = "/etc/ssl/certs"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { $0.hasSuffix(".pem") }.compactMap { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)").flatMap(decoded)
        }
    }()

    /// The key of the arguments, and what else they say: a subject in UTF-8, or a section of ``configuration``.
    private static let kinds: [(name: String, arguments: [String])] = [
        ("rsa", ["-newkey", "rsa:2048", "-subj", "/C=DE/ST=Bayern/L=München/O=Prüfstelle/CN=rsa.example"]),
        ("pss", ["-newkey", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048", "-subj", "/CN=pss.example"]),
        ("p256", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=p256.example"]),
        ("p384", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp384r1", "-subj", "/CN=p384.example"]),
        ("ed25519", ["-newkey", "ed25519", "-subj", "/CN=ed25519.example"]),
        ("ed448", ["-newkey", "ed448", "-subj", "/CN=ed448.example"]),
        ("names", ["-newkey", "ed25519", "-subj", "/CN=names.example", "-extensions", "names"]),
        ("old", ["-newkey", "ed25519", "-subj", "/O=Alt/CN=old.example", "-days", "20000"]),
        ("nameless", ["-newkey", "ed25519", "-subj", "/", "-extensions", "names"]),
        ("multi", ["-newkey", "ed25519", "-subj", #"/DC=example/UID=7+CN=several, "quoted" #1\/2/emailAddress=a@b"#]),
        ("bmp", ["-newkey", "ed25519", "-subj", "/O=Ελληνικά/CN=漢字", "-config", "bmp.cnf"]),
        ("t61", ["-newkey", "ed25519", "-subj", "/O=Älter/CN=Süß", "-config", "t61.cnf"]),
    ]

    private static let making = Task {
        let directory = try TemporaryDirectory()
        for (file, mask) in [("openssl.cnf", "utf8only"), ("bmp.cnf", "MASK:0x800"), ("t61.cnf", "MASK:0x4")] {
            try Data(configuration(mask).utf8).write(to: directory.file(file))
        }
        var certificates: [Data] = []
        for (_, arguments) in kinds {
            var all = ["req", "-x509", "-utf8", "-nodes", "-keyout", "/dev/null", "-outform", "DER"]
            all += arguments.contains("-days") ? [] : ["-days", "30"]
            all += arguments.contains("-config") ? [] : ["-config", "openssl.cnf"]
            let placed = (all + arguments).map { $0.hasSuffix(".cnf") ? directory.file($0).path : $0 }
            certificates.append(try await ProcessRunner.run("openssl", placed).checked().output)
        }
        certificates.append(try await versionOne(directory))
        return certificates
    }

    /// Without extensions, and so of version 1.
    private static func versionOne(_ directory: TemporaryDirectory) async throws -> Data {
        let (key, request) = (directory.file("v1.key").path, directory.file("v1.csr").path)
        let new = ["req", "-new", "-newkey", "ed25519", "-nodes", "-keyout", key, "-subj", "/CN=v1", "-out", request]
        try await ProcessRunner.run("openssl", new).checked()
        return try await ProcessRunner.run(
            "openssl", ["x509", "-req", "-days", "30", "-in", request, "-signkey", key, "-outform", "DER"]
        ).checked().output
    }

    static func decoded(_ pem: Data) -> Data? {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
        return Data(base64Encoded: lines.joined())
    }

    private static func configuration(_ mask: String) -> String {
        """
        oid_section = oids
        [oids]
        big = 2.25.329800735698586629295641978511506172918
        [req]
        distinguished_name = none
        string_mask = \(mask)
        x509_extensions = plain
        [none]
        [plain]
        subjectAltName = DNS:localhost
        [names]
        basicConstraints = critical, CA:false
        subjectAltName = critical, @all
        [all]
        DNS.1 = a.example
        DNS.2 = *.b.example
        IP.1 = 192.0.2.1
        IP.2 = 2001:db8::1
        email.1 = me@example.com
        URI.1 = https://example.com/?a=b,c
        RID.1 = 1.2.840.113549.1
        RID.2 = 2.25.329800735698586629295641978511506172918
        RID.3 = 2.999.1
        otherName.1 = 1.3.6.1.4.1.311.20.2.3;UTF8:upn@example.com
        dirName.1 = directory
        [directory]
        C = DE
        O = Example
        """
    }
}

#if os(Linux)
    /// The system's libcrypto, as the judge of what a certificate's key is.
    /// Unchecked, since functions of a library never change.
    struct LibCrypto: @unchecked Sendable {
        private typealias Object = OpaquePointer
        private typealias Read = @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Object?
        private typealias Write = @convention(c) (Object, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
        private typealias Get = @convention(c) (Object) -> Object?
        private typealias Free = @convention(c) (Object?) -> Void

        init() throws {
            guard let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW) else {
                throw LabError("There is no libcrypto")
            }
            d2i = try Self.find("d2i_X509", in: library)
            free = try Self.find("X509_free", in: library)
            key = try Self.find("X509_get_X509_PUBKEY", in: library)
            writeKey = try Self.find("i2d_X509_PUBKEY", in: library)
            writeBody = try Self.find("i2d_re_X509_tbs", in: library)
            clear = try Self.find("ERR_clear_error", in: library)
        }

        private let d2i: Read
        private let free: Free
        private let key: Get
        private let writeKey: Write
        private let writeBody: Write
        private let clear: @convention(c) () -> Void

        private static func find<Function>(_ name: String, in library: UnsafeMutableRawPointer) throws -> Function {
            guard let symbol = dlsym(library, name) else { throw LabError("libcrypto has no \(name)") }
            return unsafeBitCast(symbol, to: Function.self)
        }

        /// The key as OpenSSL writes it. Nil if OpenSSL does not read the certificate, or not its key.
        ///
        /// - Parameter strictly: whether it has to be DER, as OpenSSL would write it. It reads more than that.
        func publicKeyInfo(of der: Data, strictly: Bool = false) -> Data? {
            defer { clear() }
            return der.withUnsafeBytes { buffer -> Data? in
                let start = buffer.bindMemory(to: UInt8.self).baseAddress
                var position = start
                guard let certificate = d2i(nil, &position, der.count) else { return nil }
                defer { free(certificate) }
                guard let start, position == start + der.count else { return nil }
                // The frame around the body is the caller's to keep.
                if strictly, encoded(certificate, writeBody).flatMap({ der.range(of: $0) }) == nil { return nil }
                return key(certificate).flatMap { encoded($0, writeKey) }
            }
        }

        private func encoded(_ object: Object, _ write: Write) -> Data? {
            let length = Int(write(object, nil))
            guard length > 0 else { return nil }
            var data = Data(count: length)
            data.withUnsafeMutableBytes { buffer in
                var position = buffer.bindMemory(to: UInt8.self).baseAddress
                _ = write(object, &position)
            }
            return data
        }
    }
#endif
