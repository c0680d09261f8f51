import NetCore

/// The steps that send a response, as an answer to a certain request.
struct ResponseScript {
    private(set) var steps: [Step] = []
    /// Whether the connection ends behind the last step.
    private(set) var closes: Bool

    /// - Parameter mustClose: whether the connection cannot be used again, for instance since the request was not read to its end.
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
        let message = Message(response.changed(for: fault), to: request)
        closes = closes || message.endsWithConnection
        var headers = message.headers
        if closes, !headers.contains(name: "Connection") { headers.append(name: "Connection", value: "close") }
        if !closes, request?.version == "HTTP/1.0" { headers.append(name: "Connection", value: "keep-alive") }

        let head = Self.head(response.status, response.reasonPhrase, headers)
        let pace = response.pace.map { [Step.pace($0)] } ?? []
        if let fault {
            closes = closes || fault.spoilsConnection
            steps += fault.steps(head: head, body: message.body, pace: pace)
        } else if let first = message.body.first, case .write(let data, times: 1) = first, data.count <= 64 << 10,
            pace.isEmpty
        {
            // One packet instead of two.
            steps.append(.write(head + data))
            steps += message.body.dropFirst()
        } else {
            steps.append(.write(head))
            steps += pace + message.body
        }
    }

    static func head(_ status: Int, _ reason: String?, _ headers: HTTPHeaders) -> Data {
        var text = "HTTP/1.1 \(status) \(reason ?? ReasonPhrase.of(status))\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        text += "\r\n"
        return Data(text.utf8)
    }
}

/// The fields and the body of a response, framed.
private struct Message {
    var headers: HTTPHeaders
    var body: [Step] = []
    var endsWithConnection = false

    init(_ response: MockResponse, to request: RequestHead?) {
        headers = response.headers
        let hasBody = request?.method != .head && !response.hasNoContent
        let content = Content(response.body)
        if headers.contains(name: "Content-Length") || headers.contains(name: "Transfer-Encoding") {
            // The test's own framing, perhaps a lie: the bytes go out as they are.
            endsWithConnection = headers["Content-Length"] != String(content.length)
            body = hasBody ? content.plain : []
            return
        }
        switch response.framing {
        case _ where response.hasNoContent: break
        case .untilClose:
            endsWithConnection = true
            body = hasBody ? content.plain : []
        case .automatic where !content.isChunked, .chunked where request?.version == "HTTP/1.0":
            headers.append(name: "Content-Length", value: String(content.length))
            body = hasBody ? content.plain : []
        case .automatic where request?.version == "HTTP/1.0":
            endsWithConnection = true
            body = hasBody ? content.plain : []
        case .automatic, .chunked:
            headers.append(name: "Transfer-Encoding", value: "chunked")
            body = hasBody ? content.chunked : []
        }
    }
}

extension MockResponse {
    /// RFC 9110, section 6.4.1: these never have content, and 1xx and 204 no `Content-Length` either.
    var hasNoContent: Bool { (100..<200).contains(status) || status == 204 || status == 304 }
}

/// A body as steps, plain and chunked.
struct Content {
    let plain: [Step]
    let chunked: [Step]
    let isChunked: Bool
    var length: Int64 { plain.byteCount }

    init(_ body: MockResponse.Body) {
        let end = Step.write("0\r\n\r\n")
        switch body {
        case .none:
            (plain, chunked, isChunked) = ([], [end], false)
        case .data(let data):
            (plain, isChunked) = (data.isEmpty ? [] : [.write(data)], false)
            chunked = data.isEmpty ? [end] : [.write(Self.chunk(data)), end]
        case .chunks(let chunks, let delay):
            let chunks = chunks.filter { !$0.isEmpty }
            let pause = delay > 0 ? [Step.wait(delay)] : []
            let join = { (parts: [Data]) in parts.map { [Step.write($0)] }.joined(separator: pause) }
            (plain, chunked, isChunked) = (Array(join(chunks)), Array(join(chunks.map(Self.chunk))) + [end], true)
        case .stream(let pieces):
            (plain, isChunked) = (pieces.map { Self.step($0, framed: { $0 }) }, true)
            chunked = pieces.map { Self.step($0, framed: Self.chunk) } + [end]
        case .generated(let count):
            let block = count < 64 << 10 ? Data() : MockResponse.generatedBytes(count: 64 << 10)
            let tail = MockResponse.generatedBytes(count: Int(max(0, count) % (64 << 10)))
            let parts = [(block, max(0, count) / (64 << 10)), (tail, 1)].filter { !$0.0.isEmpty }
            plain = parts.map { .write($0.0, times: $0.1) }
            chunked = parts.map { .write(Self.chunk($0.0), times: $0.1) } + [end]
            isChunked = false
        case .gzippedZeros(let count):
            plain = GzipBomb.steps(zeros: count).filter { $0.byteCount > 0 }
            chunked =
                plain.flatMap { step -> [Step] in
                    guard case .write(let data, let times) = step else { return [] }
                    return [.write(Self.chunk(data), times: times)]
                } + [end]
            isChunked = false
        }
    }

    /// An empty chunk would end the body, so empty bytes are no step that writes.
    private static func step(_ piece: MockResponse.Piece, framed frame: (Data) -> Data) -> Step {
        switch piece {
        case .bytes(let data): data.isEmpty ? .wait(0) : .write(frame(data))
        case .pause(let seconds): .wait(seconds)
        case .hold: .perform(.stall)
        }
    }

    private static func chunk(_ data: Data) -> Data {
        Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }
}

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

/// The usual text behind a status code.
enum ReasonPhrase {
    static func of(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status \(status)"
        }
    }
}
