import NetCore

extension HTTP2Connection {
    /// Handles the fields of a request, or its trailers.
    func takeFields(_ list: HPACKDecoder.Fields, on id: UInt32, endsStream: Bool) throws {
        if let stream = streams[id] {
            try require(
                endsStream && !stream.isRequestComplete,
                or: .stream(id, .protocolError, "A second field block does not end its stream."))
            stream.trailers = HTTPHeaders(
                received: try Self.checked(id) { try list.fields.map(RequestHead.field(http2:)) })
            return try completeRequest(of: stream)
        }
        // These may be trailers of a stream that was reset meanwhile.
        guard id > highest else { return }
        highest = id
        if let last = goAwayLast, id > last { return note { $0.ignoredStreams += 1 } }
        guard streams.count < services.http2.maxConcurrentStreams else {
            note { $0.refusedStreams += 1 }
            return reset(id, .refusedStream)
        }
        if let fault = services.dispatcher.withLock({ $0.takeFault(at: .beforeRequest) }) {
            return action = fault.fault?.action
        }
        let head = try Self.checked(id) { try RequestHead(http2: list.fields, endsStream: endsStream) }
        let stream = HTTP2Stream(id: id, head: head, on: self)
        streams[id] = stream
        if order.count > 2 * streams.count + 16 { order.removeAll { streams[$0] == nil } }
        order.append(id)
        lastAccepted = id
        acceptedCount += 1
        note {
            $0.streams += 1
            $0.openStreams += 1
        }
        if acceptedCount == services.http2.goAwayAfter { goAway(.noError, last: nil) }
        stream.isRequestComplete = endsStream
        if list.isTooLarge {
            start(.status(431), on: stream)
        } else {
            takeHead(of: stream, endsStream: endsStream)
        }
        if endsStream { try completeRequest(of: stream) }
    }

    /// Converts a ``ProtocolError`` to an error of the stream.
    private static func checked<Output>(_ id: UInt32, _ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as ProtocolError {
            throw HTTP2Failure.stream(id, .protocolError, error.reason)
        }
    }

    private func takeHead(of stream: HTTP2Stream, endsStream: Bool) {
        let answer = services.dispatcher.withLock { $0.answer(to: stream.head) }
        stream.answer = answer
        if case .fixed(let response) = answer {
            switch response.fault?.point {
            case .onAccept, .beforeRequest: return action = response.fault?.action
            case .inRequestBody:
                stream.interruption = response.fault?.action.map {
                    (after: endsStream ? 0 : stream.head.framing.half, $0)
                }
            default: break
            }
            if interrupt(stream) { return }
            if response.answersBeforeRequestBody, !endsStream {
                record(stream)
                return start(response, on: stream)
            }
            stream.readPace = endsStream ? nil : response.requestBytesPerSecond
        }
        if stream.head.expectsContinue, !endsStream, services.sendsContinue {
            stream.steps.append([.headers([HTTPHeader(name: ":status", value: "100")])])
        }
    }

    /// Performs a fault in the request's body if enough of the body was received.
    private func interrupt(_ stream: HTTP2Stream) -> Bool {
        guard let interruption = stream.interruption, stream.body.length >= interruption.after else { return false }
        record(stream)
        action = interruption.action
        return true
    }

    func takeData(_ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer, now: TimeInterval) throws {
        try require(header.stream != 0 && header.stream <= highest, or: .violation("DATA on an idle stream."))
        let content = try Self.withoutPadding(header, payload)
        receiveWindow -= Int64(payload.count)
        try require(receiveWindow >= 0, or: .connection(.flowControlError, "DATA beyond the connection's window."))
        unreturned += payload.count
        if unreturned >= 32_768 {
            sendWindowUpdate(unreturned, on: 0)
            receiveWindow += Int64(unreturned)
            unreturned = 0
        }
        // The client did not know yet that the stream is over.
        guard let stream = streams[header.stream] else { return }
        try require(!stream.isRequestComplete, or: .stream(stream.id, .streamClosed, "DATA behind END_STREAM."))
        stream.receiveWindow -= Int64(payload.count)
        try require(
            stream.receiveWindow >= 0, or: .stream(stream.id, .flowControlError, "DATA beyond a stream's window."))
        stream.body.append(content)
        if interrupt(stream) { return }
        if header.has(MockHTTP2Frame.endStream) { return try completeRequest(of: stream) }
        stream.unreturned += payload.count
        if let pace = stream.readPace {
            if stream.returnsAt == nil { stream.returnsAt = now + Self.returnPeriod(of: stream, pace) }
        } else if stream.unreturned >= max(1, services.http2.initialWindowSize / 2) {
            recycle(stream.unreturned, to: stream)
        }
    }

    /// Returns the bytes that paced streams may receive again by now.
    func returnPacedBytes(now: TimeInterval) {
        for stream in streams.values {
            guard let time = stream.returnsAt, now >= time, let pace = stream.readPace else { continue }
            recycle(Self.pacedBytes(of: stream, pace), to: stream)
            stream.returnsAt = stream.unreturned > 0 ? now + Self.returnPeriod(of: stream, pace) : nil
        }
    }

