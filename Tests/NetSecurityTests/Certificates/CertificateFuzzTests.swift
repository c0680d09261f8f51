import TestLab
import Testing

@testable import NetSecurity

/// Mutated certificates: the reader throws, or reads the key that OpenSSL reads.
///
/// `NETSECURITY_FUZZ=1000000 swift test --filter CertificateFuzzTests` for the full number, which takes minutes.
@Suite(.requires(.openssl)) struct CertificateFuzzTests {
    private static let shards = 8
    private static let count = ProcessInfo.processInfo.environment["NETSECURITY_FUZZ"].flatMap(Int.init) ?? 24_000

    #if os(Linux)
        @Test(arguments: 0..<shards) func mutatedCertificatesAreReadAsByOpenSSL(shard: Int) async throws {
            let judge = try LibCrypto()
            let originals = try await CertificateSamples.made + CertificateSamples.system
            var generator = SeededGenerator(state: 0x5EED + UInt64(shard))
            var accepted = 0
            for _ in 0..<Self.count / Self.shards {
                let original = try #require(originals.randomElement(using: &generator))
                let mutant = Bool.random(using: &generator) ? generator.mutate(original) : generator.change(original)
                do {
                    let ours = try Certificate(der: mutant)
                    accepted += 1
                    _ = ours.subject
                    // OpenSSL may refuse what we read: it looks into names, dates, extensions and keys.
                    guard let theirs = judge.publicKeyInfo(of: mutant), ours.publicKeyInfo != theirs else { continue }
                    Issue.record(
                        "\(ours.publicKeyInfo.hexadecimal) is not \(theirs.hexadecimal) in \(mutant.base64EncodedString())"
                    )
                } catch {
                    // OpenSSL reads more than DER.
                    guard isDER(mutant), judge.publicKeyInfo(of: mutant, strictly: true) != nil else { continue }
                    Issue.record("\(error), but OpenSSL reads \(mutant.base64EncodedString())")
                }
                return
            }
            // Most mutants of the same length: the content of keys, names, extensions and the signature is not read.
            #expect(accepted > Self.count / Self.shards / 4)
        }
    #endif

    /// Whether the frame is DER, also where the reader of certificates does not look.
    private func isDER(_ data: Data) -> Bool {
        var pending = [DERReader(Array(data))]
        while var reader = pending.popLast() {
            while !reader.isAtEnd {
                guard let element = try? reader.next() else { return false }
                // Alternative names that are plain, in pieces: BER.
                if [0xA1, 0xA2, 0xA6, 0xA7, 0xA8].contains(element.tag.rawValue) { return false }
                // Extensions are in octet strings; those of interest begin with a sequence, or with what was one.
                let first = reader.bytes[element.content].first ?? 0
                let holdsElements =
                    element.tag.rawValue & 0x20 != 0 || element.tag.rawValue == 0x04 && first & 0x1F == 0x10
                if holdsElements { pending.append(reader.inside(element)) }
            }
        }
        return true
    }
}

extension SeededGenerator {
    /// The bytes with one to three of them changed, by a bit or altogether, so that what stands around them is still in order.
    fileprivate mutating func change(_ original: Data) -> Data {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &self) {
            let index = Int.random(
                in: 0..<min(bytes.count, Bool.random(using: &self) ? 300 : bytes.count), using: &self)
            bytes[index] ^= Bool.random(using: &self) ? 1 << UInt8.random(in: 0..<8, using: &self) : next8()
        }
        return bytes
    }

    private mutating func next8() -> UInt8 { UInt8.random(in: 1...255, using: &self) }
}
