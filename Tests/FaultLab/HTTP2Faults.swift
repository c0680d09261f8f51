public import NetTesting

/// Faults of HTTP/2 for our own tests, besides those that `NetTesting` ships.
extension MockHTTP2Fault {
    /// The owner of a window.
    public enum Scope: Sendable, CaseIterable {
        /// The stream of the response.
        case stream
        case connection

        fileprivate var streamID: Int? { self == .stream ? nil : 0 }
    }

    /// The TCP connection is reset (RST), 20 ms after the bytes sent before.
    public static let resetConnection = Self("resetConnection", ending: [.wait(0.02), .perform(.reset)])
    /// Nothing more is sent on the stream, not even END_STREAM. The connection stays usable.
    public static let missingEnd = Self("missingEnd", isEndless: true, ending: [.hold])

    // MARK: Frames that break a rule

    /// A DATA frame one byte longer than the client's SETTINGS_MAX_FRAME_SIZE.
    public static let oversizedFrame = Self("oversizedFrame") { here in
        (MockHTTP2Frame(.data, payload: Data(count: here.maxFrameSize + 1)).encoded(on: here.stream), 1)
    }
    /// A WINDOW_UPDATE frame of three bytes.
    public static let badFrameLength = Self(
        "badFrameLength", inserting: [.frames([MockHTTP2Frame(.windowUpdate, stream: 0, payload: Data(count: 3))])])
    /// DATA on a stream that the client did not open.
    public static let dataOnIdleStream = Self("dataOnIdleStream") { here in
        (MockHTTP2Frame(.data, payload: Data("idle".utf8)).encoded(on: here.stream + 1_000), 1)
    }
    /// DATA after END_STREAM.
    public static let dataAfterEnd = Self("dataAfterEnd") { response in
        let end = MockHTTP2Frame(.data, flags: MockHTTP2Frame.endStream)
        let data = MockHTTP2Frame(.data, flags: MockHTTP2Frame.endStream, payload: Data("more".utf8))
        return response.before + (response.isBeforeHead ? [.headers(response.head)] : []) + [
            .frames([end, data]), .finish,
        ]
    }

    /// DATA up to the end of the client's window, and 16 KB more.
    public static func dataBeyondWindow(_ scope: Scope) -> Self {
        Self("dataBeyondWindow(\(scope))") { here in
            let window = scope == .stream ? here.streamWindow : max(here.streamWindow, here.connectionWindow)
            let frame = MockHTTP2Frame(.data, payload: Data(count: 16_384)).encoded(on: here.stream)
            return (frame, times: max(0, window) / 16_384 + 1)
        }
    }

    /// WINDOW_UPDATE of zero.
    public static func zeroWindowUpdate(_ scope: Scope) -> Self {
        Self("zeroWindowUpdate(\(scope))", inserting: [.frames([.windowUpdate(0, scope)])])
    }

    /// WINDOW_UPDATE of 2^31-1, twice.
    public static func windowOverflow(_ scope: Scope) -> Self {
        let update = MockHTTP2Frame.windowUpdate(UInt32(Int32.max), scope)
        return Self("windowOverflow(\(scope))", inserting: [.frames([update, update])])
    }

    /// A string whose Huffman code is EOS.
    public static let badHuffman = Self(
        "badHuffman", inserting: [.frames([.headers([0x88, 0x00, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x78])])])

    // MARK: Heads and bodies

    /// HEADERS without `:status`.
    public static let missingStatus = Self("missingStatus") { $0.replacingHead { $0.filter { $0.name != ":status" } } }
    /// A field name with upper-case letters.
    public static let upperCaseField = Self("upperCaseField") {
        $0.replacingHead { $0 + [HTTPHeader(name: "X-Upper", value: "1")] }
    }
    /// The field `connection`, which HTTP/2 forbids.
    public static let connectionField = Self("connectionField") {
        $0.replacingHead { $0 + [HTTPHeader(name: "connection", value: "close")] }
    }
    /// `content-length` is half the length of the body.
    public static let bodyLongerThanLength = Self("bodyLongerThanLength") { response in
        response.withHead(length: (response.before + response.body).byteCount / 2) + response.body + response.end
    }
    /// `content-length` is twice the length of the body, which ends at the point.
    public static let bodyShorterThanLength = Self("bodyShorterThanLength") { response in
        let rest = response.before.byteCount == 0 ? response.body : []
        return response.withHead(length: (response.before + rest).byteCount * 2) + rest + response.end
    }
    /// A field of 4,000 bytes that is repeated that many times by one byte each.
    public static func hpackBomb(copies: Int = 16_000) -> Self {
        Self("hpackBomb(copies: \(copies))") { here in
            // A table size update, `:status: 200`, a field for the table, and the index of the field many times.
            let table = min(4_096, here.headerTableSize)
            let count = max(1, table - 96)
            let block =
                number(table, prefix: 5, flags: 0x20) + [0x88, 0x40, 1, UInt8(ascii: "x")]
                + number(count, prefix: 7, flags: 0) + Array(repeating: UInt8(ascii: "x"), count: count)
                + Array(repeating: 0x80 | 62, count: max(0, copies))
            return (MockHTTP2Frame.fieldBlock(block, on: here.stream, maxFrame: here.maxFrameSize), 1)
        }
    }

