import NetCore

extension MockHTTP2Fault.Strike {
    /// Returns the steps that send a response with this fault.
    func steps(_ message: HTTP2Message, pace: [HTTP2Step]) -> [HTTP2Step] {
        var response = Response(message, self, pace: pace)
        switch fault {
        case .bodyLongerThanLength, .bodyShorterThanLength: return misstatingLength(of: message, pace: pace)
        case .trailers: response.end = [.headers([HPACKField("x-trailer", "1")]), .end]
        case .interim:
            return response.before + [.headers([HPACKField(":status", "103"), HPACKField("x-hint", "1")])]
                + response.rest
        case .missingStatus: return response.replacingHead { $0.filter { $0.name != ":status" } }
        case .upperCaseField: return response.replacingHead { $0 + [HPACKField("X-Upper", "1")] }
        case .connectionField: return response.replacingHead { $0 + [HPACKField("connection", "close")] }
        case .largeHeaders(let bytes):
            let fields = (0..<max(1, bytes / 1_000)).map {
                HPACKField("x-large-\($0)", String(repeating: "x", count: 960))
            }
            return response.replacingHead { $0 + fields }
        case .dataAfterEnd:
            let data = MockHTTP2Frame(.data, flags: MockHTTP2Frame.endStream, payload: Data("more".utf8))
            let end = MockHTTP2Frame(.data, flags: MockHTTP2Frame.endStream)
            return response.before + (point == .beforeHead ? [.headers(message.head)] : []) + [
                .frames([end, data]), .finish,
            ]
        case .missingEnd: return response.before + [.hold]
        default: break
        }
        return response.before + fault.frames + (fault.isLast ? [] : response.rest)
    }

    private func misstatingLength(of message: HTTP2Message, pace: [HTTP2Step]) -> [HTTP2Step] {
        var body = message.body
        var length = body.byteCount / 2
        if fault == .bodyShorterThanLength {
            if case .afterBody(let count) = point { body = body.prefix(bytes: Int64(count)) }
            length = body.byteCount * 2
        }
        let head = message.head.filter { $0.name != "content-length" } + [HPACKField("content-length", String(length))]
        return [.headers(head)] + pace + body.map(HTTP2Step.init(body:)) + [.end]
    }
}

extension MockHTTP2Fault {
    /// Whether nothing of the response can follow.
    fileprivate var isLast: Bool {
        switch self {
        case .reset, .close, .resetConnection: true
        default: false
        }
    }

    /// The steps at the point of the fault.
    fileprivate var frames: [HTTP2Step] {
        switch self {
        case .reset(let code): [.reset(code)]
        case .goAway(let code, let last): [.goAway(code, last)]
        case .close: [.perform(.close)]
        case .resetConnection: [.wait(0.02), .perform(.reset)]
        case .raw(let data): [.raw(data, times: 1)]
        case .frames(let frames): [.frames(frames)]
        case .oversizedFrame:
            [.make { (MockHTTP2Frame(.data, payload: Data(count: $0.maxFrameSize + 1)).encoded(on: $0.stream), 1) }]
        case .badFrameLength: [.frames([MockHTTP2Frame(.windowUpdate, stream: 0, payload: Data(count: 3))])]
        case .dataOnIdleStream:
            [.make { (MockHTTP2Frame(.data, payload: Data("idle".utf8)).encoded(on: $0.stream + 1_000), 1) }]
        case .dataBeyondWindow(let scope): [.excess(scope)]
        case .badSetting: [.frames([Self.setting(4, 1 << 31)])]
        case .zeroWindowUpdate(let scope): [.frames([Self.windowUpdate(0, scope)])]
        case .windowOverflow(let scope):
            [.frames(Array(repeating: Self.windowUpdate(UInt32(Int32.max), scope), count: 2))]
        case .garbage: [.raw(Data(repeating: 0xFF, count: 100), times: 1)]
        case .unknownFrame: [.frames([MockHTTP2Frame(.init(rawValue: 0xFA), flags: 0xFF, payload: Data("?".utf8))])]
        case .pushPromise:
            // GET, http, / and an authority.
            [
                .frames([
                    MockHTTP2Frame(
                        .pushPromise, flags: 4, payload: Data([0, 0, 0, 2, 0x82, 0x86, 0x84, 0x01, 1, 0x78]))
                ])
            ]
        case .http1Response: [.raw(Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8), times: 1)]
        // A literal whose Huffman code is EOS.
        case .badHuffman: [.frames([Self.headers([0x88, 0x00, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x78])])]
        case .badIndex: [.frames([Self.headers([0x88, 0xFF, 0xFF, 0x03])])]
        case .hpackBomb(let copies): [.bomb(copies)]
        case .flood(let flood, let frames): flood.steps(frames: frames)
        case .missingEnd, .dataAfterEnd, .missingStatus, .upperCaseField, .connectionField, .bodyLongerThanLength,
            .bodyShorterThanLength, .largeHeaders, .trailers, .interim:
            []
        }
    }

    fileprivate static func setting(_ id: UInt16, _ value: UInt32) -> MockHTTP2Frame {
        MockHTTP2Frame(.settings, stream: 0, payload: Data(id.bigEndianBytes + value.bigEndianBytes))
    }

    fileprivate static func windowUpdate(_ increment: UInt32, _ scope: Scope) -> MockHTTP2Frame {
        MockHTTP2Frame(.windowUpdate, stream: scope == .stream ? nil : 0, payload: Data(increment.bigEndianBytes))
    }

    fileprivate static func headers(_ block: [UInt8]) -> MockHTTP2Frame {
        MockHTTP2Frame(.headers, flags: MockHTTP2Frame.endHeaders, payload: Data(block))
    }
}

