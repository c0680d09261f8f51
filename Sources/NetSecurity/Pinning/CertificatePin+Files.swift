public import NetCore

// `.cer` files in a bundle or in a folder.
extension CertificatePin {
    /// The pins of certificates in a bundle.
    ///
    /// - Parameters:
    ///   - names: of the files (DER or PEM), with or without `.cer`. A file in PEM may hold several certificates.
    ///   - bundle: the program's own unless another is given; its resources are looked through.
    /// - Throws: ``PinningError/missingFile(_:)`` or ``PinningError/unreadableFile(_:_:)``.
    public static func certificates(
        named names: [String], in bundle: Bundle = .main
    ) throws(PinningError) -> [CertificatePin] {
        guard let folder = bundle.resourceURL else { throw .missingFile(bundle.bundlePath) }
        return try certificates(named: names, in: folder)
    }

    /// The pins of certificates in a folder.
    ///
    /// - Parameters:
    ///   - names: of the files (DER or PEM), with or without `.cer`. A file in PEM may hold several certificates.
    ///   - folder: a file URL.
    /// - Throws: ``PinningError/missingFile(_:)`` or ``PinningError/unreadableFile(_:_:)``.
    public static func certificates(
        named names: [String], in folder: URL
    ) throws(PinningError) -> [CertificatePin] {
        var pins: [CertificatePin] = []
        for name in names {
            let file = folder.appendingPathComponent(name)
            let candidates = [file.appendingPathExtension("cer"), file]
            guard let found = candidates.first(where: isFile) else { throw .missingFile(candidates[0].path) }
            pins += try certificates(in: found)
        }
        return pins
    }

    /// The pins of all certificates in a folder: of its files that end in `.cer`, `.crt`, `.der` or `.pem`.
    ///
    /// - Parameter folder: a file URL. What is in folders beneath it does not count.
    /// - Throws: ``PinningError/missingFile(_:)`` if there is no such folder or no such file in it, and
    ///   ``PinningError/unreadableFile(_:_:)`` if one of them holds no certificate.
    public static func certificates(inFolder folder: URL) throws(PinningError) -> [CertificatePin] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let files = names.sorted().map { folder.appendingPathComponent($0) }
            .filter { ["cer", "crt", "der", "pem"].contains($0.pathExtension.lowercased()) }
        guard !files.isEmpty else { throw .missingFile(folder.appendingPathComponent("*.cer").path) }
        var pins: [CertificatePin] = []
        for file in files { pins += try certificates(in: file) }
        return pins
    }

    private static func isFile(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    private static func certificates(in file: URL) throws(PinningError) -> [CertificatePin] {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            // A file of this size holds hundreds of certificates; what is larger is none.
            let data = try handle.read(upToCount: maximumFileSize + 1) ?? Data()
            guard data.count <= maximumFileSize else { throw CertificateError.tooLarge }
            return try X509Certificate.certificates(in: data).map { .certificate($0.der) }
        } catch {
            throw .unreadableFile(file.path, String(describing: error))
        }
    }

    private static let maximumFileSize = 1 << 20
}
