/// Splits a stream of bytes into the parts of a multipart body of any subtype (RFC 2046, section 5.1.1).
///
/// Text before the first delimiter and after the closing one is dropped. The first delimiter decides about line ends: if LF ends its line,
/// LF alone precedes the later delimiters as well. Mail programs write such bodies, which the RFC does not permit. A line that continues
/// directly after the boundary is content, since the boundary of a nested body may begin with the outer one.
///
/// It looks at each byte a limited number of times, wherever the chunks end, and holds one header section or delimiter at most.
package struct MultipartScanner: Sendable {
    /// What the bytes contain.
    package enum Event: Sendable {
        /// A part begins, and the one before has ended.
        case part(HTTPHeaders)
        /// The next bytes of the part.
        case content(Data)
        /// The closing delimiter. The scanner ignores all later bytes.
        case end
    }

    /// The reason why a body cannot be read further.
    package enum Problem: Error {
        case malformed
        case truncated
        case headerTooLarge
    }

    private enum State {
        case preamble
        /// In the line of a delimiter, after the boundary.
        case delimiter
        case header
        /// The first bytes are the end of the header section. They belong to a delimiter that follows directly, and not to the content.
        case content(skip: Int)
        case end
    }

    private enum Found {
        case nothing
        /// The bytes from here on may be the start of a delimiter.
        case start(Int)
        case delimiter(Int, closes: Bool)
    }

    private let headerLimit: Int
    /// The delimiter with the line end before it. Its first byte occurs nowhere else in it, so that a search never has to go back.
    private var needle: [UInt8]
    private var state = State.preamble
    /// Consumed bytes, followed by unread bytes. A line end precedes the body, since a delimiter may be its first line.
    private var bytes: [UInt8] = [lineFeed]
    private var position = 0
    /// The start of the current header line, and the position up to which its end has been searched.
    private var line = 0
    private var searched = 0
    private var hasDelimiter = false
    private var isFinished = false

    /// Nil if the boundary is empty, longer than 256 bytes (the RFC permits 70), or has a line break.
    ///
    /// - Parameter headerLimit: the largest number of bytes of a part's header section.
    package init?(boundary: String, headerLimit: Int) {
        let name = Array(boundary.utf8)
        guard 1...256 ~= name.count, !name.contains(Self.lineFeed), !name.contains(Self.carriageReturn) else {
            return nil
        }
        needle = [Self.lineFeed, Self.hyphen, Self.hyphen] + name
        self.headerLimit = headerLimit
    }

    /// Returns the `boundary` of a `Content-Type` of `multipart`, or nil if there is none.
    package static func boundary(in contentType: String) -> String? {
        guard MediaType(contentType)?.type == "multipart" else { return nil }
        return FieldParameters.parse(contentType).first { $0.name == "boundary" }?.value
    }

    /// Adds a chunk. Take all events first, or the rest is moved with each chunk.
    package mutating func append(_ chunk: Data) {
        if case .end = state { return }
        if position > 0 {
            bytes.removeSubrange(0..<position)
            line -= position
            searched -= position
            position = 0
        }
        chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Ends the stream.
    package mutating func finish() { isFinished = true }

    /// Returns the next event, or nil if more bytes are needed.
    package mutating func next() throws(Problem) -> Event? {
        while true {
            switch state {
            case .end: return .end
            case .delimiter: guard try readDelimiterLine() else { return nil }
            case .header:
                guard let headers = try header() else { return nil }
                return .part(headers)
            case .preamble, .content:
                let found = search()
                let end =
                    switch found {
                    case .nothing: bytes.count
                    case .start(let place), .delimiter(let place, _): place
                    }
                if let content = take(upTo: end) { return .content(content) }
                guard case .delimiter(_, let closes) = found else {
                    if isFinished { throw .truncated }
                    return nil
                }
                position += needle.count
                state = closes ? .end : .delimiter
                if closes { bytes = [] }
            }
        }
    }

    /// Consumes bytes. Returns them if they are content.
    private mutating func take(upTo end: Int) -> Data? {
        defer { position = end }
        guard case .content(let skip) = state else { return nil }
        let start = min(position + skip, end)
        state = .content(skip: skip - (start - position))
        return start < end ? Data(bytes[start..<end]) : nil
    }

    private func search() -> Found {
        bytes.withUnsafeBytes { bytes in
            var place = position
            while let found = bytes.firstIndex(of: needle[0], from: place) {
                place = found
                var count = 1
                while count < needle.count, place + count < bytes.count, bytes[place + count] == needle[count] {
                    count += 1
                }
                let after = place + count
                if count == needle.count, after < bytes.count {
                    switch bytes[after] {
                    case Self.hyphen:
                        if after + 1 == bytes.count { return .start(place) }
                        if bytes[after + 1] == Self.hyphen { return .delimiter(place, closes: true) }
                    case Self.lineFeed, Self.carriageReturn: return .delimiter(place, closes: false)
                    case let byte where byte.isHTTPWhitespace: return .delimiter(place, closes: false)
                    default: break
                    }
                } else if after == bytes.count {
                    return .start(place)
                }
                place = after
            }
            return .nothing
        }
    }

    /// Reads the rest of a delimiter's line, which may have spaces and tabs (transport padding). Returns false if more bytes are needed.
    private mutating func readDelimiterLine() throws(Problem) -> Bool {
        while position < bytes.count, bytes[position].isHTTPWhitespace { position += 1 }
        let isCRLF = position < bytes.count && bytes[position] == Self.carriageReturn
        let end = isCRLF ? position + 1 : position
        guard end < bytes.count else {
            if isFinished { throw .truncated }
            return false
        }
        guard bytes[end] == Self.lineFeed else { throw .malformed }
        if !hasDelimiter, isCRLF { needle.insert(Self.carriageReturn, at: 0) }
        hasDelimiter = true
        position = end + 1
        line = position
        searched = position
        state = .header
        return true
    }

    /// Reads a header section, which ends with an empty line. Nil if more bytes are needed.
    private mutating func header() throws(Problem) -> HTTPHeaders? {
        while let end = bytes.withUnsafeBytes({ $0.firstIndex(of: Self.lineFeed, from: searched) }) {
            guard end - position <= headerLimit else { throw .headerTooLarge }
            searched = end + 1
            let isCRLF = end > line && bytes[end - 1] == Self.carriageReturn
            guard line == (isCRLF ? end - 1 : end) else {
                // A delimiter that the header section would swallow.
                guard !bytes[line..<end].starts(with: needle.drop { $0 != Self.hyphen }) else { throw .malformed }
                line = end + 1
                continue
            }
            let headers = bytes.withUnsafeBytes { bytes in
                HTTPHeaders(
                    received: HeaderBlockParser.fieldLines(
                        in: UnsafeRawBufferPointer(rebasing: bytes[position..<line])))
            }
            position = line
            state = .content(skip: searched - line)
            return headers
        }
        guard bytes.count - position <= headerLimit else { throw .headerTooLarge }
        searched = bytes.count
        if isFinished { throw .truncated }
        return nil
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let hyphen = UInt8(ascii: "-")
}
