#if os(Linux)
    import CLibcurl

    /// Requests: how they begin, how much of their bodies moves, and how they end.
    extension HTTP2Session {
        /// The largest window of a stream, and the most by which the windows of fast readers grow together.
        static let largestWindow: Int32 = 8 << 20

        /// How many more streams can begin now; 0 also if the connection accepts no more. Before the server's settings, it is one stream.
        var room: Int { isDraining ? 0 : max(0, (isSettled ? streamLimit : 1) - streamCount) }

        /// Sends a request, whether there is room or not: the stream then waits. Returns false if the connection accepts no more.
        ///
        /// After an idle time, receive first: a server that has closed the connection is noticed before the request is sent.
        func submit(_ stream: HTTP2Stream, _ request: HTTP2Request, now: Int64) -> Bool {
            self.now = now
            guard !isDraining, stream.session == nil else { return false }
            let userData = Unmanaged.passUnretained(stream).toOpaque()
            let hasBody = request.hasBody
            let id = request.withFields { fields, count in
                withUnsafePointer(to: nc_h2_provider(source: nc_h2_source(), read_callback: Self.readBody)) {
                    nc_h2_lib.submit_request(http2, nil, fields, count, hasBody ? $0 : nil, userData)
                }
            }
            guard id >= 0 else {
                (isDraining, hasNews) = (true, true)
                return false
            }
            (stream.id, stream.session, stream.lastActivity) = (id, self, now)
            (stream.body, stream.isBodyRead, stream.isHEAD) = (request.body, !hasBody, request.isHEAD)
            stream.awaitsContinue = request.expectsContinue
            _ = Unmanaged.passRetained(stream)
            stream.next = streams
            streams?.previous = stream
            (streams, streamCount, exchangeCount) = (stream, streamCount + 1, exchangeCount + 1)
            return true
        }

        /// Has the session read more of a body that paused.
        func resumeBody(of stream: HTTP2Stream) {
            guard stream.session === self, !stream.isBodyRead, !stream.awaitsContinue else { return }
            _ = nc_h2_lib.session_resume_data(http2, stream.id)
        }

        /// The reader took bytes of a body that is not collected: the server can send as many again.
        func consumed(_ stream: HTTP2Stream, bytes: Int) {
            let bytes = min(bytes, stream.unconsumed)
            guard stream.session === self, bytes > 0 else { return }
            stream.unconsumed -= bytes
            _ = nc_h2_lib.session_consume_stream(http2, stream.id, bytes)
            // A reader that keeps up with a whole window gets a larger one, so that a long round trip does not limit its speed.
            guard stream.unconsumed == 0, stream.sinceGrowth > Int(streamWindow) else { return }
            let window = Int(streamWindow) + Int(stream.grown), most = Int(Self.largestWindow)
            // The growth of all streams together is limited, since any of their readers may stop.
            let growth = Int32(clamping: min(stream.sinceGrowth * 2 - window, most - window, most - Int(grown)))
            if growth > 0, window < most / 2,
                nc_h2_lib.session_set_local_window_size(http2, 0, stream.id, Int32(window) + growth) == 0
            {
                (stream.grown, grown) = (stream.grown + growth, grown + growth)
            }
            stream.sinceGrowth = 0
        }

        /// Gives a stream up. Its `didEnd` is not called.
        func cancel(_ stream: HTTP2Stream) {
            guard remove(stream) else { return }
            _ = nc_h2_lib.submit_rst_stream(http2, 0, stream.id, UInt32(NC_H2_CANCEL))
        }

        /// Ends the streams that were not sent, as unprocessed: for a server whose ``streamLimit`` is 0, which may stay so forever.
        func endUnsent(message: String) {
            for stream in allStreams where !stream.isSent {
                finish(stream, HTTP2Failure(kind: .unprocessed, message: message), reset: NC_H2_CANCEL)
            }
        }

        /// The streams that have not ended. Handlers can end any of them.
        var allStreams: [HTTP2Stream] { streams.map { Array(sequence(first: $0) { $0.next }) } ?? [] }

        // MARK: Ends

        /// Removes a stream. Returns false if it has ended.
        @discardableResult
        func remove(_ stream: HTTP2Stream) -> Bool {
            guard stream.session === self else { return false }
            _ = nc_h2_lib.session_set_stream_user_data(http2, stream.id, nil)
            if let previous = stream.previous { previous.next = stream.next } else { streams = stream.next }
            stream.next?.previous = stream.previous
            (stream.next, stream.previous, stream.session) = (nil, nil, nil)
            (streamCount, grown, idleSince) = (streamCount - 1, grown - stream.grown, now)
            Unmanaged.passUnretained(stream).release()
            return true
        }

        /// Ends a stream; without a failure, its response is whole. With a code, resets it.
        func finish(_ stream: HTTP2Stream, _ failure: HTTP2Failure?, reset code: Int? = nil) {
            guard remove(stream) else { return }
            if let code { _ = nc_h2_lib.submit_rst_stream(http2, 0, stream.id, UInt32(code)) }
            stream.didEnd(failure)
        }

        // MARK: Expect: 100-continue

        /// Sends the bodies whose server ignores `Expect`.
        func fire(now: Int64) {
            self.now = now
            guard now >= nextDue else { return }
            nextDue = .max
            for stream in allStreams where stream.continueDue != 0 {
                if now >= stream.continueDue { letBodyGo(stream) } else { nextDue = min(nextDue, stream.continueDue) }
            }
        }

        func letBodyGo(_ stream: HTTP2Stream) {
            (stream.awaitsContinue, stream.continueDue) = (false, 0)
            resumeBody(of: stream)
        }
    }
#endif
