#if os(Linux)
    /// The facts of a response's head that the connection needs.
    package struct HTTP1Head: Hashable, Sendable {
        package let status: Int
        package let minorVersion: Int
        package let bodyLength: HTTP1BodyLength
        /// Whether `Content-Encoding` has a value other than `identity`.
        package let isEncoded: Bool
        /// The head section in the bytes that were parsed: from the status line to the empty line, inclusive.
        package let bytes: Range<Int>
    }

    /// How the length of a response's body is known (RFC 9112, section 6.3).
    package enum HTTP1BodyLength: Hashable, Sendable {
        case none
        case bytes(Int64)
        case chunked
        case untilClose
    }

    /// What a response may occupy before its body, and between the chunks of it.
    package struct HTTP1Limits: Hashable, Sendable {
        /// The bytes of all heads of a response, interim ones included, and of its trailers together.
        package var headBytes: Int
        /// The lines of these heads and trailers, without status lines. Each folded line counts.
        package var fieldCount: Int
        /// The bytes of a line with a chunk's size and extensions, without CRLF.
        package var chunkLineBytes: Int
        /// The number of interim responses (1xx) before the final one.
        package var interimResponses: Int

        package init(
            headBytes: Int = 256 * 1024, fieldCount: Int = 2000, chunkLineBytes: Int = 4096, interimResponses: Int = 64
        ) {
            self.headBytes = max(0, headBytes)
            self.fieldCount = fieldCount
            self.chunkLineBytes = chunkLineBytes
            self.interimResponses = interimResponses
        }
    }
#endif
