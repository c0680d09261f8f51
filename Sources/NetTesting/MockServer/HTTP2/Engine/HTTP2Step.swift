import NetCore

/// What a stream does next: ``Step``, in terms of HTTP/2.
enum HTTP2Step: Sendable {
    /// What a step needs to know of the connection when it is carried out.
    struct Surroundings {
        let stream: UInt32
        /// The client's SETTINGS_MAX_FRAME_SIZE.
        let maxFrameSize: Int
        /// The client's SETTINGS_HEADER_TABLE_SIZE.
        let headerTableSize: Int
        let streamWindow: Int64
        let connectionWindow: Int64
    }

    /// HEADERS, and CONTINUATION if need be.
    case headers([HPACKField])
    /// The first half of a HEADERS frame.
    case halfHeaders([HPACKField])
    /// These bytes that often as DATA, as far as the client's windows allow.
    case data(Data, times: Int64)
    /// END_STREAM, on the frame before it if that is its own.
    case end
    /// The stream is over, and nothing is sent.
    case finish
    /// The stream sends nothing more, and stays open.
    case hold
    case wait(TimeInterval)
    case pace(MockResponse.Pace)
    /// RST_STREAM.
    case reset(HTTP2ErrorCode)
    /// GOAWAY. Streams beyond the last one are dropped, perhaps this one.
    case goAway(HTTP2ErrorCode, MockHTTP2Fault.LastStream)
    /// Whether the connection is this stream's alone: nothing may stand between the frames of a field block.
    case exclusive(Bool)
    /// These bytes that often, whatever they are. They ignore windows.
    case raw(Data, times: Int64)
    /// The same with bytes, and how often, that are known only when they are sent.
    case make(@Sendable (Surroundings) -> (Data, times: Int64))
    /// What happens to the whole connection.
    case perform(Step.Action)

    static func frames(_ frames: [MockHTTP2Frame], times: Int64 = 1) -> HTTP2Step {
        .make { here in (frames.reduce(into: Data()) { $0 += $1.encoded(on: here.stream) }, times) }
    }

    /// A step of a body. Its hold is the stream's: the connection goes on.
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
