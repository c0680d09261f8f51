#if os(Linux)
    import CLibcurl
    import NetCore

    /// The frames that libnghttp2 received or sent. Its callbacks may end streams, but not receive, flush, or close the connection.
    extension HTTP2Connection {
        /// Consecutive DATA frames without a byte; frames without content in ten seconds.
        private static let emptyFrameLimit = 1000, idleFrameLimit = 10_000
        private static let idleFrameTime: Int64 = 10_000_000_000
        /// How long a body waits for `100 Continue`, in nanoseconds.
        private static let continueWait: Int64 = 1_000_000_000
        /// The largest window of a stream, and the most by which the windows of fast readers grow together.
        private static let largestWindow: Int32 = 8 << 20

        /// Returns the callbacks for libnghttp2, or nil without memory.
        static func makeCallbacks() -> OpaquePointer? {
            var callbacks: OpaquePointer?
            guard nc_h2_lib.session_callbacks_new(&callbacks) == 0, let callbacks else { return nil }
            nc_h2_lib.session_callbacks_set_on_frame_recv_callback(callbacks) { HTTP2Connection.of($2).received($1) }
            nc_h2_lib.session_callbacks_set_on_frame_send_callback(callbacks) { HTTP2Connection.of($2).sent($1) }
            nc_h2_lib.session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, connection in
                HTTP2Connection.of(connection).notSent(frame)
            }
            nc_h2_lib.session_callbacks_set_on_invalid_frame_recv_callback(callbacks) {
                HTTP2Connection.of($3).invalid($1, $2)
            }
            nc_h2_lib.session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
                HTTP2Connection.of($5).received(UnsafeRawBufferPointer(start: $3, count: $4), on: $2)
            }
            nc_h2_lib.session_callbacks_set_on_stream_close_callback(callbacks) {
                HTTP2Connection.of($3).closed($1, $2)
            }
            nc_h2_lib.session_callbacks_set_on_header_callback(callbacks) {
                HTTP2Connection.of($7).field(
                    $1.pointee.stream_id, UnsafeRawBufferPointer(start: $2, count: $3),
                    UnsafeRawBufferPointer(start: $4, count: $5))
            }
            return callbacks
        }

        private static func of(_ userData: UnsafeMutableRawPointer) -> HTTP2Connection {
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
            stream.isInHead = !stream.exchange.hasHead
            // `:status` is the only pseudo-field of responses.
            let isStatus = first == UInt8(ascii: ":")
            let start = block.count
            // Single bytes are faster than texts.
            if isStatus {
                block.append(contentsOf: "HTTP/2 ".utf8)
            } else {
                block.append(contentsOf: name)
                block.append(UInt8(ascii: ":"))
                block.append(UInt8(ascii: " "))
            }
            block.append(contentsOf: value)
            block.append(UInt8(ascii: "\r"))
            block.append(UInt8(ascii: "\n"))
            stream.headBytes += block.count - start
            let failure: HTTP2Failure
            if stream.headBytes > headLimit {
                failure = .headTooLarge
            } else if isStatus, !stream.begin(status: value) {
                failure = HTTP2Failure(
                    kind: .violation, code: .protocolError, message: "The status is not a number from 100 to 599.")
            } else {
                if !isStatus, stream.isInHead { stream.note(name, value) }
                return 0
            }
            finish(stream, failure, reset: Int(failure.code.rawValue))
            return Int32(NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE)
        }

        private func endOfHead(_ stream: HTTP2Stream, endsStream: Bool) {
            defer { if blockStream == stream.id { blockStream = 0 } }
            if stream.exchange.hasHead {
                stream.trailers = block.withUnsafeBytes {
                    HTTPHeaders(received: HeaderBlockParser.fieldLines(in: $0))
                }
                return
            }
            (stream.headBytes, stream.isInHead) = (stream.headBytes + 2, false)
            if stream.headBytes > headLimit { return finish(stream, .headTooLarge, reset: NC_H2_CANCEL) }
            if stream.status < 200 {
                if stream.status == 100 { stream.startBody() }
                return stream.exchange.touch(loop.now)
            }
            // The body goes after a response without an interim one too, unless that is a refusal.
            if stream.status < 300 { stream.startBody() } else { stream.continueDue = 0 }
            // A copy, so that the block keeps its memory.
            stream.receiveHead(block.withUnsafeBytes { Array($0) }, endsStream: endsStream)
            // A response without a body is complete, whatever the frame says.
            if !endsStream, stream.hasNoBody { finish(stream, nil, reset: NC_H2_CANCEL) }
        }

        // MARK: Bodies

        private func received(_ data: UnsafeRawBufferPointer, on id: Int32) -> Int32 {
            idleFrames = 0
            // Each stream's window holds the server back. The connection's window must not depend on one reader.
            _ = nc_h2_lib.session_consume_connection(http2, data.count)
            guard let stream = stream(id) else { return 0 }
            stream.receive(data)
            // A collected body goes to memory in any case, up to its limit.
            if !stream.exchange.streams { returnWindow(of: stream) }
            return 0
        }

        /// Lets the server send as many bytes again as were taken.
        ///
        /// A reader that keeps up with a whole window gets a larger one, so that a long round trip does not limit its speed. The growth of all
        /// streamed bodies together is limited, since any of their readers may stop.
        func returnWindow(of stream: HTTP2Stream) {
            guard stream.isOpen, stream.withheld > 0 else { return }
            _ = nc_h2_lib.session_consume_stream(http2, stream.id, stream.withheld)
            stream.withheld = 0
            guard stream.sinceGrowth > Int(streamWindow) else { return }
            let isStreamed = stream.exchange.streams
            let window = streamWindow + stream.grown
            var growth = Self.largestWindow - window
            if isStreamed {
                growth = Int32(
                    clamping: min(stream.sinceGrowth * 2 - Int(window), Int(growth), Int(Self.largestWindow - grown)))
            }
            if growth > 0, window < Self.largestWindow / 2,
                nc_h2_lib.session_set_local_window_size(http2, 0, stream.id, window + growth) == 0
            {
                stream.grown += growth
                if isStreamed { grown += growth }
            }
            stream.sinceGrowth = 0
        }

        /// Has a body that paused read again.
        func resumeBody(of stream: HTTP2Stream) {
            guard stream.isOpen, !stream.isBodyRead, !stream.awaitsContinue else { return }
            _ = nc_h2_lib.session_resume_data(http2, stream.id)
            noteOutput()
        }

        /// Reads bytes of a request's body for a DATA frame.
        static let readBody: nc_h2_read = { _, id, buffer, capacity, flags, _, userData in
            let connection = HTTP2Connection.of(userData)
            guard let stream = connection.stream(id) else { return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE }
            if stream.awaitsContinue { return NC_H2_ERR_DEFERRED }
            switch stream.readBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity)) {
            case .bytes(let count):
                if stream.isBodyRead { flags.pointee |= UInt32(NC_H2_DATA_FLAG_EOF) }
                return count
            case .pause: return NC_H2_ERR_DEFERRED
            case .end where stream.isBodyRead:
                flags.pointee |= UInt32(NC_H2_DATA_FLAG_EOF)
                return 0
            case .end, .failed:
                connection.finish(stream, HTTP2Failure(kind: .requestBody, code: .internalError))
                return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE
            }
        }

        // MARK: Frames

        /// Counts a frame without content: they cost time, and no server has a reason to send thousands.
        private func countIdleFrame(on stream: HTTP2Stream? = nil) {
            if loop.now - idleFramesSince > Self.idleFrameTime { (idleFramesSince, idleFrames) = (loop.now, 0) }
            idleFrames += 1
            stream?.emptyFrames += 1
            guard idleFrames > Self.idleFrameLimit || stream?.emptyFrames ?? 0 > Self.emptyFrameLimit else { return }
            guard ownCode == .noError else { return }
            terminate(.enhanceYourCalm, "The server sends too many frames without content.")
        }

        private func received(_ frame: UnsafePointer<nc_h2_hd>) -> Int32 {
            let head = frame.pointee, stream = stream(head.stream_id)
            switch Int(head.type) {
            case NC_H2_HEADERS:
                guard let stream else { return 0 }
                idleFrames = 0
                endOfHead(stream, endsStream: head.endsStream)
            case NC_H2_DATA:
                if !head.endsStream, head.length == 0 { countIdleFrame(on: stream) }
            case NC_H2_RST_STREAM:
                stream?.wasReset = true
                countIdleFrame()
            case NC_H2_GOAWAY: goAway(UnsafeRawPointer(frame).load(as: nc_h2_goaway.self))
            case NC_H2_SETTINGS where Int(head.flags) & NC_H2_FLAG_ACK == 0:
                let limit = nc_h2_lib.session_get_remote_settings(http2, Int32(NC_H2_SETTINGS_MAX_CONCURRENT_STREAMS))
                (isSettled, needsPoolUpdate, streamLimit) = (true, true, Int(Int32(clamping: limit)))
                countIdleFrame()
            default: countIdleFrame()
            }
            // The response is complete. If the request is not, the rest of it is not sent.
            if head.endsStream, let stream, stream.exchange.hasHead {
                finish(stream, nil, reset: stream.isBodyRead ? nil : NC_H2_CANCEL)
            }
            return 0
        }

        private func goAway(_ frame: nc_h2_goaway) {
            (isDraining, needsPoolUpdate, lastStream) = (true, true, frame.last_stream_id)
            peerCode = TransportError.HTTP2Code(rawValue: frame.error_code)
            // No new stream may begin, so a request that waits is never sent.
            for stream in streams where stream.id > lastStream || !stream.isSent {
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
            let failure = HTTP2Failure(
                kind: kind, code: TransportError.HTTP2Code(rawValue: code), message: stream.problem)
            finish(stream, isWhole ? nil : failure)
            return 0
        }

        private func sent(_ frame: UnsafePointer<nc_h2_hd>) -> Int32 {
            let head = frame.pointee
            switch Int(head.type) {
            case NC_H2_GOAWAY:
                // Our own: libnghttp2 found an error of the peer.
                (isDraining, needsPoolUpdate) = (true, true)
                guard ownCode == .noError else { break }
                let code = UnsafeRawPointer(frame).load(as: nc_h2_goaway.self).error_code
                ownCode = TransportError.HTTP2Code(rawValue: code)
            case NC_H2_DATA:
                guard let stream = stream(head.stream_id) else { break }
                idleFrames = 0
                stream.didSend(head.length, isLast: head.endsStream)
            case NC_H2_HEADERS:
                guard let stream = stream(head.stream_id) else { break }
                stream.isSent = true
                stream.exchange.times.sent = loop.now
                if stream.awaitsContinue {
                    stream.continueDue = loop.now + Self.continueWait
                    loop.noteDue(stream.continueDue)
                }
                stream.didSend(0, isLast: head.endsStream)
            default: break
            }
            return 0
        }

        private func notSent(_ frame: UnsafePointer<nc_h2_hd>) -> Int32 {
            // libnghttp2 does not know the user data of a request that was never sent.
            guard Int(frame.pointee.type) == NC_H2_HEADERS else { return 0 }
            for stream in streams where stream.id == frame.pointee.stream_id && !stream.isSent {
                finish(stream, HTTP2Failure(kind: .unprocessed))
            }
            return 0
        }
    }

    extension nc_h2_hd {
        fileprivate var endsStream: Bool {
            let hasEnd = Int(type) == NC_H2_DATA || Int(type) == NC_H2_HEADERS
            return hasEnd && Int(flags) & NC_H2_FLAG_END_STREAM != 0
        }
    }
#endif