    // MARK: Valid responses

    /// A frame of an unknown type, which a client must ignore.
    public static let unknownFrame = Self(
        "unknownFrame",
        inserting: [.frames([MockHTTP2Frame(.init(rawValue: 0xFA), flags: 0xFF, payload: Data("?".utf8))])])
    /// Trailer fields.
    public static let trailers = Self("trailers") { response in
        response.before + (response.isBeforeHead ? [.headers(response.head)] : []) + response.body + [
            .headers([HTTPHeader(name: "x-trailer", value: "1")]), .end,
        ]
    }
    /// 103 before the head. At another point it follows the head, which is a fault.
    public static let interim = Self(
        "interim",
        inserting: [.headers([HTTPHeader(name: ":status", value: "103"), HTTPHeader(name: "x-hint", value: "1")])])

    // MARK: Floods

    /// A field block that continues in CONTINUATION frames of 1 KB.
    public static func continuationFlood(frames: Int? = nil) -> Self {
        Self(
            "continuationFlood(frames: \(frames ?? -1))", isEndless: frames == nil,
            inserting: .continuations(frames: frames))
    }

    /// A field block that continues in empty CONTINUATION frames.
    public static let emptyContinuationFlood = Self(
        "emptyContinuationFlood", isEndless: true, inserting: .continuations(Data()))

    // MARK: Lists

    /// The faults that break a rule of the connection or of the stream.
    public static let violations: [Self] =
        [
            .oversizedFrame, .badFrameLength, .dataOnIdleStream, .dataAfterEnd, .badSetting, .garbage, .pushPromise,
            .http1Response, .badHuffman, .badIndex,
        ] + Scope.allCases.flatMap { [.zeroWindowUpdate($0), .windowOverflow($0), .dataBeyondWindow($0)] }

    /// The faults that break a rule of HTTP, or stretch it.
    public static let malformedResponses: [Self] = [
        .missingStatus, .upperCaseField, .connectionField, .bodyLongerThanLength, .bodyShorterThanLength,
        .largeHeaders(bytes: 300_000), .hpackBomb(),
    ]

    /// Valid responses that a client must accept.
    public static let harmless: [Self] = [.unknownFrame, .trailers, .interim]

    /// Floods of each kind without an end.
    public static let floods: [Self] =
        [MockHTTP2Frame.settings, .ping, .emptyData, .reset, .priority, .windowUpdate].map { .flood($0) } + [
            .continuationFlood(), .emptyContinuationFlood,
        ]

    /// Creates a fault that sends these bytes that many times at its point.
    private init(_ description: String, bytes make: @escaping @Sendable (Step.StreamState) -> (Data, times: Int64)) {
        self.init(description, inserting: [.make(make)])
    }

    /// An integer of HPACK (RFC 7541, section 5.1).
    private static func number(_ value: Int, prefix: UInt8, flags: UInt8) -> [UInt8] {
        let mask = 1 << Int(prefix) - 1
        guard value >= mask else { return [flags | UInt8(truncatingIfNeeded: value)] }
        var bytes = [flags | UInt8(truncatingIfNeeded: mask)]
        var rest = value - mask
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F | 0x80))
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
    }
}

/// The frames of floods.
extension MockHTTP2Frame {
    /// SETTINGS with an unknown setting. A client acknowledges each.
    public static let settings = MockHTTP2Frame.setting(0xFFFF, 1)
    /// Empty DATA without END_STREAM.
    public static let emptyData = MockHTTP2Frame(.data)
    /// RST_STREAM for the stream of the response.
    public static let reset = MockHTTP2Frame(.reset, payload: Data([0, 0, 0, 8]))
    /// PRIORITY, which clients ignore.
    public static let priority = MockHTTP2Frame(.priority, payload: Data([0, 0, 0, 0, 16]))
    /// WINDOW_UPDATE of one byte for the connection.
    public static let windowUpdate = MockHTTP2Frame.windowUpdate(1, .connection)

    fileprivate static func windowUpdate(_ increment: UInt32, _ scope: MockHTTP2Fault.Scope) -> MockHTTP2Frame {
        let bytes = withUnsafeBytes(of: increment.bigEndian) { Data($0) }
        return MockHTTP2Frame(.windowUpdate, stream: scope.streamID, payload: bytes)
    }
}

extension HTTP2Response {
    /// The steps before the fault, with a head that has that `content-length`.
    fileprivate func withHead(length: Int64) -> [Step] {
        let fields =
            head.filter { $0.name != "content-length" } + [HTTPHeader(name: "content-length", value: String(length))]
        return [.headers(fields)] + (isBeforeHead ? before : Array(before.dropFirst()))
    }
}
