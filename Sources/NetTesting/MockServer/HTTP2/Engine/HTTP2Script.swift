import NetCore

/// The steps that send a response over HTTP/2: ``ResponseScript``, in terms of frames.
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
        // Behind the head: the response belongs to the streams that the GOAWAY spares.
        if let end = steps.firstIndex(where: { if case .end = $0 { true } else { false } }) {
            steps.insert(contentsOf: goAway, at: end)
        }
    }

    /// The field list of a response: names in lower case, and without the fields that HTTP/2 does not know (RFC 9113, section 8.2.2).
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
            !response.headers.contains(name: "Transfer-Encoding"), response.framing == .automatic, !content.isChunked
        else { return }
        head.append(HPACKField("content-length", String(content.length)))
    }
}
