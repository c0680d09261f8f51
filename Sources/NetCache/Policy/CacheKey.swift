import NetCore

/// Under which URL a response is kept.
///
/// Scheme and host in lower case, no default port, no user information. The fragment, which a server never sees, holds what
/// keeps owners apart: the partition as it is, credentials as a SHA-256, so that no two owners share a key and no secret
/// stands in one.
struct CacheKey: Hashable {
    /// The key of the response; where it varies, of all its variants together.
    let url: URL
    /// Whether something in it says whose response it is.
    let hasOwner: Bool

    /// A digest of the credentials in the request; nil if it has none.
    let credentials: String?

    /// Headers that say who is asking, and are in every key where they are in the request.
    static let credentialHeaders = ["Authorization", "Cookie", "X-API-Key", "X-Auth-Token"]

    private let base: String
    private let marks: [String]

    /// Nil for a URL without an authority, which is not one of HTTP.
    init?(request: URLRequest, partition: String?) {
        guard let url = request.url, let address = NormalizedAddress(url) else { return nil }
        var marks: [String] = []
        if let partition { marks.append("partition=" + Self.escaped(partition)) }
        var credentials = Self.credentialHeaders.compactMap { name in
            request.value(forHTTPHeaderField: name).map { (name, $0) }
        }
        if let userInformation = address.userInformation { credentials.append(("@", userInformation)) }
        let digest = credentials.isEmpty ? nil : Self.digest(of: credentials)
        if let digest { marks.append("credentials=" + digest) }
        self.init(base: address.text, marks: marks, credentials: digest, hasOwner: !marks.isEmpty)
    }

    private init?(base: String, marks: [String], credentials: String?, hasOwner: Bool) {
        guard let url = URL(string: marks.isEmpty ? base : base + "#" + marks.joined(separator: "&")) else {
            return nil
        }
        self.url = url
        self.base = base
        self.marks = marks
        self.credentials = credentials
        self.hasOwner = hasOwner
    }

    /// Where it is kept by which fields the response varies.
    var variantIndex: CacheKey? { adding("vary") }

    /// The key of the variant that these values of the request's header fields select.
    func variant(of fields: [String], in request: URLRequest) -> CacheKey? {
        adding("variant=" + Self.digest(of: fields.map { ($0, request.value(forHTTPHeaderField: $0) ?? "") }))
    }

    private func adding(_ mark: String) -> CacheKey? {
        CacheKey(base: base, marks: marks + [mark], credentials: credentials, hasOwner: hasOwner)
    }

    /// Each part stands behind its length, so that no two lists read the same.
    private static func digest(of fields: [(name: String, value: String)]) -> String {
        let text = fields.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
        return SHA256.hex(Data(text.utf8))
    }

    /// Byte for byte: two partitions that differ only in their Unicode normalisation stay two.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default: "%" + String(byte, radix: 16, uppercase: true).leftPadded(to: 2)
            }
        }.joined()
    }
}

/// A URL as RFC 3986, sections 6.2.2 and 6.2.3 normalise it, as far as two spellings are common.
///
/// Works on text: `URLComponents` decodes and encodes hosts again, and does it differently on each platform.
private struct NormalizedAddress {
    let text: String
    let userInformation: String?

    init?(_ url: URL) {
        let whole = url.absoluteString.prefix { $0 != "#" }
        guard let colon = whole.range(of: "://") else { return nil }
        let scheme = whole[..<colon.lowerBound].lowercased()
        let rest = whole[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        var host = Substring(authority.lowercased())
        if let at = authority.lastIndex(of: "@") {
            userInformation = String(authority[..<at])
            host = Substring(authority[authority.index(after: at)...].lowercased())
        } else {
            userInformation = nil
        }
        guard !host.isEmpty else { return nil }
        let defaultPort = ["http": ":80", "https": ":443"][scheme]
        if let defaultPort, host.hasSuffix(defaultPort) {
            host = host.dropLast(defaultPort.count)
        } else if host.last == ":" {
            host = host.dropLast()
        }
        let path = rest[authority.endIndex...]
        text = "\(scheme)://\(host)\(path.first == "/" ? "" : "/")\(path)"
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: Swift.max(0, length - count)) + self
    }
}
