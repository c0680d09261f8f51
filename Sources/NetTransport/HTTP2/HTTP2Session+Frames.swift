#if os(Linux)
    import CLibcurl

    /// The frames that libnghttp2 received or sent.
    extension HTTP2Session {
        private static let headTooLarge = HTTP2Failure(kind: .headTooLarge, code: UInt32(NC_H2_CANCEL))
        /// Consecutive DATA frames without a byte; frames without content in ten seconds.
        private static let emptyFrameLimit = 1000, idleFrameLimit = 10_000
        private static let idleFrameTime: Int64 = 10_000_000_000
        /// How long a body waits for `100 Continue`, in nanoseconds.
        private static let continueWait: Int64 = 1_000_000_000

        /// Returns the callbacks for libnghttp2, or nil without memory.
        static func makeCallbacks() -> OpaquePointer? {
            var callbacks: OpaquePointer?
            guard nc_h2_lib.session_callbacks_new(&callbacks) == 0, let callbacks else { return nil }
            nc_h2_lib.session_callbacks_set_on_frame_recv_callback(callbacks) { HTTP2Session.of($2).received($1) }
            nc_h2_lib.session_callbacks_set_on_frame_send_callback(callbacks) { HTTP2Session.of($2).sent($1) }
            nc_h2_lib.session_callbacks_set_on_frame_not_send_callback(callbacks) { HTTP2Session.of($3).notSent($1) }
            nc_h2_lib.session_callbacks_set_on_invalid_frame_recv_callback(callbacks) {
                HTTP2Session.of($3).invalid($1, $2)
            }
            nc_h2_lib.session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
                HTTP2Session.of($5).received(UnsafeRawBufferPointer(start: $3, count: $4), on: $2)
            }
            nc_h2_lib.session_callbacks_set_on_stream_close_callback(callbacks) { HTTP2Session.of($3).closed($1, $2) }
            nc_h2_lib.session_callbacks_set_on_header_callback(callbacks) {
                HTTP2Session.of($7).field(
                    $1.pointee.stream_id, UnsafeRawBufferPointer(start: $2, count: $3),
                    UnsafeRawBufferPointer(start: $4, count: $5))
            }
            return callbacks
        }

        private static func of(_ userData: UnsafeMutableRawPointer) -> HTTP2Session {
            Unmanaged.fromOpaque(userData).takeUnretainedValue()
        }

        private func stream(_ id: Int32) -> HTTP2Stream? {
            guard id != 0, let userData = nc_h2_lib.session_get_stream_user_data(http2, id) else { return nil }
            return Unmanaged.fromOpaque(userData).takeUnretainedValue()
        }

        // MARK: Heads

        /// Adds a field to the head or the trailers, as a line of HTTP/1.1.
        private func field(_ id: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Int32 {
            guard let stream = stream(id), let first = name.first else { return 0 }
            if blockStream != id {
                block.removeAll(keepingCapacity: block.capacity < Self.keptSize)
                blockStream = id
            }
            stream.lastActivity = now
            if stream.firstByteAt == 0 { stream.firstByteAt = now }
            stream.isInHead = !stream.hasHead
            // `:status` is the only pseudo-field of responses.
            let isStatus = first == UInt8(ascii: ":")
            stream.headBytes += Self.append(isStatus ? nil : name, value, to: &block)
            var failure: HTTP2Failure?
            if isStatus {
                (stream.status, stream.contentLength) = (value.count == 3 ? Int(Self.number(value)) : 0, -1)
                if !(100...599 ~= stream.status) {
                    let message = "The status is not a number from 100 to 599."
                    failure = HTTP2Failure(kind: .violation, code: UInt32(NC_H2_PROTOCOL_ERROR), message: message)
                }
            } else if name.count == 14, !stream.hasHead, name.elementsEqual("content-length".utf8) {
                // libnghttp2 refuses a second length, and one that is not a number.
                stream.contentLength = Self.number(value)
            }
            if stream.headBytes > headLimit { failure = Self.headTooLarge }
            guard let failure else { return 0 }
            finish(stream, failure, reset: Int(failure.code))
            return Int32(NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE)
        }

        /// Appends a line, or a status line if there is no name. Returns its length.
        private static func append(
            _ name: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer, to block: inout [UInt8]
        ) -> Int {
            let start = block.count
            // Single bytes are faster than texts.
            if let name {
                block.append(contentsOf: name)
                block.append(UInt8(ascii: ":"))
                block.append(UInt8(ascii: " "))
            } else {
                block.append(contentsOf: "HTTP/2 ".utf8)
            }
            block.append(contentsOf: value)
            block.append(UInt8(ascii: "\r"))
            block.append(UInt8(ascii: "\n"))
            return block.count - start
        }

        /// Returns -1 if the text is not a number.
        private static func number(_ text: UnsafeRawBufferPointer) -> Int64 {
            var number: Int64 = text.isEmpty ? -1 : 0
            for byte in text {
                guard byte &- 0x30 < 10, number <= Int64.max / 10 - 1 else { return -1 }
                number = number * 10 + Int64(byte - 0x30)
            }
            return number
        }

        private func endOfHead(_ stream: HTTP2Stream, endsStream: Bool) {
            let lines = block
            defer { if blockStream == stream.id { blockStream = 0 } }
            if stream.hasHead { return lines.withUnsafeBytes(stream.didReceiveTrailers) }
            (stream.headBytes, stream.isInHead) = (stream.headBytes + 2, false)
            if stream.headBytes > headLimit { return finish(stream, Self.headTooLarge, reset: NC_H2_CANCEL) }
            let status = stream.status
            if status < 200 {
                if status == 100 { letBodyGo(stream) }
                return stream.didReceiveInterim(status: status)
            }
            stream.hasHead = true
            stream.hasNoBody = stream.isHEAD || status == 204 || status == 205 || status == 304
            // The body goes after a response without an interim one too, unless that is a refusal.
            if status < 300 { letBodyGo(stream) } else { stream.continueDue = 0 }
            lines.withUnsafeBytes {
                stream.didReceiveHead(
                    $0, status: status, contentLength: stream.contentLength, hasBody: !stream.hasNoBody && !endsStream)
            }
            // A response without a body is complete, whatever the frame says.
            if !endsStream, stream.hasNoBody { finish(stream, nil, reset: NC_H2_CANCEL) }
        }

        // MARK: Bodies

        private func received(_ data: UnsafeRawBufferPointer, on id: Int32) -> Int32 {
            idleFrames = 0
            // Each stream's window holds the server back. The connection's window must not depend on one reader.
            _ = nc_h2_lib.session_consume_connection(http2, data.count)
            guard let stream = stream(id) else { return 0 }
            (stream.emptyFrames, stream.lastActivity) = (0, now)
            stream.receivedBytes += Int64(data.count)
            stream.sinceGrowth += data.count
            stream.unconsumed += data.count
            stream.didReceive(data)
            guard stream.isCollected, stream.session != nil else { return 0 }
            // A collected body goes to memory in any case, up to its limit.
            stream.unconsumed = 0
            _ = nc_h2_lib.session_consume_stream(http2, id, data.count)
            if stream.sinceGrowth > Int(streamWindow),
                nc_h2_lib.session_get_stream_local_window_size(http2, id) < Self.largestWindow / 2
            {
                _ = nc_h2_lib.session_set_local_window_size(http2, 0, id, Self.largestWindow)
                stream.sinceGrowth = 0
            }
            return 0
        }

        /// Reads bytes of a request's body for a DATA frame.
        static let readBody: nc_h2_read = { _, id, buffer, capacity, flags, _, userData in
            guard let stream = HTTP2Session.of(userData).stream(id) else { return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE }
            if stream.awaitsContinue { return NC_H2_ERR_DEFERRED }
            // The length that is left, if it is known.
            var rest = Int64.max
            if case .length(let length) = stream.body { rest = length - stream.sentBytes }
            let most = Int(min(Int64(capacity), rest))
            var (count, isLast) = (-1, false)
            switch stream.readBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: most)) {
            case .bytes(let bytes): count = bytes > 0 ? bytes : -1
            case .last(let bytes): (count, isLast) = (bytes, true)
            case .pause: return NC_H2_ERR_DEFERRED
            case .failed: break
            }
            guard stream.session != nil else { return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE }
            let isShort = isLast && rest != .max && count != rest
            guard 0...most ~= count, !isShort else {
                HTTP2Session.of(userData).finish(
                    stream, HTTP2Failure(kind: .requestBody, code: UInt32(NC_H2_INTERNAL_ERROR)))
                return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE
            }
            stream.sentBytes += Int64(count)
            if isLast || count == rest {
                stream.isBodyRead = true
                flags.pointee |= UInt32(NC_H2_DATA_FLAG_EOF)
            }
            return count
        }

        // MARK: Frames

        /// Counts a frame without content: they cost time, and no server has a reason to send thousands.
        private func countIdleFrame(on stream: HTTP2Stream? = nil) {
            if now - idleFramesSince > Self.idleFrameTime { (idleFramesSince, idleFrames) = (now, 0) }
            idleFrames += 1
            stream?.emptyFrames += 1
            guard idleFrames > Self.idleFrameLimit || stream?.emptyFrames ?? 0 > Self.emptyFrameLimit else { return }
            if ownCode == 0 { terminate(NC_H2_ENHANCE_YOUR_CALM, "The server sends too many frames without content.") }
        }

        private func received(_ frame: UnsafePointer<nc_h2_hd>) -> Int32 {
            let head = frame.pointee, stream = stream(head.stream_id), endsStream = Self.endsStream(head)
            switch Int(head.type) {
            case NC_H2_HEADERS:
                guard let stream else { return 0 }
                idleFrames = 0
                endOfHead(stream, endsStream: endsStream)
            case NC_H2_DATA:
                if !endsStream, head.length == 0 { countIdleFrame(on: stream) }
            case NC_H2_RST_STREAM:
                stream?.wasReset = true
                countIdleFrame()
            case NC_H2_GOAWAY: goAway(UnsafeRawPointer(frame).load(as: nc_h2_goaway.self))
            case NC_H2_SETTINGS where Int(head.flags) & NC_H2_FLAG_ACK == 0:
                let limit = nc_h2_lib.session_get_remote_settings(http2, Int32(NC_H2_SETTINGS_MAX_CONCURRENT_STREAMS))
                (isSettled, hasNews, streamLimit) = (true, true, Int(Int32(clamping: limit)))
                countIdleFrame()
            default: countIdleFrame()
            }
            // The response is complete. If the request is not, the rest of it is not sent.
            if endsStream, let stream, stream.hasHead {
                finish(stream, nil, reset: stream.isBodyRead ? nil : NC_H2_CANCEL)
            }
            return 0
        }

        private static func endsStream(_ frame: nc_h2_hd) -> Bool {
            let hasEnd = Int(frame.type) == NC_H2_DATA || Int(frame.type) == NC_H2_HEADERS
            return hasEnd && Int(frame.flags) & NC_H2_FLAG_END_STREAM != 0
        }

        private func goAway(_ frame: nc_h2_goaway) {
            (isDraining, hasNews, lastStream, peerCode) = (true, true, frame.last_stream_id, frame.error_code)
            // No new stream may begin, so a request that waits is never sent.
            for stream in allStreams where stream.id > lastStream || !stream.isSent {
                finish(stream, HTTP2Failure(kind: .unprocessed, code: peerCode))
            }
        }

        private func invalid(_ frame: UnsafePointer<nc_h2_hd>, _ error: Int32) -> Int32 {
            let text = String(cString: nc_h2_lib.strerror(error))
            if let stream = stream(frame.pointee.stream_id) { stream.problem = text } else { problem = text }
            return 0
        }

        private func closed(_ id: Int32, _ code: UInt32) -> Int32 {
            guard let stream = stream(id) else { return 0 }
            let isWhole = stream.wasReset && stream.isWhole
            let kind: HTTP2Failure.Kind = stream.wasReset ? .reset : id > lastStream ? .unprocessed : .violation
            finish(stream, isWhole ? nil : HTTP2Failure(kind: kind, code: code, message: stream.problem))
            return 0
        }

        private func sent(_ frame: UnsafePointer<nc_h2_hd>) -> Int32 {
            let head = frame.pointee
            if Int(head.type) == NC_H2_GOAWAY {
                // Our own: libnghttp2 found an error of the peer.
                let code = UnsafeRawPointer(frame).load(as: nc_h2_goaway.self).error_code
                (isDraining, hasNews, ownCode) = (true, true, ownCode == 0 ? code : ownCode)
            } else if Int(head.type) == NC_H2_DATA, let stream = stream(head.stream_id) {
                (idleFrames, stream.lastActivity) = (0, now)
                stream.didSendBody(head.length, isLast: Self.endsStream(head))
            } else if Int(head.type) == NC_H2_HEADERS, let stream = stream(head.stream_id) {
                (stream.lastActivity, stream.sentAt, stream.isSent) = (now, now, true)
                if stream.awaitsContinue {
                    stream.continueDue = now + Self.continueWait
                    nextDue = min(nextDue, stream.continueDue)
                }
                stream.didSendHead(isLast: Self.endsStream(head))
            }
            return 0
        }

        private func notSent(_ frame: UnsafePointer<nc_h2_hd>) -> Int32 {
            // libnghttp2 does not know the user data of a request that was never sent.
            guard Int(frame.pointee.type) == NC_H2_HEADERS else { return 0 }
            for stream in allStreams where stream.id == frame.pointee.stream_id && !stream.isSent {
                finish(stream, HTTP2Failure(kind: .unprocessed))
            }
            return 0
        }
    }
#endif
