import NetCore

extension HTTP2Response {
    /// - Parameter delay: the seconds before the fault.
    init(
        _ response: MockResponse, to request: RequestHead, at point: MockHTTP2Fault.Point = .beforeHead,
        after delay: TimeInterval = 0
    ) {
        var head = Self.fields(status: response.status, response.headers)
        let content = Content(response.body)
        if !response.hasNoContent, !response.framesItself, response.framing == .automatic, !content.isInParts {
            head.append(HTTPHeader(name: "content-length", value: String(content.length)))
        }
        let isBeforeHead = point == .beforeHead
        let count = if case .afterBody(let bytes) = point { Int64(max(0, bytes)) } else { Int64(0) }
        let hasBody = request.method != .head && !response.hasNoContent
        let parts = (hasBody ? content.plain : []).split(afterBytes: count)
        let wait = delay > 0 ? [Step.wait(delay)] : []
        self.init(
            head: head, isBeforeHead: isBeforeHead,
            before: (isBeforeHead ? [] : [.headers(head)] + response.pace + parts.before) + wait,
            body: (isBeforeHead ? response.pace : []) + parts.after,
            end: (response.trailers.isEmpty ? [] : [.headers(Self.fields(response.trailers))]) + [.end])
    }

    /// Returns the field list of a response, with names in lower case and without the fields of HTTP/1.1 (RFC 9113, section 8.2.2).
    fileprivate static func fields(status: Int, _ headers: HTTPHeaders) -> [HTTPHeader] {
        [HTTPHeader(name: ":status", value: String(status))] + fields(headers)
    }

    private static func fields(_ headers: HTTPHeaders) -> [HTTPHeader] {
        headers.compactMap { header in
            let name = header.name.asciiLowercased
            return connectionFields.contains(name) ? nil : HTTPHeader(name: name, value: header.value)
        }
    }

    static let connectionFields: Set = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
}

extension MockResponse {
    /// Returns the steps that send the response over HTTP/2.
    func http2Steps(to request: RequestHead) -> [Step] {
        guard webSocket == nil else {
            return MockResponse.text("WebSockets over HTTP/2 (RFC 8441) are not supported.\n", status: 501)
                .http2Steps(to: request)
        }
        let wait = delay > 0 ? [Step.wait(delay)] : []
        if let action = fault?.actionBeforeHead { return wait + [.perform(action)] }
        if let rawBytes {
            return wait + [.raw(rawBytes, times: 1), closesConnection ? .perform(.close) : .finish]
        }
        var changed = changed(for: fault)
        if http2Fault != nil {
            if case .none = changed.body { changed.body = .generated(count: 1_000) }
            changed.framing = .chunked
        }
        var steps = interim.map { Step.headers(HTTP2Response.fields(status: $0.status, $0.headers)) }
        if let fault {
            steps += fault.http2Steps(changed, to: request)
        } else if let planned = http2Fault {
            steps += planned.fault.steps(HTTP2Response(changed, to: request, at: planned.point, after: planned.delay))
        } else {
            steps += HTTP2Response(changed, to: request).rest
        }
        // After the head, so that the GOAWAY spares this stream.
        if closesConnection, let end = steps.firstIndex(where: { if case .end = $0 { true } else { false } }) {
            steps.insert(.goAway(.noError, .accepted), at: end)
        }
        return wait + steps
    }
}

extension MockFault {
    /// Returns the steps that send a response with this fault over HTTP/2, or with the nearest fault that HTTP/2 has.
    fileprivate func http2Steps(_ response: MockResponse, to request: RequestHead) -> [Step] {
        // RST may overtake bytes that the client has not read yet.
        let delay = action == .reset ? 0.02 : 0
        let middle = Int(clamping: max(1, Content(response.body).length / 2))
        let half = HTTP2Response(response, to: request, at: .afterBody(middle), after: delay)
        let whole = HTTP2Response(response, to: request)
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point):
            guard let action else { return [] }
            let sent = point == .inBody ? half.before : [.halfHeaders(whole.head), .wait(delay)]
            return sent + [.perform(action)]
        case .truncatedBody, .truncatedChunkedBody: return half.before + [.perform(.close)]
        case .badChunkSize:
            // The padding is longer than the frame (RFC 9113, section 6.1).
            let frame = MockHTTP2Frame(.data, flags: MockHTTP2Frame.isPadded, payload: Data([200, 1, 2]))
            return half.before + [.frames([frame]), .end]
        case .garbageStatusLine: return whole.replacingHead { _ in [HTTPHeader(name: ":status", value: "garbage")] }
        case .malformedHeader: return whole.replacingHead { $0 + [HTTPHeader(name: "no name", value: "x")] }
        case .endlessHeaders: return .continuations()
        case .endlessInterimResponses:
            return [.frames(Array(repeating: .headers([0x08, 3] + "100".utf8), count: 64), times: .max)]
        case .endlessBody:
            let block = MockResponse.generatedBytes(count: 64 << 10)
            return HTTP2Response(response, to: request, at: .afterHead).before + [.write(block, times: .max)]
        case .conflictingContentLengths, .corruptGzip, .decompressionBomb: return whole.rest
        }
    }
}
