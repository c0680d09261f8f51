/// What Linux 6.18 wrote to an rtnetlink socket, recorded in a network namespace of its own.
///
/// There were `lo` (1), `peer0` (2) and `eth0` (3), the two ends of a virtual cable, with 192.0.2.2/24 and 2001:db8::2/64 on
/// `eth0` and a default route of each family over it. The links were asked for with `IFLA_EXT_MASK`, as we ask.
enum NetlinkRecordings {
    /// From hexadecimal digits, line breaks left out.
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static var all: [[UInt8]] {
        [
            onlineLinks, onlineAddresses, onlineRoutes, defaultRouteRemoved, noCarrierLinks, noCarrierAddresses,
            noCarrierRoutes, carrierLost, downLinks, downAddresses, downRoutes, multipathRoutes,
        ]
    }
}
