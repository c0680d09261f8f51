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

    @Test(arguments: [MockResponse.Framing.automatic, .chunked])
    func goesOverTheWire(framing: MockResponse.Framing) async throws {
        let server = try MockServer()
        server.enqueue(.gzippedZeros(count: 5_000_000).framed(framing))
        let response = try await server.answer()
        #expect(response["Content-Encoding"] == "gzip" && response.body.count < 5_000_000 / 150)
        #expect(try await decompress(response.body).count == 5_000_000)
    }

    @Test func calculatesTheChecksumOfAGigabyte() {
        // By `head -c 1073741824 /dev/zero | gzip -1 | tail -c 8 | xxd`.
        #expect((GzipBomb.checksum(zeros: 1 << 30), GzipBomb.checksum(zeros: 0)) == (0x5B64_C2B0, 0))
        #expect(GzipBomb.steps(zeros: 1 << 30).byteCount == 6_764_219)
    }

    @Test func decompressionBombHasContentEncoding() async throws {
        let server = try MockServer()
        server.enqueue(.fault(.corruptGzip))
        let corrupt = try await server.answer()
        #expect(corrupt["Content-Encoding"] == "gzip" && corrupt.body.starts(with: [0x1F, 0x8B, 8]))
        await #expect(throws: LabError.self) { try await decompress(corrupt.body) }
    }
}
