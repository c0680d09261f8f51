import NetCore

/// One challenge of a `WWW-Authenticate` field, or the credentials of an `Authorization` field (RFC 9110, section 11).
package struct HTTPChallenge: Hashable {
    /// The scheme, in lower case.
    let scheme: String
    /// The parameters, their names in lower case.
    package let parameters: [String: String]

    /// More than any server needs, in bytes and in challenges.
    private static let lengthLimit = 16 << 10
    private static let countLimit = 32

    /// Returns the challenges of all fields of that name, in order.
    ///
    /// A syntax error ends the list of its field; the challenges before it count. A challenge that repeats a parameter, which is
    /// forbidden, is ignored.
    package static func parse(_ fields: [String]) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var length = 0
        for field in fields {
            length += field.utf8.count
            guard length <= lengthLimit, challenges.count < countLimit else { break }
            var parser = Parser(rest: Array(field.utf8)[...])
            while challenges.count < countLimit, let challenge = parser.next() {
                if let challenge = challenge.value { challenges.append(challenge) }
            }
        }
        return challenges
    }

    private struct Parser {
        var rest: ArraySlice<UInt8>

        /// Returns the next challenge, with a nil value if it is to be ignored; nil at the end.
        mutating func next() -> (value: HTTPChallenge?, Void)? {
            skip { $0.isHTTPWhitespace || $0 == UInt8(ascii: ",") }
            guard let scheme = token() else { return nil }
            var parameters: [String: String] = [:]
            var isUnique = true
            // `Basic realm="…"`, `Negotiate`, `Negotiate YII…==`, and all of them in one list.
            guard rest.isEmpty || rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: ",") else { return nil }
            let hasSpace = rest.first == UInt8(ascii: " ")
            skip(\.isHTTPWhitespace)
            if hasSpace { skipToken68() }
            while true {
                let start = rest
                skip { $0.isHTTPWhitespace || $0 == UInt8(ascii: ",") }
                guard let name = token()?.asciiLowercased else { break }
                skip(\.isHTTPWhitespace)
                guard rest.first == UInt8(ascii: "=") else {
                    // This is the scheme of the next challenge.
                    rest = start
                    break
                }
                rest = rest.dropFirst()
                skip(\.isHTTPWhitespace)
                guard let value = rest.first == UInt8(ascii: "\"") ? quoted() : token() else {
                    rest = []
                    return nil
                }
                if parameters.updateValue(value, forKey: name) != nil { isUnique = false }
            }
            return (isUnique ? HTTPChallenge(scheme: scheme.asciiLowercased, parameters: parameters) : nil, ())
        }

        private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

        private mutating func token() -> String? {
            let bytes = rest.prefix { $0.isInHTTPToken }
            guard !bytes.isEmpty else { return nil }
            rest = rest.dropFirst(bytes.count)
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Credentials data that is neither a parameter nor a scheme. No supported scheme uses it.
        private mutating func skipToken68() {
            let body = rest.prefix { $0.isInHTTPToken || $0 == UInt8(ascii: "/") }
            let padding = rest.dropFirst(body.count).prefix { $0 == UInt8(ascii: "=") }
            let after = rest.dropFirst(body.count + padding.count)
            let end = after.drop(while: \.isHTTPWhitespace)
            guard !body.isEmpty, end.isEmpty || end.first == UInt8(ascii: ",") else { return }
            rest = end
        }

        private mutating func quoted() -> String? {
            var bytes: [UInt8] = []
            var position = rest.index(after: rest.startIndex)
            while position < rest.endIndex {
                switch rest[position] {
                case UInt8(ascii: "\""):
                    rest = rest[(position + 1)...]
                    return String(decoding: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    position += 1
                    guard position < rest.endIndex else { return nil }
                    bytes.append(rest[position])
                default: bytes.append(rest[position])
                }
                position += 1
            }
            return nil
        }
    }
}
