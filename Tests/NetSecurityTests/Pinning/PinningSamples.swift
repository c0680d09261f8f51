import TestLab

@testable import NetSecurity

enum PinningSamples {
    static func pin(_ number: UInt8) -> PinningPolicy.Pin { .publicKey(sha256: Data(repeating: number, count: 32)) }
    static let pins = [pin(1), pin(2)]
    static func folder(_ files: [String: Data]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, data) in files { try data.write(to: directory.file(name)) }
        return directory
    }
}