    private static func pacedBytes(of stream: HTTP2Stream, _ pace: Int) -> Int {
        min(stream.unreturned, max(1, pace / 50))
    }

    private static func returnPeriod(of stream: HTTP2Stream, _ pace: Int) -> TimeInterval {
        Double(pacedBytes(of: stream, pace)) / Double(pace)
    }

    /// Sends WINDOW_UPDATE, so that the client may send that many bytes again.
    private func recycle(_ count: Int, to stream: HTTP2Stream) {
        sendWindowUpdate(count, on: stream.id)
        stream.receiveWindow += Int64(count)
        stream.unreturned -= count
    }

    private func completeRequest(of stream: HTTP2Stream) throws {
        guard streams[stream.id] != nil, action == nil else { return }
        stream.isRequestComplete = true
        stream.returnsAt = nil
        if case .length(let length) = stream.head.framing, length != stream.body.length {
            throw HTTP2Failure.stream(stream.id, .protocolError, "The body is not as long as content-length says.")
        }
        guard !stream.isAnswering else { return }
        let request = record(stream)
        switch stream.answer {
        case .fixed(let response): start(response, on: stream)
        case .ask(let handler): stream.handlerTask = ask(handler, for: request, exchange: Int(stream.id))
        case nil: break
        }
    }

    @discardableResult
    func record(_ stream: HTTP2Stream) -> RecordedRequest {
        let request = request(
            stream.head, body: stream.body, trailers: stream.trailers, isBodyComplete: stream.isRequestComplete,
            index: stream.index, stream: stream.id, arrival: stream.arrival)
        if !stream.isRecorded { record(request) }
        stream.isRecorded = true
        return request
    }

    func start(_ response: MockResponse, on stream: HTTP2Stream) {
        stream.isAnswering = true
        stream.steps.append(response.http2Steps(to: stream.head))
    }

    /// Removes a stream, and records its request if that was not done.
    func drop(_ stream: HTTP2Stream) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        stream.handlerTask.take()?.cancel()
        if exclusive == stream.id { setExclusive(nil) }
        record(stream)
        note { $0.openStreams -= 1 }
    }
}

extension RequestHead {
    /// Reads the field list of a request (RFC 9113, section 8.3.1), as strictly as a head of HTTP/1.1.
    init(http2 fields: [HPACKField], endsStream: Bool) throws {
        var pseudo: [String: String] = [:]
        var regular: [HTTPHeader] = []
        var cookies: [String] = []
        for field in fields {
            if field.name.hasPrefix(":") {
                guard regular.isEmpty, cookies.isEmpty else {
                    throw ProtocolError(reason: "A pseudo-field follows a field.")
                }
                guard [":method", ":scheme", ":authority", ":path"].contains(field.name), pseudo[field.name] == nil
                else { throw ProtocolError(reason: "The pseudo-field \(field.name) is unknown or repeated.") }
                pseudo[field.name] = field.value
            } else if field.name == "cookie" {
                // A client may split the cookies over fields (RFC 9113, section 8.2.3).
                cookies.append(field.value)
            } else {
                regular.append(try Self.field(http2: field))
            }
        }
        if !cookies.isEmpty { regular.append(HTTPHeader(name: "cookie", value: cookies.joined(separator: "; "))) }
        method = HTTPMethod(rawValue: pseudo[":method"] ?? "")
        guard method.rawValue.isHTTPToken else { throw ProtocolError(reason: "The method is not a token.") }
        let isTunnel = method.rawValue == "CONNECT"
        target = pseudo[isTunnel ? ":authority" : ":path"] ?? ""
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProtocolError(reason: "The path is missing, or has characters that must be percent-encoded.")
        }
        guard isTunnel == (pseudo[":scheme"] == nil), !isTunnel || pseudo[":path"] == nil else {
            throw ProtocolError(reason: "The pseudo-fields do not fit the method.")
        }
        if let authority = pseudo[":authority"] { regular.insert(HTTPHeader(name: "host", value: authority), at: 0) }
        version = "HTTP/2"
        headers = HTTPHeaders(received: regular)
        let framing = try Self.framing(of: headers, version: version)
        self.framing = framing == .none && !endsStream ? .untilEndOfStream : framing
    }

    /// Checks a field, also one of trailers.
    static func field(http2 field: HPACKField) throws -> HTTPHeader {
        let header = HTTPHeader(name: field.name, value: field.value)
        guard header.isValid, !field.name.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else {
            throw ProtocolError(reason: "A field has characters that are not allowed.")
        }
        let isAllowed =
            !HTTP2Response.connectionFields.contains(field.name) && (field.name != "te" || field.value == "trailers")
        guard isAllowed else { throw ProtocolError(reason: "The field \(field.name) is not allowed in HTTP/2.") }
        return header
    }
}
