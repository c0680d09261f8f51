internal import NetCore

/// The host, or hosts, for which pins are.
struct HostPattern: Hashable {
    /// The name without the star, as ``HostName/normalized(_:)`` spells it.
    let name: String
    let isWildcard: Bool

    init(_ text: String) throws(PinningError) {
        isWildcard = text.hasPrefix("*.")
        name = HostName.normalized(isWildcard ? String(text.dropFirst(2)) : text)
        guard IPAddress(name) == nil ? Self.isName(name) : !isWildcard else { throw .invalidHost(text) }
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
}