/// A response, cut at the point of a fault.
private struct Response {
    let head: [HPACKField]
    let isBeforeHead: Bool
    var before: [HTTP2Step] = []
    /// The body after the fault.
    var body: [HTTP2Step]
    var end: [HTTP2Step]

    init(_ message: HTTP2Message, _ strike: MockHTTP2Fault.Strike, pace: [HTTP2Step]) {
        let delay: [HTTP2Step] = strike.delay > 0 ? [.wait(strike.delay)] : []
        head = message.head
        end = message.end
        isBeforeHead = strike.point == .beforeHead
        guard !isBeforeHead else {
            before = delay
            body = pace + message.body.map(HTTP2Step.init(body:))
            return
        }
        var count: Int64 = 0
        if case .afterBody(let bytes) = strike.point { count = Int64(max(0, bytes)) }
        before = [.headers(head)] + pace + message.body.prefix(bytes: count).map(HTTP2Step.init(body:)) + delay
        body = message.body.dropFirst(bytes: count).map(HTTP2Step.init(body:))
    }

    /// The steps after the fault.
    var rest: [HTTP2Step] { (isBeforeHead ? [.headers(head)] : []) + body + end }

    /// Returns the response with another head, in place of its own or after it.
    func replacingHead(_ change: ([HPACKField]) -> [HPACKField]) -> [HTTP2Step] {
        before + [.headers(change(head))] + body + end
    }
}

extension HTTP2Step {
    /// DATA up to the end of the window, and 16 KB more.
    fileprivate static func excess(_ scope: MockHTTP2Fault.Scope) -> HTTP2Step {
        .make { here in
            let window = scope == .stream ? here.streamWindow : max(here.streamWindow, here.connectionWindow)
            let frame = MockHTTP2Frame(.data, payload: Data(count: 16_384)).encoded(on: here.stream)
            return (frame, times: max(0, window) / 16_384 + 1)
        }
    }

    /// A table size update, `:status: 200`, a field for the table, and the index of the field many times.
    fileprivate static func bomb(_ copies: Int) -> HTTP2Step {
        .make { here in
            let table = min(4_096, here.headerTableSize)
            var block: [UInt8] = []
            HPACKEncoder.append(table, prefix: 5, flags: 0x20, to: &block)
            block += [0x88, 0x40, 1, UInt8(ascii: "x")]
            let count = max(1, table - 96)
            HPACKEncoder.append(count, prefix: 7, flags: 0, to: &block)
            block += Array(repeating: UInt8(ascii: "x"), count: count)
            block += Array(repeating: 0x80 | 62, count: max(0, copies))
            return (
                HTTP2Connection.fieldBlock(block, on: here.stream, endsStream: false, maxFrame: here.maxFrameSize), 1
            )
        }
    }
}

extension MockHTTP2Flood {
    /// - Parameter frames: the number of frames, or nil for frames without an end.
    func steps(frames: Int?) -> [HTTP2Step] {
        // Frames in one write.
        let batch = 64
        let (whole, part) = (frames.map { max(0, $0) / batch } ?? .max, frames.map { max(0, $0) % batch } ?? 0)
        let many = { (count: Int, times: Int) -> [HTTP2Step] in
            count == 0 || times == 0 ? [] : [.frames(Array(repeating: frame, count: count), times: Int64(times))]
        }
        return opening + many(batch, whole) + many(part, 1) + closing
    }

    private var opening: [HTTP2Step] {
        guard self == .continuation || self == .emptyContinuation else { return [] }
        return [.exclusive(true), .frames([MockHTTP2Frame(.headers, payload: Data([0x88]))])]
    }

    private var closing: [HTTP2Step] {
        guard self == .continuation || self == .emptyContinuation else { return [] }
        return [.frames([MockHTTP2Frame(.continuation, flags: MockHTTP2Frame.endHeaders)]), .exclusive(false)]
    }

    private var frame: MockHTTP2Frame {
        switch self {
        case .settings: MockHTTP2Fault.setting(0xFFFF, 1)
        case .ping: MockHTTP2Frame(.ping, stream: 0, payload: Data(count: 8))
        case .continuation: MockHTTP2Frame(.continuation, payload: Self.field)
        case .emptyContinuation: MockHTTP2Frame(.continuation)
        case .emptyData: MockHTTP2Frame(.data)
        case .reset: MockHTTP2Frame(.reset, payload: Data(TransportError.HTTP2Code.cancel.rawValue.bigEndianBytes))
        case .priority: MockHTTP2Frame(.priority, payload: Data([0, 0, 0, 0, 16]))
        case .windowUpdate: MockHTTP2Fault.windowUpdate(1, .connection)
        }
    }

    /// A literal field of 1,000 bytes.
    private static let field: Data = {
        var block: [UInt8] = [0, 6] + Array("x-flood".utf8.prefix(6))
        HPACKEncoder.append(1_000, prefix: 7, flags: 0, to: &block)
        return Data(block + Array(repeating: UInt8(ascii: "x"), count: 1_000))
    }()
}
