import NetCore

extension MockFault {
    /// What is sent over HTTP/2 for a response with this fault: the same where HTTP/2 has it, else what comes nearest.
    func steps(_ message: HTTP2Message, pace: [HTTP2Step]) -> [HTTP2Step] {
        let body = pace + message.body.map(HTTP2Step.init(body:))
        let half = pace + message.body.firstHalf.map(HTTP2Step.init(body:))
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point):
            guard let action else { return [] }
            let sent = point == .inBody ? [.headers(message.head)] + half : [.halfHeaders(message.head)]
            // RST may overtake what the client has not read yet.
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
