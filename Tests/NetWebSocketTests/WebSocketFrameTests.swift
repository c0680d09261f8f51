import TestLab
import Testing

@testable import NetWebSocket

/// The codec against the examples of RFC 6455, section 5.7, and against itself.
struct WebSocketFrameTests {
    private static let hello = Data("Hello".utf8)

    private func frames(
        _ bytes: [UInt8], role: WebSocketRole = .client, limit: Int = 1 << 20
    ) throws -> [WebSocketFrame] {
        var decoder = WebSocketFrameDecoder(role: role, payloadLimit: limit)
        decoder.append(Data(bytes))
        var frames: [WebSocketFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    @Test func writesAndReadsTheExamplesOfRFC6455() throws {
        let plain: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        let text = WebSocketFrame(opcode: .text, payload: Self.hello)
        #expect(try ([UInt8](text.encoded(mask: nil)), frames(plain)) == (plain, [text]))
        let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(try ([UInt8](text.encoded(mask: 0x37FA_213D)), frames(masked, role: .server)) == (masked, [text]))
        #expect(
            try frames([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]) == [
                WebSocketFrame(isFinal: false, opcode: .text, payload: Data("Hel".utf8)),
                WebSocketFrame(opcode: .continuation, payload: Data("lo".utf8)),
            ])
        #expect(try frames([0x89, 0x05] + Self.hello) == [WebSocketFrame(opcode: .ping, payload: Self.hello)])
        let large = WebSocketFrame(opcode: .binary, payload: Data(count: 65536))
        #expect([UInt8](large.encoded(mask: nil).prefix(10)) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
        let medium = WebSocketFrame(opcode: .binary, payload: Data(count: 256))
        #expect([UInt8](medium.encoded(mask: nil).prefix(4)) == [0x82, 0x7E, 1, 0])
    }

    @Test(arguments: [0, 1, 7, 8, 125, 126, 127, 65535, 65536, 70001], [WebSocketRole.client, .server])
    func framesRoundTrip(_ size: Int, _ reader: WebSocketRole) throws {
        let frame = WebSocketFrame(opcode: .binary, payload: pattern(size))
        let bytes = frame.encoded(mask: reader == .server ? 0xDEAD_BEEF : nil)
        #expect(try frames([UInt8](bytes), role: reader) == [frame])
    }

    /// Violations of the protocol, with a part of the message.
    static let forbidden: [([UInt8], WebSocketRole, String)] = [
        ([0xC1, 0x00], .client, "reserved bit"), ([0xA1, 0x00], .client, "reserved bit"),
        ([0x91, 0x00], .client, "reserved bit"), ([0x83, 0x00], .client, "opcode 3"),
        ([0x87, 0x00], .client, "opcode 7"), ([0x8B, 0x00], .client, "opcode 11"),
        ([0x8F, 0x00], .client, "opcode 15"), ([0x81, 0x80], .client, "must not mask"),
        ([0x81, 0x00], .server, "must mask"), ([0x09, 0x00], .client, "fragmented"),
        ([0x08, 0x00], .client, "fragmented"), ([0x89, 0x7E], .client, "longer than 125"),
        ([0x8A, 0x7F], .client, "longer than 125"), ([0x82, 0x7E, 0x00, 0x7D], .client, "shortest"),
        ([0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .client, "shortest"),
        ([0x82, 0x7F, 0x80, 0, 0, 0, 0, 1, 0, 0], .client, "most significant bit"),
    ]

    @Test(arguments: forbidden)
    func forbiddenFrameIsAProtocolViolation(_ bytes: [UInt8], _ role: WebSocketRole, _ word: String) throws {
        let error = #expect(throws: WebSocketError.self) { try frames(bytes, role: role) }
        #expect(error?.code == .protocolViolation)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }

    /// The limit holds by the header alone: the payload need not come first.
    @Test func frameOverTheLimitIsRefusedByItsHeader() throws {
        #expect(try frames([0x82, 0x7E, 0x03, 0xE8], limit: 1000).isEmpty)
        let error = #expect(throws: WebSocketError.self) { try frames([0x82, 0x7E, 0x03, 0xE9], limit: 1000) }
        #expect(error?.code == .messageTooLarge)
        let huge: [UInt8] = [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(throws: WebSocketError.self) { try frames(huge, limit: .max - 1) }
    }

    @Test func framesAreReadFromAnyChunks() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededGenerator(state: seed)
            let frames = (0..<12).map { _ in
                let opcode: WebSocketOpcode = [.text, .binary, .continuation][random.next(below: 3)]
                let payload = pattern([0, 1, 125, 126, 300, 66000][random.next(below: 6)])
                return WebSocketFrame(isFinal: .random(using: &random), opcode: opcode, payload: payload)
            }
            let wire = frames.reduce(into: Data()) { $1.append(to: &$0, mask: nil) }
            var decoder = WebSocketFrameDecoder(role: .client, payloadLimit: 1 << 20)
            var found: [WebSocketFrame] = []
            var rest = wire[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...(Bool.random(using: &random) ? 9 : 9000), using: &random)
                // Both slices with their own indices, and copies.
                decoder.append(Bool.random(using: &random) ? rest.prefix(count) : Data(rest.prefix(count)))
                rest = rest.dropFirst(count)
                while let frame = try decoder.next() { found.append(frame) }
            }
            #expect(found == frames, "seed \(seed)")
        }
    }

    @Test func maskIsAppliedByteForByte() {
        var random = SeededGenerator(state: 7)
        for size in 0...40 {
            let key = UInt32.random(in: 0 ... .max, using: &random)
            var bytes = pattern(size)
            bytes.withUnsafeMutableBytes { WebSocketMask.apply(key, to: $0) }
            let keys = (0..<size).map { UInt8(truncatingIfNeeded: key >> (24 - 8 * UInt32($0 & 3))) }
            #expect([UInt8](bytes) == zip(pattern(size), keys).map { $0 ^ $1 })
        }
    }

    @Test func maskKeysAreRandom() { #expect(Set((0..<100).map { _ in WebSocketMask.randomKey() }).count > 95) }
}
