import TestLab

@testable import NetSecurity

/// Pins of keys that do not exist.
enum PinningSamples {
    static func pin(_ number: UInt8) -> CertificatePin { .publicKey(sha256: Data(repeating: number, count: 32)) }

    static let pins = [pin(1), pin(2)]

    /// A folder that serves as a bundle, with these files in it.
    static func folder(_ files: [String: Data]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, data) in files { try data.write(to: directory.file(name)) }
        return directory
    }
}
