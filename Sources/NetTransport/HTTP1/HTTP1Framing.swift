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
            let start = name.lowerBound
            switch name.count {
            case 10:
                switch (bytes.lowercasedWord(at: start), bytes.lowercasedWord(at: start &+ 2)) {
                case (Self.connecti, Self.nnection):
                    lastField = .connection
                    readConnection(bytes, value)
                case (Self.keepAli, Self.epAlive):
                    readKeepAlive(bytes, value)
                default: break
                }
            case 14
            where bytes.lowercasedWord(at: start) == Self.content
                && bytes.lowercasedWord(at: start &+ 6) == Self.tLength:
                lastField = .framing
                try readLengths(bytes, value)
            case 16
            where bytes.lowercasedWord(at: start) == Self.content
                && bytes.lowercasedWord(at: start &+ 8) == Self.encoding:
                lastField = .contentEncoding
                if !value.isEmpty, bytes.lowercasedWord(value) != Self.identity { isEncoded = true }
            case 17
            where bytes.lowercasedWord(at: start) == Self.transfer
                && bytes.lowercasedWord(at: start &+ 9) == Self.encoding
                && bytes[start &+ 8] == UInt8(ascii: "-"):
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
                switch bytes.lowercasedWord(element) {
                case Self.chunked where element.count == 7:
                    if hasUnknownCoding { throw .unknownTransferCoding }
                    isChunked = true
                case Self.identity: closes = true
                default:
                    guard isUnregistered(bytes, element) else { throw .unknownTransferCoding }
                    (hasUnknownCoding, closes) = (true, true)
                }
                start = next
            } while start <= value.upperBound
        }

        /// Whether a coding is not one of IANA's registry, and does not resemble one either.
        private func isUnregistered(_ bytes: Span<UInt8>, _ coding: Range<Int>) -> Bool {
            guard !coding.isEmpty, bytes.endOfToken(from: coding.lowerBound) >= coding.upperBound else { return false }
            for (word, count) in [(Self.chunk, 5), (Self.gzip, 4), (Self.deflate, 7), (Self.compress, 8)] {
                let starts = coding.dropLast(count - 1)
                if starts.contains(where: { bytes.lowercasedWord($0..<$0 &+ count) == word }) { return false }
            }
            return true
        }

        private mutating func readConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
            var start = value.lowerBound
            repeat {
                let (element, next) = bytes.listElement(from: start, to: value.upperBound)
                if element.count == 5, bytes.lowercasedWord(element) == Self.close {
                    closes = true
                } else if element.count == 10, bytes.lowercasedWord(at: element.lowerBound) == Self.keepAli,
                    bytes.lowercasedWord(at: element.lowerBound &+ 2) == Self.epAlive
                {
                    keepsAlive = true
                }
                start = next
            } while start <= value.upperBound
        }

        private mutating func readKeepAlive(_ bytes: Span<UInt8>, _ value: Range<Int>) {
            var start = value.lowerBound
            repeat {
                let (element, next) = bytes.listElement(from: start, to: value.upperBound)
                if element.count > 8, bytes.lowercasedWord(at: element.lowerBound) == Self.timeout,
                    let seconds = bytes.number(element.lowerBound &+ 8..<element.upperBound)
                {
                    keepAliveSeconds = Int(clamping: seconds)
                }
                start = next
            } while start <= value.upperBound
        }

        // Parts of names and values in lower case, the first byte lowest.
        private static var connecti: UInt64 { 0x6974_6365_6E6E_6F63 }
        private static var nnection: UInt64 { 0x6E6F_6974_6365_6E6E }
        private static var keepAli: UInt64 { 0x696C_612D_7065_656B }
        private static var epAlive: UInt64 { 0x6576_696C_612D_7065 }
        /// `content-`
        private static var content: UInt64 { 0x2D74_6E65_746E_6F63 }
        /// `t-length`
        private static var tLength: UInt64 { 0x6874_676E_656C_2D74 }
        private static var transfer: UInt64 { 0x7265_6673_6E61_7274 }
        private static var encoding: UInt64 { 0x676E_6964_6F63_6E65 }
        private static var identity: UInt64 { 0x7974_6974_6E65_6469 }
        private static var chunk: UInt64 { 0x0000_006B_6E75_6863 }
        private static var gzip: UInt64 { 0x0000_0000_7069_7A67 }
        private static var deflate: UInt64 { 0x0065_7461_6C66_6564 }
        private static var compress: UInt64 { 0x7373_6572_706D_6F63 }
        private static var chunked: UInt64 { 0x0064_656B_6E75_6863 }
        private static var close: UInt64 { 0x0000_0065_736F_6C63 }
        /// `timeout=`
        private static var timeout: UInt64 { 0x3D74_756F_656D_6974 }
    }
#endif
