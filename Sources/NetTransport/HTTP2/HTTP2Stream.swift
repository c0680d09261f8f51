#if os(Linux)
    import CLibcurl

    /// Why a stream ended without a whole response.
    struct HTTP2Failure: Sendable {
        enum Kind: Sendable {
            /// The server reset the stream; the connection ended; the server broke the rules, on this stream or on the connection.
            case reset, closed, violation
            /// The server said that it did not process the request, or the request was never sent.
            case unprocessed
            /// The heads and trailers are longer than the session's limit.
            case headTooLarge
            /// ``HTTP2Stream/readBody(into:)`` failed, or the body ended before its length.
            case requestBody
        }

        let kind: Kind
        /// The code of RFC 9113, section 7: of RST_STREAM or GOAWAY; 0 (NO_ERROR) if there is none.
        var code: UInt32 = 0
        /// The `errno` of the connection; 0 if it has none.
        var errno: Int32 = 0
        /// The reason that libnghttp2 or the connection gives, or an empty string.
        var message = ""
    }

    /// The result of ``HTTP2Stream/readBody(into:)``.
    enum HTTP2BodyRead {
        /// The number of bytes, at least 1; or of the last ones, also 0. A body of known length does not need `last`.
        case bytes(Int), last(Int)
        /// There are no bytes until ``HTTP2Session/resumeBody(of:)``; the stream ends with `HTTP2Failure.Kind.requestBody`.
        case pause, failed
    }

    /// A request on an HTTP/2 connection, and its response. A subclass overrides the functions. It is submitted once.
    ///
    /// The session calls them on its thread. They can call the session's functions for streams, but not `receive`, `flush` and `close`.
    /// Each submitted stream ends once: with ``didEnd(_:)``, or with ``HTTP2Session/cancel(_:)``.
    class HTTP2Stream {
        /// When the request's head was sent, when the first field of a response was received, and when a byte was last sent or received,
        /// of the session's clock; 0 if that did not happen.
        final var sentAt: Int64 = 0, firstByteAt: Int64 = 0, lastActivity: Int64 = 0
        /// The bytes of the request's body that were sent, and of the response's that were received.
        final var sentBytes: Int64 = 0, receivedBytes: Int64 = 0
        /// Whether the request's head was sent, and whether its body was read to the end.
        final var isSent = false, isBodyRead = false
        /// Whether the head of the final response was received, and whether a head is being received.
        final var hasHead = false, isInHead = false
        /// Whether the body is collected: the server never waits for a reader. Otherwise it sends what the stream's window allows, and each
        /// byte that is read must be returned by ``HTTP2Session/consumed(_:bytes:)``.
        final let isCollected: Bool

        // MARK: For the session

        /// The session that carries it until it ends. A session outlives its streams.
        unowned(unsafe) final var session: HTTP2Session?
        unowned(unsafe) final var next: HTTP2Stream?, previous: HTTP2Stream?
        final var id: Int32 = 0
        final var body = HTTP2Request.Body.none
        final var isHEAD = false, hasNoBody = false, wasReset = false
        /// Whether the body waits for `100 Continue`, and when that ends; 0 before the head was sent.
        final var awaitsContinue = false, continueDue: Int64 = 0
        final var status = 0, contentLength: Int64 = -1
        /// The bytes of all heads, also of interim ones (1xx), and of the trailers.
        final var headBytes = 0, emptyFrames = 0
        /// The bytes of the body that were not returned to the window, those since the window last grew, and that growth for a fast reader.
        final var unconsumed = 0, sinceGrowth = 0, grown: Int32 = 0
        /// What libnghttp2 says of an invalid frame.
        final var problem = ""

        init(isCollected: Bool) {
            self.isCollected = isCollected
        }

        /// Whether the response is complete by its declared length, or has no body.
        final var isWhole: Bool { hasHead && (hasNoBody || contentLength >= 0 && receivedBytes == contentLength) }

        // MARK: To override

        /// Receives the head of the final response.
        ///
        /// - Parameters:
        ///   - block: `HTTP/2 200`, and lines as `name: value`, each with CR LF at its end. Valid during the call.
        ///   - contentLength: the declared length, or -1.
        ///   - hasBody: whether a body may follow.
        func didReceiveHead(_ block: UnsafeRawBufferPointer, status: Int, contentLength: Int64, hasBody: Bool) {}
        /// Receives an interim response (1xx).
        func didReceiveInterim(status: Int) {}
        /// Receives bytes of the body. They are valid during the call.
        func didReceive(_ data: UnsafeRawBufferPointer) {}
        /// Receives the trailers as lines, directly before the end. They are valid during the call.
        func didReceiveTrailers(_ block: UnsafeRawBufferPointer) {}
        /// The request's head was written to the output.
        func didSendHead(isLast: Bool) {}
        /// Bytes of the request's body were written to the output. The last call can have 0 bytes.
        func didSendBody(_ count: Int, isLast: Bool) {}
        /// Reads the next bytes of the request's body.
        func readBody(into buffer: UnsafeMutableRawBufferPointer) -> HTTP2BodyRead { .last(0) }
        /// The stream has ended: with a whole response, or with a failure. The session holds it no longer.
        func didEnd(_ failure: HTTP2Failure?) {}
    }
#endif
