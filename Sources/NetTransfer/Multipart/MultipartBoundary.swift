import NetCore

/// What stands between the parts of a multipart body (RFC 2046, section 5.1.1).
enum MultipartBoundary {
    /// 128 random bits, in characters that need no quotes.
    static func random() -> String {
        let digits = [UInt64.random(in: 0...(.max)), .random(in: 0...(.max))].map { number in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return "part-" + digits.joined()
    }

    static func isValid(_ boundary: String) -> Bool {
        let bytes = boundary.utf8
        return (1...70).contains(bytes.count) && bytes.last != UInt8(ascii: " ")
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "'()+_,-./:=? ".utf8.contains(byte)
                }
            }
    }

    /// As a parameter of `Content-Type`. None of the characters allowed needs a backslash.
    static func quoted(_ boundary: String) -> String {
        boundary.isHTTPToken ? boundary : "\"\(boundary)\""
    }

    /// Whether the data holds the line that would end a part.
    static func occurs(_ boundary: String, in data: Data) -> Bool {
        let pattern = Array("--\(boundary)".utf8)
        return data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, bytes.count >= pattern.count else { return false }
            // Behind this no occurrence can begin.
            let end = base + (bytes.count - pattern.count + 1)
            var position = base
            while position < end, let found = memchr(position, Int32(pattern[0]), end - position) {
                if memcmp(found, pattern, pattern.count) == 0 { return true }
                position = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
