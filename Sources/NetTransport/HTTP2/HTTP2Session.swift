#if os(Linux)
    import CLibcurl

    /// The client's side of an HTTP/2 connection (RFC 9113), by libnghttp2. It has no socket: it takes the bytes that the connection
    /// receives, and gives those to send. It is used by one thread.
    ///
    /// A turn of its connection calls `receive(_:now:)`, then `flush(now:_:)`, again when the socket can be written if that returned false, and
    /// then `close(now:_:)` if ``isOver``.
    ///
    /// Other calls make output too. If sending fails, receive first: a server that closes the connection sends the reason.
    final class HTTP2Session {
        private static let connectionWindow: Int32 = 16 << 20, largestRequestHead = 16 << 20
        /// The size of a write, about; and the most that is kept for the next, or for the next head.
        static let writeSize = 64 * 1024, keptSize = 16 * 1024

        /// Why HTTP/2 is unavailable; nil if it is available.
        static let problem: String? = nc_h2_load().map { String(cString: $0) }

        let streamWindow: Int32, headLimit: Int
        let http2: OpaquePointer
        /// The clock of the last call, in nanoseconds.
        var now: Int64
        /// The streams that have not ended, their number, and the number of all.
        unowned(unsafe) var streams: HTTP2Stream?
        var streamCount = 0, exchangeCount = 0
        /// When the last stream ended.
        var idleSince: Int64
        /// Whether the server's settings were received, and how many streams they allow at the same time.
        var isSettled = false, streamLimit = 100
        /// Whether the connection accepts no more streams.
        var isDraining = false
        /// Set when the server's settings are received or no more streams are accepted. The connection clears it.
        var hasNews = false
        /// The server's GOAWAY, and the code of our own.
        var lastStream = Int32.max, peerCode: UInt32 = 0, ownCode: UInt32 = 0
        /// What libnghttp2 says of an invalid frame of the connection.
        var problem = ""
        private var isLost = false, lostErrno: Int32 = 0, lostMessage = ""
        /// The growth of all streams' windows for fast readers.
        var grown: Int32 = 0
        /// The frames since the last one with data or a head, and when counting them began.
        var idleFrames = 0, idleFramesSince: Int64
        /// When ``fire(now:)`` has to be called, or earlier; `Int64.max` for never.
        var nextDue = Int64.max
        /// The field section that is being received, as lines, and its stream.
        var block: [UInt8] = [], blockStream: Int32 = 0
        private var out: [UInt8] = [], outOffset = 0
        /// How many of the first bytes are those of `HTTP/`; -1 if another one was received.
        private var http1Bytes = 0

        /// Begins a connection: the preface and SETTINGS are in the output. Returns nil if HTTP/2 is unavailable, or without memory.
        ///
        /// - Parameters:
        ///   - streamWindow: the window of a stream at first: the bytes that the server sends before the reader takes some.
        ///   - headLimit: the most bytes of a response's heads and trailers, as lines of HTTP/1.1.
        init?(streamWindow: Int32, headLimit: Int, now: Int64) {
            guard Self.problem == nil, let http2 = Self.makeSession(headLimit: headLimit) else { return nil }
            (self.http2, self.streamWindow, self.headLimit) = (http2, streamWindow, headLimit)
            (self.now, idleSince, idleFramesSince) = (now, now, now)
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
            while let stream = streams { remove(stream) }
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

        // MARK: Bytes

        /// Takes bytes of the connection. The streams receive what is in them.
        func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) {
            self.now = now
            guard !isLost, ownCode == 0, let start = bytes.baseAddress else { return }
            if http1Bytes >= 0, isHTTP1(bytes) {
                return terminate(NC_H2_PROTOCOL_ERROR, "The server answers with HTTP/1.")
            }
            let taken = nc_h2_lib.session_mem_recv(http2, start.assumingMemoryBound(to: UInt8.self), bytes.count)
            guard taken < 0 else { return }
            let code =
                switch taken {
                case NC_H2_ERR_NOMEM: NC_H2_INTERNAL_ERROR
                case NC_H2_ERR_FLOODED, NC_H2_ERR_TOO_MANY_CONTINUATIONS: NC_H2_ENHANCE_YOUR_CALM
                default: NC_H2_PROTOCOL_ERROR
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

        /// Ends the connection with a GOAWAY of our own.
        func terminate(_ code: Int, _ message: String) {
            if problem.isEmpty { problem = message }
            (ownCode, isDraining, hasNews) = (UInt32(code), true, true)
            _ = nc_h2_lib.session_terminate_session(http2, ownCode)
        }

        /// Has the server answer. Returns false without memory.
        func ping() -> Bool { nc_h2_lib.submit_ping(http2, 0, nil) == 0 }

        /// Sends the output. `write` returns how many bytes it took; the call ends if they are not all, and returns false.
        @discardableResult
        func flush(now: Int64, _ write: (UnsafeRawBufferPointer) -> Int) -> Bool {
            self.now = now
            while !isLost {
                if outOffset == out.count, !gather() { return true }
                // `write` may call `connectionLost`.
                let bytes = out
                let count = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[outOffset...])) }
                outOffset = min(out.count, outOffset + max(0, count))
                if outOffset < out.count { return false }
            }
            return true
        }

        /// Collects frames for one write. Returns false if there are none.
        private func gather() -> Bool {
            out.removeAll(keepingCapacity: streamCount > 0 || out.capacity < Self.keptSize)
            outOffset = 0
            var bytes: UnsafePointer<UInt8>?
            while out.count < Self.writeSize, case let count = nc_h2_lib.session_mem_send(http2, &bytes), count > 0 {
                out.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            }
            return !out.isEmpty
        }

        // MARK: The end

        /// The connection has ended, with `errno` and a message for its streams, which end.
        func connectionLost(errno: Int32, message: String, now: Int64) {
            (self.now, isLost, isDraining, hasNews, lostErrno, lostMessage) = (now, true, true, true, errno, message)
            (out, outOffset) = ([], 0)
            while let stream = streams { end(stream) }
        }

        /// Whether the connection must be closed: it broke, or has no use. A session without streams is not kept idle without the server's
        /// settings, since other requests would wait for them.
        var isOver: Bool {
            if isLost || ownCode != 0 || streamCount > 0 { return isLost || ownCode != 0 }
            if isDraining || !isSettled { return true }
            return nc_h2_lib.session_want_read(http2) == 0 && nc_h2_lib.session_want_write(http2) == 0
        }

        /// Ends all streams, and sends a last GOAWAY as far as `write` takes it.
        func close(now: Int64, _ write: (UnsafeRawBufferPointer) -> Int) {
            (self.now, isDraining) = (now, true)
            while let stream = streams { end(stream) }
            if !isLost, ownCode == 0 { _ = nc_h2_lib.session_terminate_session(http2, UInt32(NC_H2_NO_ERROR)) }
            flush(now: now, write)
        }

        /// Ends a stream with its connection.
        private func end(_ stream: HTTP2Stream) {
            if stream.isWhole { return finish(stream, nil) }
            let isProcessed = stream.isSent && stream.id <= lastStream
            if isProcessed, ownCode != 0 {
                let message = stream.problem.isEmpty ? problem : stream.problem
                return finish(stream, HTTP2Failure(kind: .violation, code: ownCode, message: message))
            }
            let kind = isProcessed ? HTTP2Failure.Kind.closed : .unprocessed
            finish(stream, HTTP2Failure(kind: kind, code: peerCode, errno: lostErrno, message: lostMessage))
        }
    }
#endif
