import NetCore

extension HTTP2Connection {
    /// The fields of a request, or its trailers.
    func takeFields(_ list: HPACKDecoder.Fields, on id: UInt32, endsStream: Bool, now: TimeInterval) throws {
        if let stream = streams[id] {
            guard endsStream, !stream.isRequestComplete else {
                throw HTTP2Failure.stream(id, .protocolError, "A second field block does not end its stream.")
            }
            stream.trailers = HTTPHeaders(
                received: try Self.checked(id) { try list.fields.map(RequestHead.field(http2:)) })
            return try completeRequest(of: stream)
        }
        // Perhaps trailers of a stream that was reset meanwhile.
        guard id > highest else { return }
        highest = id
        if let last = goAwayLast, id > last { return note { $0.ignoredStreams += 1 } }
        guard streams.count < services.http2.maxConcurrentStreams else {
            note { $0.refusedStreams += 1 }
            return reset(id, .refusedStream)
        }
        if let fault = services.dispatcher.takeFault(at: .beforeRequest) {
            action = fault.fault?.action
            return
        }
        let head = try Self.checked(id) { try RequestHead(http2: list.fields, endsStream: endsStream) }
        let stream = HTTP2Stream(
            id: id, head: head, index: acceptedCount, receiveWindow: initialReceiveWindow, sendWindow: peerInitialWindow
        )
        accept(stream)
        stream.isRequestComplete = endsStream
        if list.isTooLarge {
            start(.status(431), on: stream)
        } else {
            takeHead(of: stream, endsStream: endsStream)
        }
        if endsStream { try completeRequest(of: stream) }
    }

    /// Turns what a parser of HTTP throws into an error of the stream.
    private static func checked<Output>(_ id: UInt32, _ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as ProtocolError {
            throw HTTP2Failure.stream(id, .protocolError, error.reason)
        }
    }

    private func accept(_ stream: HTTP2Stream) {
        streams[stream.id] = stream
        if order.count > 2 * streams.count + 16 { order.removeAll { streams[$0] == nil } }
        order.append(stream.id)
        lastAccepted = stream.id
        acceptedCount += 1
        note {
            $0.streams += 1
            $0.openStreams += 1
        }
        if acceptedCount == services.http2.goAwayAfter { goAway(.noError, last: nil) }
    }

    private func takeHead(of stream: HTTP2Stream, endsStream: Bool) {
        let answer = services.dispatcher.answer(to: stream.head)
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
            stream.append([.headers([HPACKField(":status", "100")])])
        }
    }

    /// Carries out a fault in the request's body if it is that far.
    private func interrupt(_ stream: HTTP2Stream) -> Bool {
        guard let interruption = stream.interruption, stream.bodyLength >= interruption.after else { return false }
        record(stream)
        action = interruption.action
        return true
    }

    func takeData(_ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer, now: TimeInterval) throws {
        guard header.stream != 0, header.stream <= highest else {
            throw HTTP2Failure.violation("DATA on an idle stream.")
        }
        let content = try Self.withoutPadding(header, payload)
        receiveWindow -= Int64(payload.count)
        guard receiveWindow >= 0 else {
            throw HTTP2Failure.connection(.flowControlError, "DATA beyond the connection's window.")
        }
        owed += payload.count
        if owed >= 32_768 {
            sendWindowUpdate(owed, on: 0)
            receiveWindow += Int64(owed)
            owed = 0
        }
        // Sent before the client knew that the stream is over.
        guard let stream = streams[header.stream] else { return }
        guard !stream.isRequestComplete else {
            throw HTTP2Failure.stream(stream.id, .streamClosed, "DATA behind END_STREAM.")
        }
        stream.receiveWindow -= Int64(payload.count)
        guard stream.receiveWindow >= 0 else {
            throw HTTP2Failure.stream(stream.id, .flowControlError, "DATA beyond a stream's window.")
        }
        stream.bodyLength += Int64(content.count)
        let kept = max(0, min(content.count, services.keptBody - stream.body.count))
        if kept > 0 { stream.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: content[..<kept])) }
        if interrupt(stream) { return }
        if header.has(MockHTTP2Frame.endStream) { return try completeRequest(of: stream) }
        returnBytes(payload.count, to: stream, now: now)
    }

    /// Lets the client send as much again, at once or in time.
    private func returnBytes(_ count: Int, to stream: HTTP2Stream, now: TimeInterval) {
        stream.owed += count
        if let pace = stream.readPace {
            if stream.returnsAt == nil {
                stream.returnsAt = now + Double(min(stream.owed, max(1, pace / 50))) / Double(pace)
            }
        } else if stream.owed >= max(1, services.http2.initialWindowSize / 2) {
            giveBack(stream.owed, to: stream)
        }
    }

    func returnPacedBytes(now: TimeInterval) {
        for stream in streams.values {
            guard let time = stream.returnsAt, now >= time, let pace = stream.readPace else { continue }
            giveBack(min(stream.owed, max(1, pace / 50)), to: stream)
            stream.returnsAt = stream.owed > 0 ? now + Double(min(stream.owed, max(1, pace / 50))) / Double(pace) : nil
        }
    }

    private func giveBack(_ count: Int, to stream: HTTP2Stream) {
        sendWindowUpdate(count, on: stream.id)
        stream.receiveWindow += Int64(count)
        stream.owed -= count
    }

    private func completeRequest(of stream: HTTP2Stream) throws {
        guard streams[stream.id] != nil, action == nil else { return }
        stream.isRequestComplete = true
        stream.returnsAt = nil
        if case .length(let length) = stream.head.framing, length != stream.bodyLength {
            throw HTTP2Failure.stream(stream.id, .protocolError, "The body is not as long as content-length says.")
        }
        guard !stream.isAnswering else { return }
        let request = record(stream)
        switch stream.answer {
        case .fixed(let response): start(response, on: stream)
        case .ask(let handler): ask(handler, for: request, on: stream)
        case nil: break
        }
    }

    private func ask(_ handler: @escaping MockServer.Handler, for request: RecordedRequest, on stream: HTTP2Stream) {
        stream.handlerTask = Task { [mailbox = services.mailbox, number, id = stream.id] in
            mailbox.post(
                .answer(await MockServer.answer(of: handler, to: request), connection: number, exchange: Int(id)))
        }
    }

    @discardableResult
    func record(_ stream: HTTP2Stream) -> RecordedRequest {
        let head = stream.head
        let request = RecordedRequest(
            method: head.method, target: head.target, httpVersion: head.version, headers: head.headers,
            trailers: stream.trailers, body: stream.body, bodyLength: stream.bodyLength,
            isBodyComplete: stream.isRequestComplete, connection: number, indexOnConnection: stream.index,
            stream: Int(stream.id), arrival: stream.arrival)
        guard !stream.isRecorded else { return request }
        stream.isRecorded = true
        services.journal.update { $0.record(request, limit: services.keptRequests) }
        return request
    }

    func start(_ response: MockResponse, on stream: HTTP2Stream) {
        stream.isAnswering = true
        stream.append(HTTP2Script(response, to: stream.head).steps)
    }

    /// Forgets a stream.
    func drop(_ stream: HTTP2Stream) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        stream.handlerTask?.cancel()
        stream.handlerTask = nil
        if exclusive == stream.id { setExclusive(nil) }
        record(stream)
        note { $0.openStreams -= 1 }
    }
}
