extension String {
    /// The members of a comma-separated field value (RFC 9110, section 5.6.1.2), without the white space around them and without
    /// empty ones. A comma in a quoted string separates nothing.
    ///
    /// A quote that is never closed is no quote: what stands behind it is read, so that no directive can hide there.
    ///
    /// - Parameter hasEscapes: whether a backslash in a quoted string takes the next character's meaning away. It does, but for
    ///   entity tags (RFC 9110, section 8.8.3).
    package func listMembers(hasEscapes: Bool = true) -> [Substring] {
        let bytes = utf8
        var members: [Substring] = []
        var start = bytes.startIndex
        var position = start
        var mayQuote = true
        func add(until end: Index) {
            let member = self[start..<end].trimmingHTTPWhitespace
            if !member.isEmpty { members.append(member) }
        }
        while position < bytes.endIndex {
            switch bytes[position] {
            case UInt8(ascii: ","):
                add(until: position)
                start = bytes.index(after: position)
            case UInt8(ascii: "\"") where mayQuote:
                if let end = closingQuote(from: position, hasEscapes: hasEscapes) {
                    position = end
                } else {
                    mayQuote = false
                }
            default: break
            }
            position = bytes.index(after: position)
        }
        add(until: bytes.endIndex)
        return members
    }

    private func closingQuote(from opening: Index, hasEscapes: Bool) -> Index? {
        var position = utf8.index(after: opening)
        while position < utf8.endIndex {
            switch utf8[position] {
            case UInt8(ascii: "\""): return position
            case UInt8(ascii: "\\") where hasEscapes:
                position = utf8.index(after: position)
                guard position < utf8.endIndex else { return nil }
            default: break
            }
            position = utf8.index(after: position)
        }
        return nil
    }
}
