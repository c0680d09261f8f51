import NetCore

extension HTTP2Connection {
    /// Reads the frames in the inbox.
    func readFrames(now: TimeInterval) {
        while ending == nil, action == nil {
            guard !isEnding else { return inbox.removeAll() }
            do {
                guard try readFrame(now: now) else { return }
            } catch HTTP2Failure.stream(let id, let code, let reason) {
                services.journal.update { $0.protocolErrors.append(reason) }
                reset(id, code)
            } catch HTTP2Failure.connection(let code, let reason) {
                fail(code, reason)
            } catch {
                fail(.compressionError, (error as? ProtocolError)?.reason ?? String(describing: error))
            }
        }
    }

    /// Sends GOAWAY for an error of the client, and ends the connection.
    private func fail(_ code: TransportError.HTTP2Code, _ reason: String) {
        services.journal.update { $0.protocolErrors.append(reason) }
        let payload = lastAccepted.bigEndianBytes + code.rawValue.bigEndianBytes + Array(reason.utf8)
        setExclusive(nil)
        write(MockHTTP2Frame(.goAway, payload: Data(payload)))
        isEnding = true
        cancelExchanges()
        inbox.removeAll()
    }

    /// Reads one frame. Returns false if none is complete.
    private func readFrame(now: TimeInterval) throws -> Bool {
        let bytes = inbox.bytes
        guard hasPreface else {
            try require(
                HTTP2Preface.matches(bytes), or: .violation("The connection does not begin with the preface of HTTP/2.")
            )
            guard bytes.count >= HTTP2Preface.bytes.count else { return false }
            inbox.dropFirst(HTTP2Preface.bytes.count)
            hasPreface = true
            return true
        }
        guard let header = HTTP2FrameHeader(bytes) else { return false }
        try require(
            header.length <= services.http2.maxFrameSize,
            or: .connection(.frameSizeError, "A frame is longer than SETTINGS_MAX_FRAME_SIZE."))
        let count = HTTP2FrameHeader.size + header.length
        guard bytes.count >= count else { return false }
        defer { inbox.dropFirst(count) }
        try require(hasSettings || header.kind == .settings, or: .violation("The first frame is not SETTINGS."))
        try take(header, UnsafeRawBufferPointer(rebasing: bytes[HTTP2FrameHeader.size..<count]), now: now)
        return true
    }

    private func take(_ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer, now: TimeInterval) throws {
        if let fieldBlock, header.kind != .continuation || header.stream != fieldBlock.stream {
            throw HTTP2Failure.violation("A field block is interrupted.")
        }
        switch header.kind {
        case .data: try takeData(header, payload, now: now)
        case .headers: try takeHeaders(header, payload)
        case .continuation: try takeContinuation(header, payload)
        case .settings: try takeSettings(header, payload)
        case .windowUpdate: try takeWindowUpdate(header, payload)
        case .ping:
            try check(header, length: 8, onStream: false)
            guard !header.has(MockHTTP2Frame.acknowledges) else { return }
            note { $0.pings += 1 }
            write(MockHTTP2Frame(.ping, flags: MockHTTP2Frame.acknowledges, payload: Data(payload)))
        case .reset:
            try check(header, length: 4, onStream: true)
            try require(header.stream <= highest, or: .violation("RST_STREAM on an idle stream."))
            let code = TransportError.HTTP2Code(rawValue: payload.number(at: 0))
            note {
                guard $0.resets.count < MockHTTP2Connection.limit else { return }
                $0.resets.append(MockHTTP2Connection.Reset(stream: Int(header.stream), code: code))
            }
            if let stream = streams[header.stream] { drop(stream) }
        case .goAway:
            try require(header.stream == 0, or: .violation("GOAWAY on a stream."))
            try require(payload.count >= 8, or: .connection(.frameSizeError, "GOAWAY is too short."))
            note { $0.goAway = TransportError.HTTP2Code(rawValue: payload.number(at: 4)) }
        case .priority: try check(header, length: 5, onStream: true)
        case .pushPromise: throw HTTP2Failure.violation("A client sent PUSH_PROMISE.")
        default: break
        }
    }

    func require(_ condition: Bool, or failure: @autoclosure () -> HTTP2Failure) throws {
        if !condition { throw failure() }
    }

    private func check(_ header: HTTP2FrameHeader, length: Int, onStream: Bool) throws {
        try require(
            header.length == length,
            or: .connection(.frameSizeError, "A frame of type \(header.kind.rawValue) has a wrong length."))
        try require(
            (header.stream != 0) == onStream,
            or: .violation("A frame of type \(header.kind.rawValue) is on a wrong stream."))
    }

    private func takeSettings(_ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer) throws {
        hasSettings = true
        try require(header.stream == 0, or: .violation("SETTINGS on a stream."))
        let isAcknowledgement = header.has(MockHTTP2Frame.acknowledges)
        try require(
            isAcknowledgement ? payload.isEmpty : payload.count % 6 == 0,
            or: .connection(.frameSizeError, "SETTINGS has a wrong length."))
        if isAcknowledgement {
            let change = Int64(services.http2.initialWindowSize) - initialReceiveWindow
            initialReceiveWindow += change
            for stream in streams.values { stream.receiveWindow += change }
            return note { $0.settingsAcknowledgements += 1 }
        }
        for offset in stride(from: 0, to: payload.count, by: 6) {
            try apply(payload.number(at: offset, as: UInt16.self), payload.number(at: offset + 2, as: UInt32.self))
        }
        write(MockHTTP2Frame(.settings, flags: MockHTTP2Frame.acknowledges))
    }

