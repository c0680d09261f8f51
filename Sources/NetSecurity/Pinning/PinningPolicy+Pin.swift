public import NetCore

extension PinningPolicy {
    /// A certificate, or a key, that a server must show, in the chain that proves its identity.
    ///
    /// ```swift
    /// let pins = [
    ///     try PinningPolicy.Pin.publicKey("sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="),
    ///     try PinningPolicy.Pin.publicKey("sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="),
    /// ]
    /// ```
    ///
    /// The pin of a key outlives a certificate that is renewed with the same key. The pin of a certificate ends with it. `Scripts/pins`
    /// prints both for a host or a file.
    public enum Pin: Hashable, Sendable, CustomStringConvertible {
        /// A whole certificate in DER, compared byte for byte.
        case certificate(Data)
        /// The SHA-256 of a certificate's `SubjectPublicKeyInfo`: 32 bytes, as in RFC 7469.
        case publicKey(sha256: Data)

        /// Returns the pin of a certificate.
        ///
        /// - Parameter data: one certificate in DER or PEM.
        /// - Throws: ``PinningError/invalidCertificate(_:)``.
        public static func certificate(reading data: Data) throws(PinningError) -> PinningPolicy.Pin {
            .certificate(try single(data).der)
        }

        /// Returns the pin of a certificate's key.
        ///
        /// - Parameter data: one certificate in DER or PEM.
        /// - Throws: ``PinningError/invalidCertificate(_:)``.
        public static func publicKey(ofCertificate data: Data) throws(PinningError) -> PinningPolicy.Pin {
            .publicKey(sha256: Data(SHA256.digest(try single(data).publicKeyInfo)))
        }

        /// Returns the pin of a key.
        ///
        /// - Parameter text: `sha256/` and 32 bytes in base64, with or without the final `=`.
        /// - Throws: ``PinningError/invalidPin(_:)``.
        public static func publicKey(_ text: String) throws(PinningError) -> PinningPolicy.Pin {
            var encoded = text.dropFirst(prefix.count)
            if encoded.utf8.count == 43 { encoded += "=" }
            guard text.hasPrefix(prefix), let hash = Data(base64Encoded: String(encoded)), hash.count == 32 else {
                throw .invalidPin(text)
            }
            return .publicKey(sha256: hash)
        }

        private static let prefix = "sha256/"

        private static func single(_ data: Data) throws(PinningError) -> Certificate {
            let certificates: [Certificate]
            do { certificates = try Certificate.all(in: data) } catch { throw .invalidCertificate(error.description) }
            guard let first = certificates.first, certificates.count == 1 else {
                throw .invalidCertificate("\(certificates.count) certificates instead of one")
            }
            return first
        }

        /// Returns the pins that a certificate fulfils. One that cannot be read fulfils only the pin of its own bytes.
        static func fulfilled(by certificate: Data) -> [PinningPolicy.Pin] {
            guard let read = try? Certificate(der: certificate) else { return [.certificate(certificate)] }
            return [.certificate(certificate), .publicKey(sha256: Data(SHA256.digest(read.publicKeyInfo)))]
        }

        /// `sha256/…` for a key; for a certificate, `certificate ` and its SHA-256 in hexadecimal digits, as `sha256sum` prints it.
        public var description: String {
            switch self {
            case .certificate(let der): "certificate " + SHA256.hex(der)
            case .publicKey(let hash): Self.prefix + hash.base64EncodedString()
            }
        }
    }
}

// Files in a bundle or in a folder.
extension PinningPolicy.Pin {
    /// Returns the pins of certificates in the resources of a bundle, as `certificates(named:in:)` of a folder does.
    public static func certificates(
        named names: [String], in bundle: Bundle = .main
    ) throws(PinningError) -> [PinningPolicy.Pin] {
        guard let folder = bundle.resourceURL else { throw .missingFile(bundle.bundlePath) }
        return try certificates(named: names, in: folder)
    }

    /// Returns the pins of certificates in a folder.
    ///
    /// - Parameters:
    ///   - names: the files (DER or PEM), with or without `.cer`. A PEM file may contain several certificates.
    ///   - folder: a file URL.
    /// - Throws: ``PinningError/missingFile(_:)`` or ``PinningError/unreadableFile(_:_:)``.
    public static func certificates(named names: [String], in folder: URL) throws(PinningError) -> [PinningPolicy.Pin] {
        var pins: [PinningPolicy.Pin] = []
        for name in names {
            let file = folder.appendingPathComponent(name)
            let candidates = [file.appendingPathExtension("cer"), file]
            guard let found = candidates.first(where: { Directory.kind(behind: $0.path) == .regular }) else {
                throw .missingFile(candidates[0].path)
            }
            pins += try certificates(in: found)
        }
        return pins
    }

    /// Returns the pins of all certificates in a folder: of its files that end in `.cer`, `.crt`, `.der` or `.pem`.
    ///
    /// - Parameter folder: a file URL. Folders inside it are not searched.
    /// - Throws: ``PinningError/missingFile(_:)`` if the folder does not exist or contains no such file, and
    ///   ``PinningError/unreadableFile(_:_:)`` if a file contains no certificate.
    public static func certificates(inFolder folder: URL) throws(PinningError) -> [PinningPolicy.Pin] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let files = names.sorted().map { folder.appendingPathComponent($0) }
            .filter { ["cer", "crt", "der", "pem"].contains($0.pathExtension.lowercased()) }
        guard !files.isEmpty else { throw .missingFile(folder.appendingPathComponent("*.cer").path) }
        return try files.map { file throws(PinningError) in try certificates(in: file) }.flatMap { $0 }
    }

    private static func certificates(in file: URL) throws(PinningError) -> [PinningPolicy.Pin] {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            // A file of this size holds hundreds of certificates.
            let data = try handle.read(upToCount: maximumFileSize + 1) ?? Data()
            guard data.count <= maximumFileSize else { throw DERError("more than 1 MiB", at: maximumFileSize) }
            return try Certificate.all(in: data).map { .certificate($0.der) }
        } catch {
            throw .unreadableFile(file.path, String(describing: error))
        }
    }

    private static let maximumFileSize = 1 << 20
}
