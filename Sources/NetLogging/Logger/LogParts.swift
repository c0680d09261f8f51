/// Splits a message for a log that cuts long ones.
enum LogParts {
    /// The bytes of a number such as `[1000/1000] `.
    private static let numberLength = 12

    /// Returns the message as it is if it fits, or else its parts, each with its number: `[1/3] `.
    ///
    /// - Parameter limit: the most bytes of a part with its number, at least 100. Scalars are not cut.
    static func of(_ message: String, limit: Int) -> [String] {
        let limit = max(100, limit)
        guard message.utf8.count > limit else { return [message] }
        let step = limit - numberLength
        let bytes = message.utf8
        var parts: [Substring] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            var end = bytes.index(start, offsetBy: step, limitedBy: bytes.endIndex) ?? bytes.endIndex
            // A byte that continues a scalar begins with the bits 10.
            while end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
            parts.append(message[start..<end])
            start = end
        }
        return parts.enumerated().map { "[\($0 + 1)/\(parts.count)] \($1)" }
    }
}
