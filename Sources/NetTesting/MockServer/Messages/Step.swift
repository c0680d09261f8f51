package import NetCore

/// A step of a connection, or of a stream over HTTP/2. A response, with its delays and its faults, is a list of steps.
package enum Step: Sendable {
    /// An action on the connection itself.
    package enum Action: Equatable, Sendable {
        case close
        case halfClose
        case reset
        case stall
    }

    /// The state of an HTTP/2 connection when a step is performed.
    package struct StreamState {
        package let stream: UInt32
        /// The client's SETTINGS_MAX_FRAME_SIZE.
        package let maxFrameSize: Int
        /// The client's SETTINGS_HEADER_TABLE_SIZE.
        package let headerTableSize: Int
        package let streamWindow: Int64
        package let connectionWindow: Int64
    }

    /// Writes these bytes that many times. Over HTTP/2 they are DATA, as far as the client's windows allow.
    case write(Data, times: Int64)
    /// Writes nothing for that many seconds.
    case wait(TimeInterval)
    /// Paces the steps that follow: some bytes, a pause in seconds, some bytes.
    case pace(bytes: Int, period: TimeInterval)
    /// Writes nothing more. The stream or the connection stays open.
    case hold
    /// The last step of a connection.
    case perform(Action)

    // Over HTTP/2 only.

    /// HEADERS, and CONTINUATION if necessary.
    case headers([HTTPHeader])
    /// The first half of a HEADERS frame.
    case halfHeaders([HTTPHeader])
    /// END_STREAM, on the frame of the step before it if possible.
    case end
    /// Ends the stream without a frame.
    case finish
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

    static func write(_ data: Data) -> Step { .write(data, times: 1) }

    static func write(_ text: String) -> Step { .write(Data(text.utf8)) }

    package static func frames(_ frames: [MockHTTP2Frame], times: Int64 = 1) -> Step {
        .make { here in (frames.reduce(into: Data()) { $0 += $1.encoded(on: here.stream) }, times) }
    }

    /// The bytes to write. It saturates instead of overflowing, for responses without an end.
    var byteCount: Int64 {
        guard case .write(let data, let times) = self else { return 0 }
        let (product, overflow) = Int64(data.count).multipliedReportingOverflow(by: times)
        return overflow ? .max : product
    }
}

extension [Step] {
    /// A field block that continues in CONTINUATION frames.
    ///
    /// - Parameters:
    ///   - payload: the payload of each frame; nil for a field of 1,000 bytes.
    ///   - frames: the number of frames, or nil for frames without an end.
    package static func continuations(_ payload: Data? = nil, frames: Int? = nil) -> [Step] {
        // A literal without an index, a name of 6 bytes, a value of 1,000 bytes (RFC 7541, section 6.2.2).
        let field =
            Data([0, 6] + "x-more".utf8 + [0x7F, 0xE9, 0x06]) + Data(repeating: UInt8(ascii: "x"), count: 1_000)
        return [
            .exclusive(true), .frames([MockHTTP2Frame(.headers, payload: Data([0x88]))]),
            .frames([MockHTTP2Frame(.continuation, payload: payload ?? field)], times: Int64(frames ?? .max)),
            .frames([MockHTTP2Frame(.continuation, flags: MockHTTP2Frame.endHeaders)]), .exclusive(false),
        ]
    }

    package var byteCount: Int64 {
        reduce(0) { sum, step in
            let (total, overflow) = sum.addingReportingOverflow(step.byteCount)
            return overflow ? .max : total
        }
    }

    /// Returns the steps up to that many bytes, and the steps after them.
    func split(afterBytes limit: Int64) -> (before: [Step], after: [Step]) {
        var (before, after): ([Step], [Step]) = ([], [])
        var remaining = limit
        for step in self {
            if remaining <= 0 {
                after.append(step)
            } else if case .write(let data, let times) = step, step.byteCount > remaining {
                let (whole, part) = remaining.quotientAndRemainder(dividingBy: Int64(data.count))
                let left = times - whole - (part > 0 ? 1 : 0)
                before += [.write(data, times: whole), .write(data.prefix(Int(part)))]
                after += [.write(part > 0 ? data.dropFirst(Int(part)) : Data()), .write(data, times: left)]
                remaining = 0
            } else {
                before.append(step)
                remaining -= step.byteCount
            }
        }
        return (before, after.filter { if case .write = $0 { $0.byteCount > 0 } else { true } })
    }
}
