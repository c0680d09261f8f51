import TestLab
import Testing

@testable import NetWebSocket

extension WebSocketDeflater {
    /// The payload of a message that is large enough.
    fileprivate mutating func payload(of message: Data) -> Data { compress(message) ?? Data() }
}

/// Compressed messages against the examples of RFC 7692, section 7.2.3, their limits, and damaged ones.
struct WebSocketDeflateTests {
    private func events(
        _ frames: [[UInt8]], _ compression: WebSocket.Compression? = .deflate, limit: Int = 1 << 20,
        of role: WebSocketRole = .client
    ) throws(WebSocketError) -> [WebSocketInput.Event] {
        var input = WebSocketInput(role: role, maximumMessageSize: limit, compression: compression)
        var events: [WebSocketInput.Event] = []
        for frame in frames {
            input.append(Data(frame))
            while let event = try input.next() { events.append(event) }
        }
        return events
    }

    private func code(
        _ frames: [[UInt8]], _ compression: WebSocket.Compression? = .deflate, limit: Int = 1 << 20
    ) -> WebSocketError.Code? {
        do { _ = try events(frames, compression, limit: limit) } catch { return error.code }
        return nil
    }

    private func frame(
        _ payload: Data, _ opcode: WebSocketOpcode = .binary, compressed: Bool = true, final: Bool = true
    ) -> [UInt8] {
        let frame = WebSocketFrame(isFinal: final, isCompressed: compressed, opcode: opcode, payload: payload)
        return [UInt8](frame.encoded(mask: nil))
    }

    private static let hello: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    static let examples: [[[UInt8]]] = [
        [hello], [[0x41, 0x03, 0xF2, 0x48, 0xCD], [0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00]],
        [[0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]],
        [[0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]],
        [[0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]],
        // With a ping between, an empty last fragment, and without compression.
        [[0x41, 0x03, 0xF2, 0x48, 0xCD], [0x89, 0x00], [0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00]],
        [[0x41, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0x80, 0x00]],
        [[0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]],
    ]

    @Test(arguments: examples) func readsTheExamplesOfRFC7692(_ frames: [[UInt8]]) throws {
        let messages = try events(frames).filter { $0 != .ping(Data()) }
        #expect(messages == [.message(.text("Hello"))])
    }

    @Test func contextTakeoverIsKept() throws {
        let second: [UInt8] = [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]
        let twice = [WebSocketInput.Event](repeating: .message(.text("Hello")), count: 2)
        #expect(try events([Self.hello, second]) == twice)
        // A message of another kind between them, and a final block before them.
        #expect(try events([Self.hello, [0x81, 0x00], [0xC1, 0x01, 0x00], second]).count == 4)
        #expect(try events([[0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], second]) == twice)
        let alone = WebSocket.Compression { $0.serverNoContextTakeover = true }
        #expect(code([Self.hello, second], alone) == .protocolViolation)
        #expect(try events([Self.hello, Self.hello], alone) == twice)
    }

    static let violations: [[[UInt8]]] = [
        // RSV1 on a continuation, on control frames, on a message inside a message; RSV2 and RSV3.
        [[0x41, 0x03, 0xF2, 0x48, 0xCD], [0xC0, 0x04, 0xC9, 0xC9, 0x07, 0x00]], [[0x01, 0x00], [0xC0, 0x01, 0x00]],
        [[0xC8, 0x00]], [[0xC9, 0x00]], [[0xCA, 0x00]], [[0x41, 0x00], [0xC1, 0x01, 0x00]], [[0xC3, 0x00]],
        [[0xE1, 0x00]], [[0xD1, 0x00]],
        // Garbage, a block that is not complete, nothing at all, a reference to what was never sent.
        [[0xC1, 0x02, 0xFF, 0xFF]], [[0xC1, 0x03, 0xF2, 0x48, 0xCD]], [[0xC1, 0x00]],
        [[0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]],
    ]

    @Test(arguments: violations) func invalidCompressedFrameIsRefused(_ frames: [[UInt8]]) {
        #expect(code(frames) == .protocolViolation)
    }

    @Test func invalidCompressedTextIsRefused() {
        // Valid deflate, but not UTF-8: C3 28, stored.
        #expect(code([[0xC1, 0x08, 0x00, 0x02, 0x00, 0xFD, 0xFF, 0xC3, 0x28, 0x00]]) == .invalidText)
        #expect(code([[0xC1, 0x00]], nil) == .protocolViolation, "without an agreed compression")
    }

