import Foundation
import NetSystem
import Testing

@Suite struct CompressionTests {
    private static let text = Data(
        String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 3_000).utf8)

    @Test("gzip is read back whole, or not at all") func gzip() throws {
        let compressor = try #require(Compressor(.gzip))
        var bytes = Data()
        for start in stride(from: 0, to: Self.text.count, by: 7_919) {
            bytes += try #require(compressor.compress(Self.text[start..<min(start + 7_919, Self.text.count)]))
        }
        bytes += try #require(compressor.compress(Data(), .finish))
        #expect(bytes.count < Self.text.count / 50 && bytes.prefix(2) == Data([0x1f, 0x8b]))
        #expect(compressor.compress(Data([1])) == nil, "after the end of the stream")
        #expect(Inflater.gzipped(bytes, limit: Self.text.count) == Self.text)
        #expect(Inflater.gzipped(bytes + bytes, limit: 1 << 20) == Self.text + Self.text, "two members")
        #expect(Inflater.gzipped(bytes, limit: Self.text.count - 1) == nil)
        #expect(Inflater.gzipped(bytes.dropLast(), limit: 1 << 20) == nil)
        #expect(Inflater.gzipped(bytes.dropLast(9) + Data(count: 9), limit: 1 << 20) == nil, "another checksum")
        #expect(Inflater.gzipped(Data(), limit: 1) == nil)
    }

    private func pair(_ bits: Int32) throws -> (Compressor, Inflater) {
        (try #require(Compressor(.deflate(windowBits: bits))), try #require(Inflater(windowBits: bits)))
    }

    @Test("Raw deflate is read back, message by message, with and without a common window", arguments: [9, 12, 15])
    func deflate(bits: Int32) throws {
        let (compressor, inflater) = try pair(bits)
        let tail = Data([0, 0, 0xff, 0xff])
        for message in [Self.text, Data(), Data([7]), Self.text] {
            let bytes = try #require(compressor.compress(message, .sync))
            #expect(bytes.suffix(4) == tail || message.isEmpty)
            #expect(try inflater.decompress(bytes, limit: message.count) == message)
        }
    }

    @Test("It is known whether the input ends with a block", arguments: [1, 16_383, 16_384, 32_768, 100_000])
    func blocks(size: Int) throws {
        let (compressor, inflater) = try pair(15)
        let bytes = try #require(compressor.compress(Data(count: size), .sync))
        #expect(try inflater.decompress(bytes.dropLast(), limit: size) == Data(count: size))
        #expect(!inflater.isBetweenBlocks)
        #expect(try inflater.decompress(bytes.suffix(1), limit: 0).isEmpty && inflater.isBetweenBlocks)
        #expect(try inflater.decompress(Data(), limit: 0).isEmpty && inflater.isBetweenBlocks)
        let more = try #require(compressor.compress(Data(count: size), .sync))
        #expect(try inflater.decompress(more, limit: size).count == size && inflater.isBetweenBlocks)
    }

    @Test("More than the limit, and garbage, are errors") func problems() throws {
        let (compressor, inflater) = try pair(15)
        let bytes = try #require(compressor.compress(Self.text, .sync))
        #expect(throws: Inflater.Problem.tooLarge) { try inflater.decompress(bytes, limit: Self.text.count - 1) }
        #expect(throws: Inflater.Problem.malformed) {
            try Inflater(windowBits: 15)?.decompress(Data(repeating: 0xff, count: 64), limit: 1 << 20)
        }
        #expect(Compressor(.deflate(windowBits: 8)) == nil && Inflater(windowBits: 16) == nil)
    }

    @Test("zstd ends in a frame", .enabled(if: Compressor.Format.zstd.isAvailable)) func zstd() throws {
        let compressor = try #require(Compressor(.zstd))
        let output = try #require(compressor.compress(Self.text)) + (try #require(compressor.compress(Data(), .finish)))
        #expect(output.prefix(4) == Data([0x28, 0xb5, 0x2f, 0xfd]) && output.count < Self.text.count / 50)
    }
}
