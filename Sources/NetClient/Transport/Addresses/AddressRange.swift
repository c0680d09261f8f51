import NetCore

/// The addresses that begin with the same bits (CIDR, RFC 4632).
struct AddressRange: Hashable, Sendable {
    private let start: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// - Parameter length: how many bits, of 32 or 128; nil if the address has fewer.
    init?(_ start: IPAddress, length: Int) {
        let limit = start.ipv4 == nil ? 128 : 32
        guard (0...limit).contains(length) else { return nil }
        let bits = 128 - limit + length
        highMask = bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits))
        lowMask = bits >= 128 ? .max : bits <= 64 ? 0 : ~(UInt64.max >> UInt64(bits - 64))
        self.start = start
    }

    /// `10.0.0.0/8`, `fd00::/8`, or an address by itself.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let start = parts.first.flatMap(IPAddress.init) else { return nil }
        guard parts.count == 2 else {
            self.init(start, length: start.ipv4 == nil ? 128 : 32)
            return
        }
        guard let length = Int(parts[1]), parts[1].allSatisfy(\.isNumber) else { return nil }
        self.init(start, length: length)
    }

    func contains(_ address: IPAddress) -> Bool {
        (address.high ^ start.high) & highMask == 0 && (address.low ^ start.low) & lowMask == 0
    }
}