    @Test func windowSizeIsRespected() throws {
        let small = WebSocket.Compression { $0.serverMaxWindowBits = 9 }
        var random = SeededGenerator(state: 2)
        let noise = random.bytes(300)
        // The second message refers to the first, 2300 bytes back.
        func frames(_ compression: WebSocket.Compression) -> [[UInt8]] {
            var deflater = WebSocketDeflater(compression, of: .server)
            return [noise + Data(count: 2000), noise].map { frame(deflater.payload(of: $0)) }
        }
        #expect((code(frames(.deflate)), code(frames(.deflate), small)) == (nil, .protocolViolation))
        #expect(code(frames(small), small) == nil)
    }

    /// The limit is for what is decompressed, and stops that.
    @Test func decompressionBombIsRefused() throws {
        var deflater = WebSocketDeflater(.deflate, of: .server)
        let bomb = deflater.payload(of: Data(count: 100_000))
        #expect(bomb.count < 200)
        #expect(try events([frame(bomb)], limit: 100_000) == [.message(.binary(Data(count: 100_000)))])
        #expect(code([frame(bomb)], limit: 99_999) == .messageTooLarge)
        #expect(code([frame(bomb)], limit: 0) == .messageTooLarge)
        // Over all fragments together.
        func fragments() -> [[UInt8]] {
            [
                frame(deflater.payload(of: Data(count: 600)) + [0x00, 0x00, 0xFF, 0xFF], final: false),
                frame(deflater.payload(of: Data(count: 600)), .continuation, compressed: false),
            ]
        }
        #expect(code([frame(bomb)] + fragments(), limit: 100_000) == nil)
        deflater.reset()
        let alone = fragments()
        #expect((code(alone, limit: 1200), code(alone, limit: 1199)) == (nil, .messageTooLarge))
    }

    /// What is not decompressed to anything is limited too, and so is a frame before it has arrived.
    @Test func limitsTheCompressedSize() {
        let nothing = Data([0x00, 0x00, 0x00, 0xFF, 0xFF])
        var frames = [frame(nothing, final: false)]
        frames += Array(repeating: frame(nothing, .continuation, compressed: false, final: false), count: 10_000)
        #expect(code(frames, limit: 1000) == .messageTooLarge)
        #expect(code([[0xC2, 0x7F, 0, 0, 0, 1, 0, 0, 0, 0]], limit: 1 << 20) == .messageTooLarge)
        #expect(code([[0x42, 0x00], [0x00, 0x7F, 0, 0, 0, 1, 0, 0, 0, 0]], limit: 1 << 20) == .messageTooLarge)
        #expect(code([[0xC2, 0x7F, 0, 0, 0, 1, 0, 0, 0, 0]], limit: .max) == nil)
    }

    /// A message at the limit passes, however badly it is compressed: noise, and byte by byte with a flush after each.
    @Test func incompressibleMessageAtTheLimitPasses() throws {
        var random = SeededGenerator(state: 3)
        let noise = random.bytes(20_000)
        var deflater = WebSocketDeflater(.deflate, of: .server)
        let whole = deflater.payload(of: noise)
        #expect(code([frame(whole)], limit: noise.count) == nil)
        let compressor = try #require(Compressor(.deflate(windowBits: 15)))
        let frames = try noise.enumerated().map { index, byte in
            let bytes = try #require(compressor.compress(Data([byte]), .sync))
            let isLast = index == noise.count - 1
            let opcode = index == 0 ? WebSocketOpcode.binary : .continuation
            return frame(isLast ? bytes.dropLast(4) : bytes, opcode, compressed: index == 0, final: isLast)
        }
        #expect(try events(frames, limit: noise.count) == [.message(.binary(noise))])
    }

