#if os(Linux)
    /// What the fields of one head say about the length of the body and about the connection.
    struct HTTP1Framing {
        private(set) var contentLength: Int64?
        private(set) var hasTransferCoding = false
        private var hasUnknownCoding = false
        /// Whether the body is chunked: `chunked` is the last coding, and the only one except `identity`.
        private(set) var isChunked = false
        private(set) var isEncoded = false
        /// Whether the response asks for the connection to be closed, or leaves in doubt where it ends.
        var closes = false
        private(set) var keepsAlive = false
        private(set) var keepAliveSeconds: Int?
        private var lastField = Field.other

        private enum Field { case other, framing, connection, contentEncoding }

        /// Reads a field whose line is complete. The name is a token.
        mutating func read(_ bytes: Span<UInt8>, name: Range<Int>, value: Range<Int>) throws(HTTP1ParseError) {
            lastField = .other
            // By length first, so that most names are compared with none.
            switch name.count {
            case 10 where bytes.equals(name, "connection"):
                lastField = .connection
                readConnection(bytes, value)
            case 10 where bytes.equals(name, "keep-alive"): readKeepAlive(bytes, value)
            case 14 where bytes.equals(name, "content-length"):
                lastField = .framing
                try readLengths(bytes, value)
            case 16 where bytes.equals(name, "content-encoding"):
                lastField = .contentEncoding
                if !value.isEmpty, !bytes.equals(value, "identity") { isEncoded = true }
            case 17 where bytes.equals(name, "transfer-encoding"):
                lastField = .framing
                try readTransferCodings(bytes, value)
            default: break
            }
        }

        /// Reads that the value of the last field goes on in another line. That line is not parsed.
        mutating func readFold() throws(HTTP1ParseError) {
            switch lastField {
            case .other: break
            case .framing: throw .foldedFraming
            case .connection: closes = true
            case .contentEncoding: isEncoded = true
            }
        }

        /// All declared lengths must be equal, also several in one field (RFC 9112, section 6.3).
        private mutating func readLengths(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTP1ParseError) {
            if hasTransferCoding { throw .lengthAndTransferCoding }
            var start = value.lowerBound
            repeat {
                let (element, next) = bytes.listElement(from: start, to: value.upperBound)
                guard let number = bytes.number(element) else { throw .invalidContentLength }
                if let contentLength, contentLength != number { throw .differingContentLengths }
                contentLength = number
                start = next
            } while start <= value.upperBound
        }

        /// The request asks for no coding except `chunked`. `identity`, obsolete since RFC 7230, stands for none. With a coding that does not
        /// exist, the end of the connection ends the body (RFC 9112, section 6.3), which is delivered as it is.
        private mutating func readTransferCodings(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTP1ParseError) {
            if contentLength != nil { throw .lengthAndTransferCoding }
            hasTransferCoding = true
            var start = value.lowerBound
            repeat {
                let (element, next) = bytes.listElement(from: start, to: value.upperBound)
                if isChunked { throw .unknownTransferCoding }
                if bytes.equals(element, "chunked") {
                    if hasUnknownCoding { throw .unknownTransferCoding }
                    isChunked = true
                } else if bytes.equals(element, "identity") {
                    closes = true
                } else {
                    guard isUnregistered(bytes, element) else { throw .unknownTransferCoding }
                    (hasUnknownCoding, closes) = (true, true)
                }
                start = next
            } while start <= value.upperBound
        }

        /// Whether a coding is not one of IANA's registry, and does not resemble one either.
        private func isUnregistered(_ bytes: Span<UInt8>, _ coding: Range<Int>) -> Bool {
            guard !coding.isEmpty, bytes.endOfToken(from: coding.lowerBound) >= coding.upperBound else { return false }
            for registered in ["chunk", "gzip", "deflate", "compress"] {
                let count = registered.utf8.count
                for start in coding.dropLast(count - 1) where bytes.equals(start..<start &+ count, registered) {
                    return false
                }
            }
            return true
        }

        private mutating func readConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
            var start = value.lowerBound
            repeat {
                let (element, next) = bytes.listElement(from: start, to: value.upperBound)
                if bytes.equals(element, "close") { closes = true }
                if bytes.equals(element, "keep-alive") { keepsAlive = true }
                start = next
            } while start <= value.upperBound
        }

        private mutating func readKeepAlive(_ bytes: Span<UInt8>, _ value: Range<Int>) {
            var start = value.lowerBound
            repeat {
                let (element, next) = bytes.listElement(from: start, to: value.upperBound)
                if element.count > 8, bytes.equals(element.prefix(8), "timeout="),
                    let seconds = bytes.number(element.dropFirst(8))
                {
                    keepAliveSeconds = Int(clamping: seconds)
                }
                start = next
            } while start <= value.upperBound
        }
    }
#endif
