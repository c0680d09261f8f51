extension URL {
    /// The URL that a reference in a header field (`Location`, `Link`) means, relative to another one; nil if it is no URL.
    ///
    /// What a URL must not hold, and servers send all the same, is percent-encoded here. Foundation does so too (since iOS 17),
    /// and then encodes the percent signs that are there already once more.
    ///
    /// - Parameter keepsUserInformation: whether a user name and a password in the reference (`//user:password@host`) stay.
    package init?(reference: String, relativeTo base: URL?, keepsUserInformation: Bool = true) {
        let text = Self.encoded(reference: reference, keepsUserInformation: keepsUserInformation)
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL else { return nil }
        self = url
    }

    private static func encoded(reference location: String, keepsUserInformation: Bool) -> String {
        let authority = authority(in: location)
        var result = ""
        var isFragment = false
        var rest = location.utf8[...]
        while let byte = rest.first {
            let index = rest.startIndex
            rest = rest.dropFirst()
            if authority.contains(index) {
                // Brackets belong to an address of IPv6, other letters to an internationalised name: both are URL's affair.
                if index == authority.lowerBound {
                    let host = location[authority].lastIndex(of: "@").map {
                        location.index(after: $0)..<authority.upperBound
                    }
                    result += location[keepsUserInformation ? authority : host ?? authority]
                }
                continue
            }
            let isPermitted =
                switch byte {
                case UInt8(ascii: "%"): rest.prefix(2).count == 2 && rest.prefix(2).allSatisfy(\.isHexDigit)
                case UInt8(ascii: "#"): !isFragment
                default: byte.isPermittedInURL
                }
            if byte == UInt8(ascii: "#") { isFragment = true }
            if isPermitted {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += String(decoding: PercentEncoding.encode(byte), as: UTF8.self)
            }
        }
        return result
    }

    /// Where the authority stands in a reference (RFC 3986, section 4.2): behind `//` at the start or behind the scheme.
    private static func authority(in text: String) -> Range<String.Index> {
        let end = text.firstIndex { "/?#".contains($0) } ?? text.endIndex
        let isAtStart = end == text.startIndex || text[..<end].last == ":"
        guard isAtStart, text[end...].hasPrefix("//") else { return text.endIndex..<text.endIndex }
        let start = text.index(end, offsetBy: 2)
        return start..<(text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex)
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// Unreserved or reserved (RFC 3986, section 2), but for brackets.
    fileprivate var isPermittedInURL: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:/?#@!$&'()*+,;=".utf8.contains(self)
        }
    }
}