    @Test func compressedMessagesRoundTrip() throws {
        var random = SeededGenerator(state: 11)
        let settings: [(Bool, Int?, Int?)] = [(false, 15, nil), (false, 9, 1), (true, 12, 9), (true, nil, 5)]
        for (no, bits, level) in settings {
            let compression = WebSocket.Compression {
                ($0.serverNoContextTakeover, $0.serverMaxWindowBits, $0.level) = (no, bits, level)
                $0.minimumMessageSize = 0
            }
            var deflater = WebSocketDeflater(compression, of: .server)
            var input = WebSocketInput(role: .client, maximumMessageSize: 1 << 20, compression: compression)
            for size in [0, 0, 1, 5, 5, 0, 300, 70_000, 2, 1 << 20] {
                let message = pattern(size)
                var rest = deflater.payload(of: message)
                var isFirst = true
                repeat {
                    let part = rest.prefix(Int.random(in: 0...40_000, using: &random))
                    rest = rest.dropFirst(part.count)
                    let opcode = isFirst ? WebSocketOpcode.binary : .continuation
                    input.append(Data(frame(Data(part), opcode, compressed: isFirst, final: rest.isEmpty)))
                    isFirst = false
                } while !rest.isEmpty
                let event = try input.next()
                #expect(event == .message(.binary(message)))
            }
        }
        var deflater = WebSocketDeflater(.deflate, of: .client)
        #expect(deflater.compress(Data(count: 127)) == nil)
        #expect(deflater.compress(Data(count: 128)) != nil)
        #expect([UInt8](frame(Data([0]), .text)) == [0xC1, 0x01, 0x00])
    }

    /// Noise and damaged messages end in messages or in a typed error.
    @Test func damagedCompressedMessagesEndInATypedError() throws {
        var deflater = WebSocketDeflater(.deflate, of: .server)
        let text = Data(String(repeating: "Grüße ", count: 40).utf8)
        let sound = (0..<3).map { _ in deflater.payload(of: text) }
        var outcomes: Set<String> = []
        for seed in 1...4_000 as ClosedRange<UInt64> {
            var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
            var input = WebSocketInput(role: .client, maximumMessageSize: 400, compression: .deflate)
            do {
                for message in sound {
                    let payload: Data =
                        switch Int.random(in: 0...3, using: &random) {
                        case 0: random.bytes(.random(in: 0...80, using: &random))
                        case 1: random.mutate(message)
                        case 2: Data(message.prefix(.random(in: 0...message.count, using: &random)))
                        default: message
                        }
                    let cut = Int.random(in: 0...payload.count, using: &random)
                    input.append(Data(frame(Data(payload.prefix(cut)), .text, final: false)))
                    input.append(Data(frame(Data(payload.dropFirst(cut)), .continuation, compressed: false)))
                    while try input.next() != nil {}
                }
                outcomes.insert("none")
            } catch { outcomes.insert(error.code.rawValue) }
        }
        #expect(outcomes.isSubset(of: ["none", "protocol_violation", "invalid_text", "message_too_large"]))
        #expect(outcomes.count >= 3)
    }

    // MARK: Sending

    private final class Channel: ByteChannel {
        let sent = Locked<[Data]>([])
        /// The number of the send that fails.
        let failing: Int
        private let sends = Locked(UInt64(0))

        init(failing: Int) { self.failing = failing }
        func receive() async throws -> Data? { nil }

        func send(_ bytes: Data) async throws {
            if sends.next() == failing { throw CancellationError() }
            sent.withLock { $0.append(bytes) }
        }

        func close() {}
    }

    /// The peer does not know a message that was not sent, so later messages must not refer to it.
    @Test func unsentMessageIsNotReferredTo() async throws {
        let (channel, options) = (Channel(failing: 2), WebSocket.Options { $0.fragmentSize = 1000 })
        let link = WebSocketFrameLink(channel, options: options, compression: .deflate, clock: .system)
        var random = SeededGenerator(state: 5)
        let messages = (0..<4).map { _ in random.bytes(5000) }
        try await link.send(.binary(messages[0]))
        await #expect(throws: CancellationError.self) { try await link.send(.binary(messages[1])) }
        try await link.send(.binary(messages[1] + messages[0]))
        try await link.send(.binary(messages[1]))
        let received = try events(channel.sent.withLock { $0 }.map([UInt8].init), of: .server)
        #expect(received == [messages[0], messages[1] + messages[0], messages[1]].map { .message(.binary($0)) })
        // The context is kept: the last message is a reference to the one before.
        #expect(channel.sent.withLock { $0.last?.count ?? 0 } < 200)
    }

    @Test func concurrentMessagesAreNotMixed() async throws {
        let channel = Channel(failing: 0)
        let link = WebSocketFrameLink(channel, options: .init(), compression: .deflate, clock: .system)
        _ = try await atOnce(200) { try await link.send(.binary(pattern($0 * 50))) }
        let received = try events(channel.sent.withLock { $0 }.map([UInt8].init), of: .server)
        #expect(received.count == 200)
        #expect((0..<200).allSatisfy { received.contains(.message(.binary(pattern($0 * 50)))) })
    }
}
