import TestLab
import Testing

@testable import NetTesting

/// Streams that no compressor of ours made must be right for the one of everybody else.
struct GzipBombTests {
    /// What `gzip` makes of it.
    private func decompress(_ data: Data) async throws -> Data {
        // Not by Foundation's `Process`, which on Linux crashes now and then when several start at the same time.
        try await ProcessRunner.run("gzip", ["-dc"], input: data).checked().output
    }

    private func bytes(_ steps: [Step]) -> Data {
        steps.reduce(into: Data()) { data, step in
            guard case .write(let bytes, let times) = step else { return }
            for _ in 0..<times { data += bytes }
        }
    }

    @Test(arguments: [0, 1, 257, 258, 259, 260, 516, 517, 2_322, 2_323, 2_324, 70_000, 5_000_001])
    func decompressesToThatManyZeros(count: Int) async throws {
        #expect(try await decompress(bytes(GzipBomb.steps(zeros: Int64(count)))) == Data(count: count))
    }

    @Test func calculatesTheChecksumOfAGigabyte() {
        // By `head -c 1073741824 /dev/zero | gzip -1 | tail -c 8 | xxd`.
        #expect((GzipBomb.checksum(zeros: 1 << 30), GzipBomb.checksum(zeros: 0)) == (0x5B64_C2B0, 0))
        #expect(GzipBomb.steps(zeros: 1 << 30).byteCount == 6_764_219)
    }
}
