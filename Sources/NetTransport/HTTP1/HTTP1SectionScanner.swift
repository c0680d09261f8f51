#if os(Linux)
    /// Scans a head, or a trailer section, that may arrive in pieces (RFC 9112, sections 4 and 5).
    ///
    /// Each call gets the section from its start. Bytes of complete parts are not examined again, whatever the number of calls: only the
    /// first 12 bytes, and a carriage return at the end, are.
    struct HTTP1SectionScanner {
        private var state: State
        /// The next byte to examine.
        private var position = 0
        private var nameStart = 0
        private var nameEnd = 0
        private var hasField = false
        private(set) var status = 0
        private(set) var minorVersion = 0
        /// The facts of the fields. Fields of trailers have no effect on the message.
        private(set) var framing = HTTP1Framing()
        private let isTrailer: Bool

        private enum State { case status, phrase, line, name, value, foldedValue }

        static var head: HTTP1SectionScanner { HTTP1SectionScanner(state: .status, isTrailer: false) }
        static var trailers: HTTP1SectionScanner { HTTP1SectionScanner(state: .line, isTrailer: true) }

        private init(state: State, isTrailer: Bool) {
            self.state = state
            self.isTrailer = isTrailer
        }

        /// Returns the number of bytes of the section, or nil if it is not complete.
        ///
        /// - Parameter linesLeft: the number of lines that are allowed, which is reduced by the lines that are found.
        mutating func scan(_ section: Span<UInt8>, linesLeft: inout Int) throws(HTTP1ParseError) -> Int? {
            if state == .status {
                guard try scanStatus(section) else { return nil }
                state = .phrase
            }
            let count = section.count
            var index = position
            defer { position = index }
            while index < count {
                switch state {
                case .status: return nil
                case .line:
                    let byte = section[index]
                    if byte == 0x0A { return index &+ 1 }
                    if byte == 0x0D {
                        guard index &+ 1 < count else { return nil }
                        guard section[index &+ 1] == 0x0A else { throw .bareCarriageReturn }
                        return index &+ 2
                    }
                    linesLeft &-= 1
                    if linesLeft < 0 { throw .tooManyFields }
                    if byte.isBlank {
                        guard hasField else { throw .foldedFirstLine }
                        if !isTrailer { try framing.readFold() }
                        state = .foldedValue
                        index &+= 1
                    } else {
                        nameStart = index
                        state = .name
                    }
                case .name:
                    index = section.endOfToken(from: index)
                    guard index < count else { return nil }
                    guard index > nameStart else { throw .invalidFieldName }
                    guard section[index] == UInt8(ascii: ":") else {
                        throw section[index].isBlank ? .blankBeforeColon : .invalidFieldName
                    }
                    nameEnd = index
                    index &+= 1
                    hasField = true
                    state = .value
                case .phrase, .value, .foldedValue:
                    index = section.endOfText(from: index)
                    guard index < count else { return nil }
                    let end = index
                    if section[index] == 0x0D {
                        guard index &+ 1 < count else { return nil }
                        index &+= 1
                    }
                    guard section[index] == 0x0A else { throw fault(section[end]) }
                    index &+= 1
                    if state == .value, !isTrailer {
                        let value = section.trimmed(nameEnd &+ 1, end)
                        try framing.read(section, name: nameStart..<nameEnd, value: value)
                    }
                    state = .line
                }
            }
            return nil
        }

        private func fault(_ byte: UInt8) -> HTTP1ParseError {
            if state == .phrase { return .invalidStatusLine }
            return byte == 0 ? .nulInValue : .bareCarriageReturn
        }

        /// Reads `HTTP/1.x` and the status code, strictly. The reason phrase may be absent, together with the space before it.
        private mutating func scanStatus(_ section: Span<UInt8>) throws(HTTP1ParseError) -> Bool {
            // `HTTP/1.`
            let prefix: InlineArray<7, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F, 0x31, 0x2E]
            status = 0
            for index in 0..<min(13, section.count) {
                let byte = section[index]
                switch index {
                case 0 where byte == 0x15 || byte == 0x16:
                    // An alert or a handshake of TLS, with version 3.x.
                    guard section.count > 1 else { return false }
                    throw section[1] == 3 ? .looksLikeTLS : .notHTTP
                case 0..<7: guard byte == prefix[index] else { throw index < 5 ? .notHTTP : .unsupportedVersion }
                case 7:
                    guard let digit = byte.decimalDigit else { throw .unsupportedVersion }
                    minorVersion = Int(digit)
                case 8: guard byte == 0x20 else { throw .unsupportedVersion }
                case 9..<12:
                    guard let digit = byte.decimalDigit, index > 9 || 1...5 ~= digit else { throw .invalidStatus }
                    status = status * 10 + Int(digit)
                default: guard byte == 0x20 || byte == 0x0D || byte == 0x0A else { throw .invalidStatus }
                }
            }
            position = 12
            return section.count > 12
        }
    }
#endif