    private func apply(_ id: UInt16, _ value: UInt32) throws {
        note { if id < 0x20 || $0.settings.count < 100 { $0.settings[Int(id)] = Int(value) } }
        switch id {
        case 1:
            peerTableSize = Int(value)
            encoder.setTableSize(peerTableSize)
        case 2: try require(value <= 1, or: .violation("ENABLE_PUSH is neither 0 nor 1."))
        case 4:
            try require(
                value <= UInt32(Int32.max), or: .connection(.flowControlError, "INITIAL_WINDOW_SIZE is above 2^31-1."))
            for stream in streams.values {
                stream.sendWindow += Int64(value) - peerInitialWindow
                try require(
                    stream.sendWindow <= Int64(Int32.max),
                    or: .connection(.flowControlError, "A window is above 2^31-1."))
            }
            peerInitialWindow = Int64(value)
        case 5:
            try require((16_384...16_777_215).contains(value), or: .violation("MAX_FRAME_SIZE is out of its range."))
            peerMaxFrame = Int(value)
        default: break
        }
    }

    private func takeWindowUpdate(_ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer) throws {
        try check(header, length: 4, onStream: header.stream != 0)
        let increment = Int64(payload.number(at: 0, as: UInt32.self) & 0x7FFF_FFFF)
        try require(header.stream <= highest, or: .violation("WINDOW_UPDATE on an idle stream."))
        guard increment > 0 else {
            let reason = "WINDOW_UPDATE of zero."
            throw header.stream == 0 ? HTTP2Failure.violation(reason) : .stream(header.stream, .protocolError, reason)
        }
        note {
            if header.stream == 0 { $0.unreturnedBytes -= increment }
            guard header.stream == 0 || $0.windowUpdates.count < MockHTTP2Connection.limit else { return }
            $0.windowUpdates[Int(header.stream), default: 0] += increment
        }
        if header.stream == 0 {
            sendWindow += increment
            try require(
                sendWindow <= Int64(Int32.max),
                or: .connection(.flowControlError, "The connection's window is above 2^31-1."))
        } else if let stream = streams[header.stream] {
            stream.sendWindow += increment
            try require(
                stream.sendWindow <= Int64(Int32.max),
                or: .stream(stream.id, .flowControlError, "A stream's window is above 2^31-1."))
        }
    }

    private func takeHeaders(_ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer) throws {
        try require(header.stream % 2 == 1, or: .violation("HEADERS on a stream that is not the client's."))
        var block = try Self.withoutPadding(header, payload)
        if header.has(MockHTTP2Frame.hasPriority) {
            try require(block.count >= 5, or: .connection(.frameSizeError, "HEADERS is too short."))
            block = UnsafeRawBufferPointer(rebasing: block[5...])
        }
        fieldBlock = (header.stream, header.has(MockHTTP2Frame.endStream), Array(block))
        if header.has(MockHTTP2Frame.endHeaders) { try endFieldBlock() }
    }

    private func takeContinuation(_ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer) throws {
        guard let count = fieldBlock?.bytes.count else { throw HTTP2Failure.violation("CONTINUATION without HEADERS.") }
        try require(
            count + payload.count <= RequestParser.headLimit,
            or: .connection(.enhanceYourCalm, "A field block is too long."))
        fieldBlock?.bytes.append(contentsOf: payload)
        if header.has(MockHTTP2Frame.endHeaders) { try endFieldBlock() }
    }

    private func endFieldBlock() throws {
        guard let block = fieldBlock else { return }
        fieldBlock = nil
        // Decoded even if the stream is ignored, since all streams share the table.
        try takeFields(decoder.decode(block.bytes), on: block.stream, endsStream: block.endsStream)
    }

    static func withoutPadding(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        guard header.has(MockHTTP2Frame.isPadded) else { return payload }
        guard let padding = payload.first, Int(padding) < payload.count else {
            throw HTTP2Failure.violation("The padding is longer than the frame.")
        }
        return UnsafeRawBufferPointer(rebasing: payload[1..<(payload.count - Int(padding))])
    }
}

/// The bytes that begin an HTTP/2 connection (RFC 9113, section 3.4).
enum HTTP2Preface {
    static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Returns whether a client speaks HTTP/2, by the protocol that ALPN chose or by its first bytes, or nil if more are needed.
    static func isChosen(_ received: UnsafeRawBufferPointer, chosen: String?, _ versions: MockHTTPVersions) -> Bool? {
        switch (versions, chosen) {
        case (.http1Only, _), (.automatic, "http/1.1"): false
        case (.http2Only, _), (.automatic, "h2"): true
        case (.automatic, _) where !matches(received): false
        case (.automatic, _): received.count < bytes.count ? nil : true
        }
    }

    /// Whether these bytes are the preface, begin with it, or may become it.
    static func matches(_ received: UnsafeRawBufferPointer) -> Bool {
        received.elementsEqual(bytes.prefix(received.count)) || received.starts(with: bytes)
    }
}

/// The reason to refuse a frame of the client.
enum HTTP2Failure: Error {
    case connection(TransportError.HTTP2Code, String)
    case stream(UInt32, TransportError.HTTP2Code, String)

    static func violation(_ reason: String) -> HTTP2Failure { .connection(.protocolError, reason) }
}
