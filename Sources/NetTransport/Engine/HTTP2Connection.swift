#if os(Linux)
    import CLibcurl
    import NetCore

    /// HTTP/2 over a connection: many exchanges at once (RFC 9113). libnghttp2 reads and writes the frames.
    ///
    /// A turn receives, and then sends what libnghttp2 and the streams have made. Other calls make output too, and have the connection served
    /// in the next turn.
    final class HTTP2Connection: Connection.Handler {
        private static let connectionWindow: Int32 = 16 << 20, largestRequestHead = 16 << 20
        /// The size of a write, about; and the most that is kept for the next, or for the next head.
        static let writeSize = 64 * 1024, keptSize = 16 * 1024
        /// How long a server may be silent before it is asked, and how long it has to answer, in nanoseconds.
        private static let silence: Int64 = 1_000_000_000, answerTime: Int64 = 5_000_000_000

        /// Why HTTP/2 is unavailable; nil if it is available.
        static let unavailableReason: String? = nc_h2_load().map { String(cString: $0) }

        let connection: Connection
        let http2: OpaquePointer
        /// The first window of a stream: the bytes that a server may send ahead of its reader.
        let streamWindow: Int32
        /// The most bytes of a response's heads and trailers, as lines of HTTP/1.1.
        let headLimit: Int
        /// The streams that have not ended.
        var streams: [HTTP2Stream] = []
        private(set) var hasCarried = false
        /// The streams that have received something in this turn.
        var touched: [HTTP2Stream] = []
        /// Whether the server's settings were received, and how many streams they allow at the same time.
        var isSettled = false, streamLimit = 100
        /// Whether the connection accepts no more streams.
        var isDraining = false
        /// Whether the pool is to be told of the server's settings, or that no more streams are accepted.
        var needsPoolUpdate = false
        /// The server's GOAWAY, and the code of our own.
        var lastStream = Int32.max
        var peerCode = TransportError.HTTP2Code.noError, ownCode = TransportError.HTTP2Code.noError
        /// What libnghttp2 says of an invalid frame of the connection.
        var problem = ""
        /// The growth of the windows of all streams whose bodies are streamed.
        var grown: Int32 = 0
        /// The frames since the last one with data or a head, and when counting them began.
        var idleFrames = 0, idleFramesSince: Int64 = 0
        /// The field section that is being received, as lines, and its stream.
        var block: [UInt8] = [], blockStream: Int32 = 0
        private var out: [UInt8] = [], outOffset = 0
        /// How many of the first bytes are those of `HTTP/`; -1 if another one was received.
        private var http1Bytes = 0
        /// When bytes were received last.
        private var lastReceived: Int64
        /// When a server that was sent a PING counts as lost; 0 if none is unanswered. New requests go elsewhere meanwhile.
        private var pongDue: Int64 = 0

        /// Begins a connection: the preface and SETTINGS are in the output. Returns nil if HTTP/2 is unavailable, or without memory.
        init?(_ connection: Connection) {
            let settings = connection.engine.settings
            headLimit = settings.headerBytes
            guard Self.unavailableReason == nil, let http2 = Self.makeSession(headLimit: headLimit) else { return nil }
            self.connection = connection
            self.http2 = http2
            // Enough for a reader that reports half of its bytes late.
            streamWindow = Int32(clamping: max(64 * 1024, settings.streamBufferBytes * 4))
            lastReceived = connection.loop.now
            nc_h2_lib.session_set_user_data(http2, Unmanaged.passUnretained(self).toOpaque())
            let values = [
                (NC_H2_SETTINGS_ENABLE_PUSH, 0),
                (NC_H2_SETTINGS_INITIAL_WINDOW_SIZE, UInt32(clamping: streamWindow)),
                (NC_H2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(clamping: headLimit)),
            ].map { nc_h2_setting(settings_id: Int32($0.0), value: $0.1) }
            guard nc_h2_lib.submit_settings(http2, 0, values, values.count) == 0,
                nc_h2_lib.session_set_local_window_size(http2, 0, 0, Self.connectionWindow) == 0
            else { return nil }
        }

        deinit {
            nc_h2_lib.session_del(http2)
        }

        private static func makeSession(headLimit: Int) -> OpaquePointer? {
            var option: OpaquePointer?
            var http2: OpaquePointer?
            guard let callbacks = makeCallbacks() else { return nil }
            defer { nc_h2_lib.session_callbacks_del(callbacks) }
            guard nc_h2_lib.option_new(&option) == 0, let option else { return nil }
            defer { nc_h2_lib.option_del(option) }
            nc_h2_lib.option_set_no_auto_window_update(option, 1)
            // A head within its limit may consist of frames of a few kilobytes.
            nc_h2_lib.option_set_max_continuations?(option, max(0, headLimit) / 4096 + 8)
            // The server decides how large a request's head may be. libnghttp2's own limit is 64 KB.
            nc_h2_lib.option_set_max_send_header_block_length?(option, largestRequestHead)
            return nc_h2_lib.session_client_new2(&http2, callbacks, nil, option) == 0 ? http2 : nil
        }

        var loop: EventLoop { connection.loop }

        // MARK: Exchanges

        /// Sends an exchange, at the end of the turn. If its server allows no more streams at the moment, it waits.
        func carry(_ exchange: HTTPExchange) {
            exchange.isReused = hasCarried
            // After an idle time: if the server has closed the connection, it is noticed before the request is sent.
            if streams.isEmpty, connection.mayRead, hasCarried { receive() }
            guard connection.isOpen, let stream = submit(exchange) else {
                if connection.isOpen {
                    updatePool()
                    loop.noteBusy(connection)
                }
                return exchange.startAgain(on: loop)
            }
            exchange.carrier = stream
            connection.idleSince = 0
            exchange.phase = .sending
            exchange.touch(loop.now)
            exchange.noteDue(on: loop)
            loop.noteBusy(connection)
        }

        /// Returns nil if the connection accepts no more streams.
        private func submit(_ exchange: HTTPExchange) -> HTTP2Stream? {
            guard !isDraining else { return nil }
            let stream = HTTP2Stream(exchange, over: self)
            let userData = Unmanaged.passUnretained(stream).toOpaque()
            stream.id = HTTP2Head(exchange.request).withFields { fields, count in
                withUnsafePointer(to: nc_h2_provider(source: nc_h2_source(), read_callback: Self.readBody)) {
                    nc_h2_lib.submit_request(http2, nil, fields, count, stream.isBodyRead ? nil : $0, userData)
                }
            }
            guard stream.id >= 0 else {
                (isDraining, needsPoolUpdate) = (true, true)
                return nil
            }
            streams.enlist(stream)
            hasCarried = true
            return stream
        }

        private func deliver() {
            guard !touched.isEmpty else { return }
            let current = touched
            touched.removeAll(keepingCapacity: true)
            for stream in current { stream.deliver() }
        }

        /// Has the connection served in the next turn: there is output.
        func noteOutput() {
            loop.noteBusy(connection)
        }

        /// Gives up a stream whose exchange has ended.
        ///
        /// - Parameter silence: how long it has waited for the server.
        func cancel(_ stream: HTTP2Stream, silence: Int64) {
            noteOutput()
            guard remove(stream) else { return }
            reset(stream, NC_H2_CANCEL)
            if silence >= Self.silence, loop.now - lastReceived >= silence { sendPing() }
        }

        /// Removes a stream. Returns false if it has ended.
        private func remove(_ stream: HTTP2Stream) -> Bool {
            guard streams.delist(stream) else { return false }
            _ = nc_h2_lib.session_set_stream_user_data(http2, stream.id, nil)
            if stream.exchange.streams { grown -= stream.grown }
            return true
        }

        private func reset(_ stream: HTTP2Stream, _ code: Int) {
            _ = nc_h2_lib.submit_rst_stream(http2, 0, stream.id, UInt32(code))
        }

        /// Ends a stream; without a failure, its response is whole. With a code, resets it.
        func finish(_ stream: HTTP2Stream, _ failure: HTTP2Failure?, reset code: Int? = nil) {
            guard remove(stream) else { return }
            if let code { reset(stream, code) }
            stream.ended(failure)
        }

        // MARK: Bytes

        func read(_ connection: Connection) {
            receive()
            flush()
        }

        func write(_ connection: Connection) {
            flush()
        }

        /// Returns whether it left bytes for the next turn.
        @discardableResult
        private func receive() -> Bool {
            var total = 0
            receiving: while connection.isOpen {
                guard total < EventLoop.bytesPerTurn else {
                    loop.noteBusy(connection)
                    deliver()
                    return true
                }
                switch connection.receive(into: loop.buffer) {
                case .none: break receiving
                case .bytes(let count):
                    total += count
                    noteReceived()
                    parse(UnsafeRawBufferPointer(rebasing: loop.buffer[..<count]))
                case .end(let end):
                    deliver()
                    lost(end)
                    return false
                }
            }
            deliver()
            return false
        }

        private func parse(_ bytes: UnsafeRawBufferPointer) {
            guard ownCode == .noError, let start = bytes.baseAddress else { return }
            if http1Bytes >= 0, isHTTP1(bytes) {
                return terminate(.protocolError, "The server answers with HTTP/1.")
            }
            let taken = nc_h2_lib.session_mem_recv(http2, start.assumingMemoryBound(to: UInt8.self), bytes.count)
            guard taken < 0 else { return }
            let code: TransportError.HTTP2Code =
                switch taken {
                case NC_H2_ERR_NOMEM: .internalError
                case NC_H2_ERR_FLOODED, NC_H2_ERR_TOO_MANY_CONTINUATIONS: .enhanceYourCalm
                default: .protocolError
                }
            terminate(code, String(cString: nc_h2_lib.strerror(Int32(truncatingIfNeeded: taken))))
        }

        /// Otherwise libnghttp2 waits for the rest of a frame of that size, and the end of the connection hides the reason.
        private func isHTTP1(_ bytes: UnsafeRawBufferPointer) -> Bool {
            for (byte, expected) in zip(bytes, "HTTP/".utf8.dropFirst(http1Bytes)) where http1Bytes >= 0 {
                http1Bytes = byte == expected ? http1Bytes + 1 : -1
            }
            return http1Bytes == 5
        }

        /// Sends what there is to send, tells the pool what has changed, and closes the connection if it is over.
        private func flush() {
            // Receiving may have closed it.
            guard connection.isOpen else { return }
            if let end = send() {
                // A server that closes the connection sends the reason first.
                repeat { connection.expectMore() } while receive()
                return lost(end)
            }
            guard connection.isOpen else { return }
            if streams.isEmpty, connection.idleSince == 0 {
                connection.idleSince = loop.now
                loop.noteDue(loop.now + EventLoop.sweepInterval)
            }
            updatePool()
            if isOver {
                connection.engine.pool.remove(connection)
                connection.retire()
            }
        }

        /// Sends the output as far as the system takes it. Returns the end of the connection, if that ended it.
        func send() -> Connection.End? {
            while outOffset < out.count || gather() {
                let sent = out.withUnsafeBytes {
                    connection.send(UnsafeRawBufferPointer(rebasing: $0[outOffset...]))
                }
                switch sent {
                case .none: return nil
                case .bytes(let count): outOffset += count
                case .end(let end): return end
                }
            }
            return nil
        }

        /// Collects frames for one write. Returns false if there are none.
        private func gather() -> Bool {
            out.removeAll(keepingCapacity: !streams.isEmpty || out.capacity < Self.keptSize)
            outOffset = 0
            var bytes: UnsafePointer<UInt8>?
            while out.count < Self.writeSize, case let count = nc_h2_lib.session_mem_send(http2, &bytes), count > 0 {
                out.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            }
            return !out.isEmpty
        }

        private func updatePool() {
            guard needsPoolUpdate else { return }
            needsPoolUpdate = false
            if isSettled, streamLimit == 0 {
                // It may stay so forever.
                let message = "The server allows no stream at all (SETTINGS_MAX_CONCURRENT_STREAMS is 0)."
                for stream in streams where !stream.isSent {
                    finish(stream, HTTP2Failure(kind: .unprocessed, message: message), reset: NC_H2_CANCEL)
                }
            }
            let isOut = isDraining || pongDue > 0
            let capacity = isOut ? 0 : isSettled ? max(1, streamLimit) : 1
            connection.engine.begin(connection.engine.pool.update(connection, capacity: capacity))
        }

        // MARK: A silent server

        /// Asks a silent server whether it is there (RFC 9113, section 6.7): a path that is lost tells nothing else.
        private func sendPing() {
            guard pongDue == 0, !isDraining, nc_h2_lib.submit_ping(http2, 0, nil) == 0 else { return }
            pongDue = loop.now + Self.answerTime
            loop.noteDue(pongDue)
            needsPoolUpdate = true
            // At once: the caller that is about to be told may send its next request.
            updatePool()
        }

        private func noteReceived() {
            lastReceived = loop.now
            guard pongDue > 0 else { return }
            pongDue = 0
            needsPoolUpdate = true
        }

        func checkTime(_ connection: Connection) {
            if pongDue > 0 {
                guard loop.now < pongDue else { return lost(Connection.End(errno: ETIMEDOUT)) }
                loop.noteDue(pongDue)
            }
            for stream in streams where stream.continueDue > 0 {
                // The server ignores `Expect`.
                if loop.now >= stream.continueDue { stream.startBody() } else { loop.noteDue(stream.continueDue) }
            }
        }
    }
#endif
