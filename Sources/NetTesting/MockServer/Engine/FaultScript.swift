import NetCore

extension MockFault {
    /// What happens to the connection, for the faults that are about it.
    var action: Step.Action? {
        switch self {
        case .close: .close
        case .halfClose: .halfClose
        case .reset: .reset
        case .stall: .stall
        default: nil
        }
    }

    /// What happens before a byte of the response is sent; nil if some of it is.
    var actionBeforeHead: Step.Action? {
        switch point {
        case .onAccept, .beforeRequest, .inRequestBody, .beforeResponse: action
        case .inHeaders, .inBody, nil: nil
        }
    }

    /// Whether the client cannot know where the next response would start. (A wrong encoding breaks no framing.)
    var spoilsConnection: Bool {
        self != .corruptGzip && self != .decompressionBomb
    }

    /// What is sent for a response with this fault, if anything is sent.
    func steps(head: Data, body: [Step], pace: [Step]) -> [Step] {
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point):
            guard let action else { return [] }
            // RST may overtake what the client has not read yet.
            let pause = action == .reset ? [Step.wait(0.02)] : []
            let sent = point == .inBody ? [.write(head)] + pace + body.firstHalf : [.write(head.prefix(head.count / 2))]
            return sent + pause + [.perform(action)]
        case .truncatedBody, .truncatedChunkedBody:
            return [.write(head)] + pace + body.firstHalf + [.perform(.close)]
        case .badChunkSize:
            return [.write(head), .write("5\r\nfirst\r\n"), .write("xyz\r\nwrong\r\n0\r\n\r\n")]
        case .garbageStatusLine:
            return [.write("\u{1}\u{7F}?! this is no status line\r\nContent-Length: 2\r\n\r\nno")]
        case .malformedHeader:
            return [.write("HTTP/1.1 200 OK\r\nthis field has no colon\r\nContent-Length: 2\r\n\r\nno")]
        case .endlessHeaders:
            let field = "X-Endless: \(String(repeating: "x", count: 1_000))\r\n"
            return [.write("HTTP/1.1 200 OK\r\n"), .endless(field)]
        case .endlessInterimResponses:
            return [.endless("HTTP/1.1 100 Continue\r\n\r\n")]
        case .endlessBody:
            return [.write(head)] + pace + [.write(MockResponse.generatedBytes(count: 64 << 10), times: .max)]
        case .conflictingContentLengths, .corruptGzip, .decompressionBomb:
            return [.write(head)] + pace + body
        }
    }
}

extension MockResponse {
    /// The response that a fault needs: with a body to cut, or with the body that is the fault.
    func changed(for fault: MockFault?) -> MockResponse {
        guard let fault else { return self }
        var copy = self
        if case .none = body { copy.body = .generated(count: 1_000) }
        if hasNoContent { copy.status = 200 }
        switch fault {
        case .truncatedBody: copy.framing = .automatic
        case .truncatedChunkedBody, .badChunkSize: copy.framing = .chunked
        case .endlessBody: copy.framing = .untilClose
        case .conflictingContentLengths:
            copy.body = .generated(count: 1_000)
            copy.headers.remove(name: "Content-Length")
            copy.headers.append(name: "Content-Length", value: "1000")
            copy.headers.append(name: "Content-Length", value: "999")
        case .corruptGzip:
            copy.headers.add(name: "Content-Encoding", value: "gzip")
            // Block type 3 is reserved: no inflater takes it.
            copy.body = .data(GzipBomb.header + Data(repeating: 0xFF, count: 100))
        case .decompressionBomb:
            copy.headers.add(name: "Content-Encoding", value: "gzip")
            copy.body = .gzippedZeros(count: 1 << 30)
        default: break
        }
        return copy
    }
}

extension Step {
    /// The text for ever, a good many times in one write.
    fileprivate static func endless(_ text: String) -> Step {
        .write(Data(String(repeating: text, count: max(1, (16 << 10) / text.utf8.count)).utf8), times: .max)
    }
}

extension [Step] {
    var firstHalf: [Step] { prefix(bytes: Swift.max(1, byteCount / 2)) }
}
