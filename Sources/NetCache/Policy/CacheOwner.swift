import NetCore

/// Whose response it is: what keeps users apart in a cache.
///
/// The partition as it is, credentials as a SHA-256, so that no two owners share a key and no secret stands in one.
struct CacheOwner {
    /// The URL, normalised, without fragment and user information.
    let address: String
    /// A digest of the credentials in the request; nil if it has none.
    let credentials: String?
    private let partition: String?

    /// Headers that say who is asking, and are in every key where they are in the request.
    static let credentialHeaders = ["Authorization", "Cookie", "X-API-Key", "X-Auth-Token"]

    /// Nil for a URL without an authority, which is not one of HTTP.
    init?(url: URL, fields: [String: String], partition: String?) {
        guard let address = CacheAddress(url) else { return nil }
        self.address = address.text
        self.partition = partition
        var credentials: [(String, String)] = []
        if !fields.isEmpty {
            for name in Self.credentialHeaders {
                if let value = fields.value(of: name) { credentials.append((name, value)) }
            }
        }
        if let userInformation = address.userInformation { credentials.append(("@", userInformation)) }
        self.credentials = credentials.isEmpty ? nil : Self.digest(of: credentials)
    }

    /// Empty if nothing says whose it is.
    var marks: [String] {
        (partition.map { ["partition=" + Self.escaped($0)] } ?? []) + (credentials.map { ["credentials=" + $0] } ?? [])
    }

    /// For ``HTTPCacheKey/owner``.
    ///
    /// - Parameters:
    ///   - isShared: leaves out the credentials: the response is for all, or not stored.
    ///   - body: what stands for the request's body.
    func text(isShared: Bool, body: String?, fields: [String: String]) -> String {
        // The body of a response comes decoded, unless the request says itself which codings it takes.
        let isCoded = fields.value(of: "Accept-Encoding") != nil
        if partition == nil, credentials == nil || isShared, body == nil, !isCoded { return "" }
        var marks = isShared ? partition.map { ["partition=" + Self.escaped($0)] } ?? [] : self.marks
        if let body { marks.append("body=" + body) }
        if isCoded { marks.append("coded") }
        return marks.joined(separator: "&")
    }

    /// Each part stands behind its length, so that no two lists read the same.
    static func digest(of fields: [(name: String, value: String)]) -> String {
        let text = fields.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
        return SHA256.hex(Data(text.utf8))
    }

    /// Byte for byte: two partitions that differ only in their Unicode normalisation stay two.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
