/// Reads the value of a `Link` field: the algorithm of RFC 8288, appendix B, byte by byte. It takes any input: each step goes forward, or
/// ends the list.
struct WebLinkParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    /// Appendix B.2.
    mutating func links() -> [WebLink] {
        var links: [WebLink] = []
        while true {
            // Empty elements of a list are to be ignored (RFC 9110, section 5.6.1.2).
            skip { $0.isHTTPWhitespace || $0 == UInt8(ascii: ",") }
            guard take(UInt8(ascii: "<")) else { return links }
            let target = text { $0 != UInt8(ascii: ">") }
            guard take(UInt8(ascii: ">")) else { return links }
            links.append(WebLink(target: target, parameters: parameters()))
            guard take(UInt8(ascii: ",")) else { return links }
        }
    }

    /// Appendix B.3.
    private mutating func parameters() -> [WebLink.Parameter] {
        var parameters: [WebLink.Parameter] = []
        while true {
            skip(\.isHTTPWhitespace)
            guard take(UInt8(ascii: ";")) else { return parameters }
            skip(\.isHTTPWhitespace)
            let name = text { !$0.isHTTPWhitespace && !Self.endOfName.contains($0) }
            skip(\.isHTTPWhitespace)
            var value = ""
            if take(UInt8(ascii: "=")) {
                skip(\.isHTTPWhitespace)
                value =
                    take(UInt8(ascii: "\""))
                    ? quotedString() : text { !Self.endOfValue.contains($0) }.withoutHTTPWhitespace
            }
            if !name.isEmpty { parameters.append(WebLink.Parameter(name: name.asciiLowercased, value: value)) }
        }
    }

    /// Appendix B.4, behind the first quotation mark. One that is not closed ends with the field.
    private mutating func quotedString() -> String {
        var result: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { break }
                byte = bytes[position]
                position += 1
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func text(while isPart: (UInt8) -> Bool) -> String {
        let start = position
        skip(isPart)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private static let endOfName = Array("=;,".utf8)
    private static let endOfValue = Array(";,".utf8)
}
