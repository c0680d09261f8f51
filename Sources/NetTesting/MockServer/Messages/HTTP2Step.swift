package import NetCore

/// A step of a stream: ``Step`` in terms of HTTP/2. A ``MockHTTP2Fault`` is a function from a response to its steps.
package enum HTTP2Step: Sendable {
    /// The state of the connection when a step is performed.
    package struct StreamState {
        package let stream: UInt32
        /// The client's SETTINGS_MAX_FRAME_SIZE.
        package let maxFrameSize: Int
        /// The client's SETTINGS_HEADER_TABLE_SIZE.
        package let headerTableSize: Int
        package let streamWindow: Int64
        package let connectionWindow: Int64
    }

    /// HEADERS, and CONTINUATION if necessary.
    case headers([HTTPHeader])
    /// The first half of a HEADERS frame.
    case halfHeaders([HTTPHeader])
    /// These bytes that many times as DATA, as far as the client's windows allow.
    case data(Data, times: Int64)
    /// END_STREAM, on the frame of the step before it if possible.
    case end
    /// Ends the stream without a frame.
    case finish
    /// Sends nothing more on the stream, which stays open.
    case hold
    case wait(TimeInterval)
    case pace(MockResponse.Pace)
    /// RST_STREAM.
    case reset(TransportError.HTTP2Code)
    /// GOAWAY. Streams beyond the last one are dropped, perhaps also this one.
    case goAway(TransportError.HTTP2Code, MockHTTP2Fault.LastStream)
    /// Whether other streams wait, since no frame may stand between the frames of a field block.
    case exclusive(Bool)
    /// These bytes that many times, whatever they are. They ignore windows.
    case raw(Data, times: Int64)
    /// ``raw(_:times:)`` with bytes that are made when they are sent.
    case make(@Sendable (StreamState) -> (Data, times: Int64))
    /// An action on the whole connection.
    case perform(Step.Action)

    package static func frames(_ frames: [MockHTTP2Frame], times: Int64 = 1) -> HTTP2Step {
        .make { here in (frames.reduce(into: Data()) { $0 += $1.encoded(on: here.stream) }, times) }
    }

    /// A field block that continues in CONTINUATION frames.
    ///
    /// - Parameters:
    ///   - payload: the payload of each frame; nil for a field of 1,000 bytes.
    ///   - frames: the number of frames, or nil for frames without an end.
    package static func continuations(_ payload: Data? = nil, frames: Int? = nil) -> [HTTP2Step] {
        // A literal without an index, a name of 6 bytes, a value of 1,000 bytes (RFC 7541, section 6.2.2).
        let field =
            Data([0, 6] + "x-more".utf8 + [0x7F, 0xE9, 0x06]) + Data(repeating: UInt8(ascii: "x"), count: 1_000)
        return [
            .exclusive(true), .frames([MockHTTP2Frame(.headers, payload: Data([0x88]))]),
            .frames([MockHTTP2Frame(.continuation, payload: payload ?? field)], times: Int64(frames ?? .max)),
            .frames([MockHTTP2Frame(.continuation, flags: MockHTTP2Frame.endHeaders)]), .exclusive(false),
        ]
    }

    /// Creates a step of a body. A stall holds the stream, not the connection.
    init(body step: Step) {
        switch step {
        case .write(let data, let times): self = .data(data, times: times)
        case .wait(let seconds): self = .wait(seconds)
        case .pace(let pace): self = .pace(pace)
        case .perform(.stall): self = .hold
        case .perform(let action): self = .perform(action)
        }
    }
}

/// A response over HTTP/2, cut at the point of a fault.
package struct HTTP2Response {
    package let head: [HTTPHeader]
    package let isBeforeHead: Bool
    /// The steps before the fault.
    package let before: [HTTP2Step]
    /// The body after the fault.
    package let body: [HTTP2Step]
    /// Trailers and END_STREAM.
    package let end: [HTTP2Step]

    /// - Parameters:
    ///   - point: the point of the fault.
    ///   - delay: the seconds before the fault.
    init(
        head: [HTTPHeader], body: [Step], end: [HTTP2Step], pace: [HTTP2Step], at point: MockHTTP2Fault.Point,
        after delay: TimeInterval
    ) {
        let delay: [HTTP2Step] = delay > 0 ? [.wait(delay)] : []
        self.head = head
        self.end = end
        isBeforeHead = point == .beforeHead
        guard !isBeforeHead else {
            before = delay
            self.body = pace + body.map(HTTP2Step.init(body:))
            return
        }
        var count: Int64 = 0
        if case .afterBody(let bytes) = point { count = Int64(max(0, bytes)) }
        let parts = body.split(afterBytes: count)
        before = [.headers(head)] + pace + parts.before.map(HTTP2Step.init(body:)) + delay
        self.body = parts.after.map(HTTP2Step.init(body:))
    }

    /// The steps after the fault.
    package var rest: [HTTP2Step] { (isBeforeHead ? [.headers(head)] : []) + body + end }

    /// Returns the response with another head, in place of its own or after it.
    package func replacingHead(_ change: ([HTTPHeader]) -> [HTTPHeader]) -> [HTTP2Step] {
        before + [.headers(change(head))] + body + end
    }
}
