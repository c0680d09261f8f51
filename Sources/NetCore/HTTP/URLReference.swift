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
                result += String(decoding: QueryEncoder.percentEncoded(byte), as: UTF8.self)
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

extension URL {
    /// The URL with a path added behind its own, which may or may not end in a slash; its query stays, a fragment goes.
    ///
    /// - Parameter path: plain text. Everything that may not stand in a path as it is (RFC 3986, section 3.3) is encoded, and a
    ///   `+` as well, which some servers take for a space.
    /// - Throws: ``RequestBuildingError`` for a `.` or `..` between slashes.
    package func appending(requestPath path: String) throws -> URL {
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for segment in segments where segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
            throw RequestBuildingError.dotSegment
        }
        return try appending(encodedPath: Self.encode(path.utf8, keeping: Self.pathCharacters))
    }

    /// The URL with a path of components behind its own. A slash in a component is encoded, so it does not separate.
    ///
    /// - Throws: ``RequestBuildingError`` for a component that is empty, `.` or `..`: the request would go to another resource.
    package func appending(requestPathComponents components: [String]) throws -> URL {
        let encoded = try components.map { component in
            guard component != ".", component != ".." else { throw RequestBuildingError.dotSegment }
            guard !component.isEmpty else {
                throw RequestBuildingError("A component of the path is empty. Check the value that it was made from.")
            }
            return Self.encode(component.utf8, keeping: Self.componentCharacters)
        }
        return try appending(encodedPath: encoded.joined(separator: "/"))
    }

    /// The URL with a relative reference added behind its own path: `users?page=2`. It is encoded already.
    package func appending(relative reference: String) throws -> URL {
        let parts = reference.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let url = try appending(encodedPath: String(parts.first ?? ""))
        guard parts.count == 2 else { return url }
        guard let whole = url.appending(encodedQuery: String(parts[1])) else { throw NetworkError.invalidURL }
        return whole
    }

    private func appending(encodedPath path: String) throws -> URL {
        let whole = absoluteString.prefix { $0 != "#" }
        var base = whole.prefix { $0 != "?" }
        let query = whole[base.endIndex...]
        guard !path.isEmpty else { return self }
        while base.hasSuffix("/") { base = base.dropLast() }
        guard let url = URL(string: "\(base)\(path.hasPrefix("/") ? "" : "/")\(path)\(query)") else {
            throw NetworkError.invalidURL
        }
        return url
    }

    private static func encode(_ text: String.UTF8View, keeping kept: Set<UInt8>) -> String {
        guard !text.allSatisfy(kept.contains) else { return String(text) }
        var result = [UInt8]()
        for byte in text {
            if kept.contains(byte) {
                result.append(byte)
            } else {
                result += QueryEncoder.percentEncoded(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `pchar` of RFC 3986 without `+` and the percent sign.
    private static let componentCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*,;=:@".utf8)
    private static let pathCharacters = componentCharacters.union("/".utf8)
}

extension RequestBuildingError {
    fileprivate static let dotSegment = RequestBuildingError(
        "The path has a segment '.' or '..', which would lead to another resource (RFC 3986, section 5.2.4). Leave it out, or "
            + "give the whole URL.")
}
