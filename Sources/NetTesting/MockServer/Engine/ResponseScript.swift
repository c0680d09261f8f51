import NetCore

/// The steps that send the response to a request.
struct ResponseScript {
    private(set) var steps: [Step] = []
    /// Whether the connection ends after the last step.
    private(set) var closes: Bool

    /// - Parameter mustClose: whether the connection cannot be used again, for example if the request was not read to its end.
    init(_ response: MockResponse, to request: RequestHead?, mustClose: Bool) {
        closes = mustClose || response.closesConnection || request?.keepsAlive == false
        if response.delay > 0 { steps.append(.wait(response.delay)) }
        if let action = response.fault?.actionBeforeHead {
            steps.append(.perform(action))
            return
        }
        if let raw = response.rawBytes {
            steps.append(.write(raw))
            return
        }
        steps += response.interim.map { .write(Self.head($0.status, nil, $0.headers)) }

        let fault = response.fault
        let changed = response.changed(for: fault)
        var headers = changed.headers
        let content = Content(changed.body)
        let isHTTP1_0 = request?.version == "HTTP/1.0"
        var isChunked = false
        if changed.framesItself {
            closes = closes || headers["Content-Length"] != String(content.length)
        } else if !changed.hasNoContent {
            switch changed.framing {
            case .untilClose: closes = true
            // HTTP/1.1 has trailers after a chunked body only.
            case .automatic where !content.isInParts && (changed.trailers.isEmpty || isHTTP1_0),
                .chunked where isHTTP1_0:
                headers.append(name: "Content-Length", value: String(content.length))
            case .automatic where isHTTP1_0: closes = true
            case .automatic, .chunked:
                headers.append(name: "Transfer-Encoding", value: "chunked")
                isChunked = true
            }
        }
        let hasBody = request?.method != .head && !changed.hasNoContent
        let body = !hasBody ? [] : isChunked ? content.chunked(trailers: changed.trailers) : content.plain
        if closes, !headers.contains(name: "Connection") { headers.append(name: "Connection", value: "close") }
        if !closes, isHTTP1_0 { headers.append(name: "Connection", value: "keep-alive") }

        let head = Self.head(response.status, response.reasonPhrase, headers)
        if let fault {
            // After other faults the client cannot know where the next response starts. A wrong encoding does not break the framing.
            closes = closes || fault != .corruptGzip && fault != .decompressionBomb
            steps += fault.steps(head: head, body: body, pace: response.pace)
        } else if case .write(let data, times: 1) = body.first, data.count <= 64 << 10, response.pace.isEmpty {
            // One packet instead of two.
            steps.append(.write(head + data))
            steps += body.dropFirst()
        } else {
            steps.append(.write(head))
            steps += response.pace + body
        }
    }

    /// The usual texts after the status codes.
    private static let reasons = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
        204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        409: "Conflict", 412: "Precondition Failed", 413: "Content Too Large", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 422: "Unprocessable Content", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]

    static func head(_ status: Int, _ reason: String?, _ headers: HTTPHeaders) -> Data {
        var text = "HTTP/1.1 \(status) \(reason ?? reasons[status] ?? "Status \(status)")\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        text += "\r\n"
        return Data(text.utf8)
    }
}

extension MockResponse {
    /// Whether the status never has content (RFC 9110, section 6.4.1). 1xx and 204 have no `Content-Length` either.
    var hasNoContent: Bool { (100..<200).contains(status) || status == 204 || status == 304 }

    /// Whether the test frames the body itself, perhaps wrongly.
    var framesItself: Bool { headers.contains(name: "Content-Length") || headers.contains(name: "Transfer-Encoding") }

    /// Returns the response with the body that a fault needs, or that is the fault.
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
            // Block type 3 is reserved, so every inflater refuses it.
            copy.body = .data(GzipBomb.header + Data(repeating: 0xFF, count: 100))
        case .decompressionBomb:
            copy.headers.add(name: "Content-Encoding", value: "gzip")
            copy.body = .gzippedZeros(count: 1 << 30)
        default: break
        }
        return copy
    }
}

extension MockFault {
    /// The action of a fault of the connection.
    var action: Step.Action? {
        switch self {
        case .close: .close
        case .halfClose: .halfClose
        case .reset: .reset
        case .stall: .stall
        default: nil
        }
    }

    /// The action before a byte of the response is sent, or nil.
    var actionBeforeHead: Step.Action? {
        switch point {
        case .onAccept, .beforeRequest, .inRequestBody, .beforeResponse: action
        case .inHeaders, .inBody, nil: nil
        }
    }

    /// Returns the steps that send a response with this fault.
    func steps(head: Data, body: [Step], pace: [Step]) -> [Step] {
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point):
            guard let action else { return [] }
            // RST may overtake bytes that the client has not read yet.
            let pause = action == .reset ? [Step.wait(0.02)] : []
            let sent = point == .inBody ? [.write(head)] + pace + body.firstHalf : [.write(head.prefix(head.count / 2))]
            return sent + pause + [.perform(action)]
        case .truncatedBody, .truncatedChunkedBody: return [.write(head)] + pace + body.firstHalf + [.perform(.close)]
        case .badChunkSize: return [.write(head), .write("5\r\nfirst\r\n"), .write("xyz\r\nwrong\r\n0\r\n\r\n")]
        case .garbageStatusLine: return [.write("\u{1}\u{7F}?! this is no status line\r\nContent-Length: 2\r\n\r\nno")]
        case .malformedHeader:
            return [.write("HTTP/1.1 200 OK\r\nthis field has no colon\r\nContent-Length: 2\r\n\r\nno")]
        case .endlessHeaders:
            let field = "X-Endless: \(String(repeating: "x", count: 1_000))\r\n"
            return [.write("HTTP/1.1 200 OK\r\n"), .endless(field)]
        case .endlessInterimResponses: return [.endless("HTTP/1.1 100 Continue\r\n\r\n")]
        case .endlessBody:
            return [.write(head)] + pace + [.write(MockResponse.generatedBytes(count: 64 << 10), times: .max)]
        case .conflictingContentLengths, .corruptGzip, .decompressionBomb: return [.write(head)] + pace + body
        }
    }
}

extension Step {
    /// Repeats the text without an end, many times in one write.
    fileprivate static func endless(_ text: String) -> Step {
        .write(Data(String(repeating: text, count: max(1, (16 << 10) / text.utf8.count)).utf8), times: .max)
    }
}

extension [Step] {
    var firstHalf: [Step] { split(afterBytes: Swift.max(1, byteCount / 2)).before }
}
