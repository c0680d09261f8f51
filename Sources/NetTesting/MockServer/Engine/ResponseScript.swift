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
