/// A link to another resource, from a `Link` header field (RFC 8288).
public struct WebLink: Hashable, Sendable {
    /// A parameter of the link.
    public struct Parameter: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value without quotation marks and backslashes; empty if there is none.
        public let value: String
    }

    /// The destination: a URI reference as the server wrote it. See ``url(relativeTo:)``.
    public let target: String
    /// All parameters in order, including `rel`.
    public let parameters: [Parameter]

    /// Returns the links in the value of a `Link` field. A malformed link ends the list (appendix B.2).
    public static func parse(_ field: String) -> [WebLink] {
        var parser = WebLinkParser(field)
        return parser.links()
    }

    /// The relation types of the link (section 3.3), in lower case: `next`, `prev`, `last`. If `rel` is repeated, the first counts.
    public var relations: [String] {
        (self["rel"] ?? "").split { $0 == " " || $0 == "\t" }.map { String($0).asciiLowercased }
    }

    /// The first parameter of that name, without regard to case.
    public subscript(name: String) -> String? { parameters.first { $0.name.equalsIgnoringASCIICase(name) }?.value }

    /// Returns the target resolved against the URL of the response, or nil if it is not a URL. An empty target is the response's URL.
    public func url(relativeTo base: URL?) -> URL? { Self.resolve(target, relativeTo: base) }

    /// Whether the link belongs to the response from that URL, and not to another resource (`anchor`, section 3.2).
    public func hasContext(_ url: URL?) -> Bool {
        guard let anchor = self["anchor"] else { return true }
        guard let url, let context = Self.resolve(anchor, relativeTo: url) else { return false }
        return context.withoutFragment == url.withoutFragment
    }

    private static func resolve(_ reference: String, relativeTo base: URL?) -> URL? {
        let text = String(reference.trimmingHTTPWhitespace)
        return text.isEmpty ? base : URL(reference: text, relativeTo: base)
    }
}

extension HTTPHeaders {
    /// The links of all `Link` fields (RFC 8288), in order.
    public var links: [WebLink] { values(for: "Link").flatMap(WebLink.parse) }
}

extension TransportResponse {
    /// Returns the target of the first link with that relation, or nil if there is none with a valid URL.
    ///
    /// - Parameter relation: `"next"`, `"prev"`, `"last"`, … (RFC 8288, section 3.3), in any case.
    public func url(ofLink relation: String) -> URL? {
        let name = relation.asciiLowercased
        return headers.links.first { $0.relations.contains(name) && $0.hasContext(url) }?.url(relativeTo: url)
    }
}

extension URL {
    /// The URL without its fragment, which does not identify a resource.
    var withoutFragment: Substring { absoluteString.prefix { $0 != "#" } }
}

/// Parses a `Link` field by the algorithm of RFC 8288, appendix B. It accepts any input: each step moves forward or ends the list.
struct WebLinkParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) { bytes = Array(field.utf8) }

    /// Appendix B.2.
    mutating func links() -> [WebLink] {
        var links: [WebLink] = []
        while true {
            // Empty list elements are ignored (RFC 9110, section 5.6.1.2).
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

    /// Appendix B.4, after the opening quotation mark. An unclosed string ends with the field.
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
