import NetCore

/// What a file has to be: a digest that the caller got from somewhere it trusts.
public struct DownloadChecksum: Hashable, Sendable, Codable, CustomStringConvertible {
    /// 32 bytes.
    let sha256: Data

    private init(_ bytes: Data) { sha256 = bytes }

    /// By SHA-256.
    ///
    /// - Parameter hex: 64 hexadecimal digits, as `sha256sum` prints them; nil for anything else.
    public static func sha256(_ hex: String) -> DownloadChecksum? {
        guard hex.utf8.count == 64 else { return nil }
        var bytes = Data(capacity: 32)
        var high: UInt8?
        for digit in hex.utf8 {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return DownloadChecksum(bytes)
    }

    /// By a digest field (RFC 9530: `Repr-Digest`, `Content-Digest`), which is a dictionary (RFC 8941): `sha-256=:base64:`. Other
    /// algorithms are left out; nil if there is none left, or what is there is no digest.
    init?(field: String?) {
        guard let field else { return nil }
        var found: Data?
        for member in field.listMembers() {
            guard let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")), member[..<equals] == "sha-256" else {
                continue
            }
            // Parameters, which mean nothing here, stand behind a semicolon.
            let value = member[member.utf8.index(after: equals)...].prefix { $0 != ";" }.trimmingHTTPWhitespace
            guard value.utf8.count > 2, value.hasPrefix(":"), value.hasSuffix(":"),
                let bytes = Data(base64Encoded: String(value.dropFirst().dropLast())), bytes.count == 32
            else { return nil }
            // Of several members with one key the last one stands.
            found = bytes
        }
        guard let found else { return nil }
        self.init(found)
    }

    /// `sha-256:` and 64 hexadecimal digits.
    public var description: String { "sha-256:" + sha256.hexadecimal }
}
