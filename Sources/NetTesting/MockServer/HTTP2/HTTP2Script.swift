import NetCore

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
        let goAway: [HTTP2Step] = response.closesConnection ? [.goAway(.noError, .accepted)] : []
        if let fault = response.fault {
            steps += fault.steps(message)
        } else if let strike = response.http2Fault {
            steps += strike.fault.steps(message.cut(at: strike.point, after: strike.delay))
        } else {
            steps += message.cut(at: .beforeHead).rest
        }
        // After the head, so that the GOAWAY spares this stream.
        if let end = steps.firstIndex(where: { if case .end = $0 { true } else { false } }) {
            steps.insert(contentsOf: goAway, at: end)
        }
    }

    /// Returns the field list of a response, with names in lower case and without the fields of HTTP/1.1 (RFC 9113, section 8.2.2).
    static func fields(status: Int, _ headers: HTTPHeaders) -> [HTTPHeader] {
        [HTTPHeader(name: ":status", value: String(status))] + fields(headers)
    }

    static func fields(_ headers: HTTPHeaders) -> [HTTPHeader] {
        headers.compactMap { header in
            let name = header.name.asciiLowercased
            return connectionFields.contains(name) ? nil : HTTPHeader(name: name, value: header.value)
        }
    }

    private static let noWebSockets = MockResponse.text(
        "WebSockets over HTTP/2 (RFC 8441) are not supported.\n", status: 501)

    static let connectionFields: Set = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
}

/// The parts of a response.
struct HTTP2Message {
    private(set) var head: [HTTPHeader]
    private(set) var body: [Step] = []
    private let pace: [HTTP2Step]
    /// Trailers and END_STREAM.
    private var end: [HTTP2Step] = [.end]

    init(_ response: MockResponse, to request: RequestHead) {
        head = HTTP2Script.fields(status: response.status, response.headers)
        pace = response.pace.map { [.pace($0)] } ?? []
        let content = Content(response.body)
        if request.method != .head, !response.hasNoContent { body = content.plain }
        if !response.trailers.isEmpty { end = [.headers(HTTP2Script.fields(response.trailers)), .end] }
        guard !response.hasNoContent, !response.headers.contains(name: "Content-Length"),
            !response.headers.contains(name: "Transfer-Encoding"), response.framing == .automatic, !content.isInParts
        else { return }
        head.append(HTTPHeader(name: "content-length", value: String(content.length)))
    }

    func cut(at point: MockHTTP2Fault.Point, after delay: TimeInterval = 0) -> HTTP2Response {
        HTTP2Response(head: head, body: body, end: end, pace: pace, at: point, after: delay)
    }
}

extension MockFault {
    /// Returns the steps that send a response with this fault over HTTP/2, or with the nearest fault that HTTP/2 has.
    func steps(_ message: HTTP2Message) -> [HTTP2Step] {
        // RST may overtake bytes that the client has not read yet.
        let delay = action == .reset ? 0.02 : 0
        let half = message.cut(at: .afterBody(Int(clamping: max(1, message.body.byteCount / 2))), after: delay)
        let whole = message.cut(at: .beforeHead)
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point):
            guard let action else { return [] }
            let sent = point == .inBody ? half.before : [.halfHeaders(message.head), .wait(delay)]
            return sent + [.perform(action)]
        case .truncatedBody, .truncatedChunkedBody: return half.before + [.perform(.close)]
        case .badChunkSize:
            // The padding is longer than the frame (RFC 9113, section 6.1).
            let frame = MockHTTP2Frame(.data, flags: MockHTTP2Frame.isPadded, payload: Data([200, 1, 2]))
            return half.before + [.frames([frame]), .end]
        case .garbageStatusLine: return whole.replacingHead { _ in [HTTPHeader(name: ":status", value: "garbage")] }
        case .malformedHeader: return whole.replacingHead { $0 + [HTTPHeader(name: "no name", value: "x")] }
        case .endlessHeaders: return HTTP2Step.continuations()
        case .endlessInterimResponses:
            return [.frames(Array(repeating: .headers([0x08, 3] + "100".utf8), count: 64), times: .max)]
        case .endlessBody:
            let block = MockResponse.generatedBytes(count: 64 << 10)
            return message.cut(at: .afterHead).before + [.data(block, times: .max)]
        case .conflictingContentLengths, .corruptGzip, .decompressionBomb: return whole.rest
        }
    }
}
