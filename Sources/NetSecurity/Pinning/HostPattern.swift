internal import NetCore

/// The host, or hosts, for which pins are.
struct HostPattern: Hashable {
    /// The name without the star; ASCII in lower case.
    let name: String
    let isWildcard: Bool

    init(_ text: String) throws(PinningError) {
        isWildcard = text.hasPrefix("*.")
        name = Self.normalized(isWildcard ? String(text.dropFirst(2)) : text)
        guard Self.isName(name) || !isWildcard && Self.isAddress(name) else { throw .invalidHost(text) }
    }

    /// In lower case, without the dot of the root at the end and the brackets of an IPv6 address: spellings of one host.
    static func normalized(_ host: String) -> String {
        var host = host.asciiLowercased[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host)
    }

    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && label.utf8.allSatisfy(isLetter)
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }
}
