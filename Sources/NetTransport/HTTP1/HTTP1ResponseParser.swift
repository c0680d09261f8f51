#if os(Linux)
    /// Parses the responses of one connection, without reading from it (RFC 9112).
    ///
    /// Call ``next(_:)`` with all bytes that were received and not consumed, until it returns ``Step/needMore``. Then receive more, or call
    /// ``connectionClosed()``. After ``Step/end(trailers:)``, call ``restart(isHead:)`` before the next response. However the bytes are
    /// split, the steps are the same, and the work is linear. A parser that threw throws the same error from then on.
    ///
    /// Two empty lines are accepted before the first response of a connection. They are refused before a later one, where they are more
    /// likely a remainder of the response before it.
    package struct HTTP1ResponseParser: Sendable {
        package enum Step: Hashable, Sendable {
            /// More bytes are needed, or the response is complete.
            case needMore
            /// An interim response (1xx except 101), with the range of its head.
            case interim(status: Int, head: Range<Int>)
            /// A 101. The bytes after it belong to another protocol.
            case upgrade(HTTP1Head)
            case head(HTTP1Head)
            /// Bytes of the body, without the chunked coding.
            case body(Range<Int>)
            /// The response is complete. The range holds the trailer section with its empty line, and is nil if that has no field.
            case end(trailers: Range<Int>?)
        }

        package typealias Parsed = (step: Step, consumed: Int)

        private enum Phase {
            case start, head, body, untilClose, trailers, ended, upgraded
            case chunkSize, chunkBlank, chunkExtension, chunkLineEnd, chunk, chunkReturn, chunkEnd
        }

        private let limits: HTTP1Limits
        private var phase = Phase.start
        private var isHead: Bool
        private var scanner = HTTP1SectionScanner.head
        private var headBytesLeft: Int
        private var linesLeft: Int
        private var interimsLeft: Int
        private var emptyLinesLeft = 2
        /// The bytes of the body, or of the chunk, that are still to come.
        private var remaining: Int64 = 0
        private var chunkLineBytes = 0
        private var isPersistent = true
        private var failure: HTTP1ParseError?
        /// Whether any byte of this response was seen.
        package private(set) var hasBegun = false
        /// The time that the server keeps an idle connection, from `Keep-Alive: timeout=`, or nil if it does not tell.
        package private(set) var keepAliveSeconds: Int?

        /// - Parameter isHead: whether the request's method is HEAD.
        package init(isHead: Bool, limits: HTTP1Limits) {
            self.limits = limits
            self.isHead = isHead
            headBytesLeft = limits.headBytes
            linesLeft = limits.fieldCount
            interimsLeft = limits.interimResponses
        }

        /// Begins the next response of the connection.
        package mutating func restart(isHead: Bool) {
            self = HTTP1ResponseParser(isHead: isHead, limits: limits)
            emptyLinesLeft = 0
        }

        /// Whether the connection may be used for another request: the response is complete, its end is not in doubt, and
        /// the server keeps the connection open (RFC 9112, section 9.3). Bytes after the end make it false if the parser sees
        /// them. A caller that finds such bytes itself, or that sent `Connection: close`, must close the connection.
        package var mayBeReused: Bool { phase == .ended && isPersistent && failure == nil }

        /// The bytes of a body with a known length that are still to come. Nil before the head, and for any other body.
        package var expectedBodyBytes: Int64? { phase == .body ? remaining : nil }

        /// Counts bytes of the body that were received without this parser, at most ``expectedBodyBytes``.
        package mutating func didReceiveBody(_ count: Int) {
            guard phase == .body, count >= 0, Int64(count) <= remaining else {
                isPersistent = false
                remaining = phase == .body ? 0 : remaining
                return
            }
            remaining -= Int64(count)
        }

        /// Parses the next part of the response. Ranges are of `bytes`. The caller drops the first `consumed` bytes before the next call.
        ///
        /// A head, and a trailer section, is consumed only when it is complete.
        package mutating func next(_ bytes: Span<UInt8>) throws(HTTP1ParseError) -> Parsed {
            if let failure { throw failure }
            do throws(HTTP1ParseError) {
                let result = try parse(bytes)
                if phase == .ended, result.consumed < bytes.count { isPersistent = false }
                return result
            } catch {
                failure = error
                throw error
            }
        }

        /// Ends a body that has no other end. Call it only after ``next(_:)`` returned ``Step/needMore``.
        package mutating func connectionClosed() throws(HTTP1ParseError) -> Step {
            if let failure { throw failure }
            isPersistent = false
            switch phase {
            case .start, .head: failure = hasBegun ? .closedWithinHead : .closedBeforeResponse
            case .body where remaining == 0: break
            case .untilClose, .ended, .upgraded: break
            default: failure = .closedWithinBody
            }
            if let failure { throw failure }
            phase = .ended
            return .end(trailers: nil)
        }

        private mutating func parse(_ bytes: Span<UInt8>) throws(HTTP1ParseError) -> Parsed {
            switch phase {
            case .start:
                guard !bytes.isEmpty else { return (.needMore, 0) }
                hasBegun = true
                return try parseStart(bytes)
            case .head: return try parseHead(bytes, from: 0)
            case .body:
                if remaining == 0 { return end(at: 0) }
                if bytes.isEmpty { return (.needMore, 0) }
                return take(bytes, from: 0)
            case .untilClose: return bytes.isEmpty ? (.needMore, 0) : (.body(0..<bytes.count), bytes.count)
            case .trailers: return try parseTrailers(bytes, from: 0)
            case .ended, .upgraded: return (.needMore, 0)
            default: return try parseChunked(bytes)
            }
        }

        private mutating func end(at consumed: Int, trailers: Range<Int>? = nil) -> Parsed {
            phase = .ended
            return (.end(trailers: trailers), consumed)
        }

        /// The bytes of the body, or of the chunk, from `start`.
        private mutating func take(_ bytes: Span<UInt8>, from start: Int) -> Parsed {
            let count = Int(min(remaining, Int64(bytes.count &- start)))
            remaining &-= Int64(count)
            return (.body(start..<start &+ count), start &+ count)
        }

        private mutating func parseStart(_ bytes: Span<UInt8>) throws(HTTP1ParseError) -> Parsed {
            var start = 0
            while emptyLinesLeft > 0, start < bytes.count, bytes[start].endsText {
                if bytes[start] == 0x0D {
                    guard start &+ 1 < bytes.count else { return (.needMore, start) }
                    start &+= 1
                }
                guard bytes[start] == 0x0A else { throw .notHTTP }
                start &+= 1
                emptyLinesLeft -= 1
            }
            guard start < bytes.count else { return (.needMore, start) }
            phase = .head
            return try parseHead(bytes, from: start)
        }

        /// Returns the end of the section from `start`, which is within the limit.
        private mutating func scanSection(_ bytes: Span<UInt8>, from start: Int) throws(HTTP1ParseError) -> Int? {
            let available = bytes.count &- start
            let count = min(available, headBytesLeft)
            let length = try scanner.scan(bytes.extracting(start..<start &+ count), linesLeft: &linesLeft)
            guard let length else {
                if count < available { throw .headTooLarge }
                return nil
            }
            headBytesLeft &-= length
            return start &+ length
        }

        private mutating func parseHead(_ bytes: Span<UInt8>, from start: Int) throws(HTTP1ParseError) -> Parsed {
            guard let end = try scanSection(bytes, from: start) else { return (.needMore, start) }
            let framing = scanner.framing
            let status = scanner.status
            let isInterim = status < 200 && status != 101
            let length = isInterim ? .none : bodyLength(status, framing)
            // In a response without a body, a length of a body leaves in doubt what the server sends.
            let hasBodyLength = framing.hasTransferCoding || framing.contentLength ?? 0 > 0
            if framing.closes || hasBodyLength && (status < 200 || status == 204) { isPersistent = false }
            if isInterim {
                interimsLeft -= 1
                if interimsLeft < 0 { throw .tooManyInterimResponses }
                scanner = .head
                return (.interim(status: status, head: start..<end), end)
            }
            let head = HTTP1Head(
                status: status, minorVersion: scanner.minorVersion, bodyLength: length, isEncoded: framing.isEncoded,
                bytes: start..<end)
            keepAliveSeconds = framing.keepAliveSeconds
            if scanner.minorVersion == 0, !framing.keepsAlive || framing.hasTransferCoding { isPersistent = false }
            if status == 205, framing.contentLength != 0 { isPersistent = false }
            switch length {
            case .none: phase = status == 101 ? .upgraded : .body
            case .bytes(let count):
                phase = .body
                remaining = count
            case .chunked: phase = .chunkSize
            case .untilClose:
                phase = .untilClose
                isPersistent = false
            }
            return (status == 101 ? .upgrade(head) : .head(head), end)
        }

        /// A 205 has no content (RFC 9110, section 15.3.6). It is not waited for, whatever the fields say.
        private func bodyLength(_ status: Int, _ framing: HTTP1Framing) -> HTTP1BodyLength {
            if isHead || status == 101 || status == 204 || status == 205 || status == 304 { return .none }
            if framing.isChunked { return .chunked }
            return framing.contentLength.map { .bytes($0) } ?? .untilClose
        }

        private mutating func parseTrailers(_ bytes: Span<UInt8>, from start: Int) throws(HTTP1ParseError) -> Parsed {
            guard let end = try scanSection(bytes, from: start) else { return (.needMore, start) }
            return self.end(at: end, trailers: end &- start > 2 ? start..<end : nil)
        }
    }

    // MARK: The chunked coding

    extension HTTP1ResponseParser {
        /// RFC 9112, section 7.1. Lines end with CRLF only. Blanks are accepted after the size, where some servers pad it.
        private mutating func parseChunked(_ bytes: Span<UInt8>) throws(HTTP1ParseError) -> Parsed {
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                switch phase {
                case .chunk:
                    let result = take(bytes, from: index)
                    if remaining == 0 { phase = .chunkReturn }
                    return result
                case .chunkReturn:
                    guard byte == 0x0D else { throw .missingChunkEnd }
                    phase = .chunkEnd
                case .chunkEnd:
                    guard byte == 0x0A else { throw .missingChunkEnd }
                    phase = .chunkSize
                    chunkLineBytes = 0
                case .chunkLineEnd:
                    guard byte == 0x0A else { throw .missingChunkEnd }
                    guard remaining == 0 else {
                        phase = .chunk
                        break
                    }
                    phase = .trailers
                    scanner = .trailers
                    return try parseTrailers(bytes, from: index &+ 1)
                default: try parseChunkLine(byte)
                }
                index &+= 1
            }
            return (.needMore, index)
        }

        private mutating func parseChunkLine(_ byte: UInt8) throws(HTTP1ParseError) {
            if phase == .chunkSize, let digit = byte.hexadecimalDigit {
                guard remaining >> 59 == 0 else { throw .chunkSizeOverflow }
                remaining = remaining << 4 | Int64(digit)
            } else if phase == .chunkSize, chunkLineBytes == 0 {
                throw .invalidChunkSize
            } else if byte == 0x0D {
                phase = .chunkLineEnd
                return
            } else if phase == .chunkExtension {
                guard !byte.isControl else { throw byte == 0x0A ? .missingChunkEnd : .invalidChunkExtension }
            } else if byte == UInt8(ascii: ";") {
                phase = .chunkExtension
            } else if byte.isBlank {
                phase = .chunkBlank
            } else {
                throw byte == 0x0A ? .missingChunkEnd : .invalidChunkSize
            }
            chunkLineBytes &+= 1
            if chunkLineBytes > limits.chunkLineBytes { throw .chunkLineTooLong }
        }
    }
#endif
