import NetCore

/// A step of a stream: ``Step`` in terms of HTTP/2.
enum HTTP2Step: Sendable {
    /// The state of the connection when a step is performed.
    struct StreamState {
        let stream: UInt32
        /// The client's SETTINGS_MAX_FRAME_SIZE.
        let maxFrameSize: Int
        /// The client's SETTINGS_HEADER_TABLE_SIZE.
        let headerTableSize: Int
        let streamWindow: Int64
        let connectionWindow: Int64
    }

    /// HEADERS, and CONTINUATION if necessary.
    case headers([HPACKField])
    /// The first half of a HEADERS frame.
    case halfHeaders([HPACKField])
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

    static func frames(_ frames: [MockHTTP2Frame], times: Int64 = 1) -> HTTP2Step {
        .make { here in (frames.reduce(into: Data()) { $0 += $1.encoded(on: here.stream) }, times) }
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

/// The steps that send a response over HTTP/2.
struct HTTP2Script {
    private(set) var steps: [HTTP2Step] = []

    init(_ response: MockResponse, to request: RequestHead) {
        let response = response.webSocket == nil ? response : Self.noWebSockets
        if response.delay > 0 { steps.append(.wait(response.delay)) }
        if let action = response.fault?.actionBeforeHead {
            steps.append(.perform(action))
            return
        }
        if let raw = response.rawBytes {
            steps += [.raw(raw, times: 1), response.closesConnection ? .perform(.close) : .finish]
            return
        }
        steps += response.interim.map { .headers(Self.fields(status: $0.status, $0.headers)) }

        var changed = response.changed(for: response.fault)
        if response.http2Fault != nil {
            if case .none = changed.body { changed.body = .generated(count: 1_000) }
            changed.framing = .chunked
        }
        let message = HTTP2Message(changed, to: request)
        let pace = response.pace.map { [HTTP2Step.pace($0)] } ?? []
        let goAway: [HTTP2Step] = response.closesConnection ? [.goAway(.noError, .accepted)] : []
        if let fault = response.fault {
            steps += fault.steps(message, pace: pace)
        } else if let strike = response.http2Fault {
            steps += strike.steps(message, pace: pace)
        } else {
            steps += [.headers(message.head)] + pace + message.body.map(HTTP2Step.init(body:)) + message.end
        }
        // After the head, so that the GOAWAY spares this stream.
        if let end = steps.firstIndex(where: { if case .end = $0 { true } else { false } }) {
            steps.insert(contentsOf: goAway, at: end)
        }
    }

    /// Returns the field list of a response, with names in lower case and without the fields of HTTP/1.1 (RFC 9113, section 8.2.2).
    static func fields(status: Int, _ headers: HTTPHeaders) -> [HPACKField] {
        [HPACKField(":status", String(status))] + fields(headers)
    }

    static func fields(_ headers: HTTPHeaders) -> [HPACKField] {
        headers.compactMap { header in
            let name = header.name.asciiLowercased
            return connectionFields.contains(name) ? nil : HPACKField(name, header.value)
        }
    }

    private static let noWebSockets = MockResponse.text(
        "WebSockets over HTTP/2 (RFC 8441) are not supported.\n", status: 501)

    static let connectionFields: Set = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
}

/// The parts of a response.
struct HTTP2Message {
    var head: [HPACKField]
    var body: [Step] = []
    /// Trailers and END_STREAM.
    var end: [HTTP2Step] = [.end]

    init(_ response: MockResponse, to request: RequestHead) {
        head = HTTP2Script.fields(status: response.status, response.headers)
        let content = Content(response.body)
        if request.method != .head, !response.hasNoContent { body = content.plain }
        if !response.trailers.isEmpty { end = [.headers(HTTP2Script.fields(response.trailers)), .end] }
        guard !response.hasNoContent, !response.headers.contains(name: "Content-Length"),
            !response.headers.contains(name: "Transfer-Encoding"), response.framing == .automatic, !content.isInParts
        else { return }
        head.append(HPACKField("content-length", String(content.length)))
    }
}

extension MockFault {
    /// Returns the steps that send a response with this fault over HTTP/2, or with the nearest fault that HTTP/2 has.
    func steps(_ message: HTTP2Message, pace: [HTTP2Step]) -> [HTTP2Step] {
        let body = pace + message.body.map(HTTP2Step.init(body:))
        let half = pace + message.body.firstHalf.map(HTTP2Step.init(body:))
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point):
            guard let action else { return [] }
            let sent = point == .inBody ? [.headers(message.head)] + half : [.halfHeaders(message.head)]
            // RST may overtake bytes that the client has not read yet.
            return sent + (action == .reset ? [.wait(0.02)] : []) + [.perform(action)]
        case .truncatedBody, .truncatedChunkedBody: return [.headers(message.head)] + half + [.perform(.close)]
        case .badChunkSize:
            // The padding is longer than the frame (RFC 9113, section 6.1).
            let frame = MockHTTP2Frame(.data, flags: MockHTTP2Frame.isPadded, payload: Data([200, 1, 2]))
            return [.headers(message.head)] + half + [.frames([frame]), .end]
        case .garbageStatusLine: return [.headers([HPACKField(":status", "garbage")])] + body + message.end
        case .malformedHeader: return [.headers(message.head + [HPACKField("no name", "x")])] + body + message.end
        case .endlessHeaders: return MockHTTP2Flood.continuation.steps(frames: nil)
        case .endlessInterimResponses:
            let block = Data([0x08, 3] + Array("100".utf8))
            let frame = MockHTTP2Frame(.headers, flags: MockHTTP2Frame.endHeaders, payload: block)
            return [.frames(Array(repeating: frame, count: 64), times: .max)]
        case .endlessBody:
            let block = MockResponse.generatedBytes(count: 64 << 10)
            return [.headers(message.head)] + pace + [.data(block, times: .max)]
        case .conflictingContentLengths, .corruptGzip, .decompressionBomb:
            return [.headers(message.head)] + body + message.end
        }
    }
}
