internal import NetCore

/// The slots of a Redis Cluster (<https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model>).
enum ClusterSlot {
    /// Returns the slot of a key, from 0 to 16383: of the text between the first `{` and the next `}` if there is any, else of the whole key.
    static func of(_ key: Data) -> Int {
        var tag = key[...]
        if let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        {
            tag = key[(open + 1)..<close]
        }
        return Int(crc16(tag)) % 16_384
    }

    /// CRC16-CCITT (XMODEM).
    static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte) << 8) { crc, _ in crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
        }
    }
}

/// The error with which a node of a cluster names the node of a slot: `MOVED 3999 10.0.0.2:6379`.
struct ClusterRedirection {
    let slot: Int
    let address: RedisAddress
    /// Whether the slot has moved (`MOVED`). If not, only this command goes to the other node (`ASK`).
    let isPermanent: Bool

    /// Nil for any other error.
    init?(_ words: String, from node: RedisAddress) {
        let parts = words.split(separator: " ")
        guard parts.count == 3, parts[0] == "MOVED" || parts[0] == "ASK", let slot = Int(parts[1]),
            (0..<16_384).contains(slot),
            let colon = parts[2].lastIndex(of: ":"), let port = Int(parts[2][parts[2].index(after: colon)...]),
            let address = Self.address(String(parts[2][..<colon]), port: port, from: node)
        else { return nil }
        self.slot = slot
        self.address = address
        isPermanent = parts[0] == "MOVED"
    }

    /// The address of a node, or nil if it is not one.
    ///
    /// - Parameters:
    ///   - host: empty for the host of the node that named it.
    ///   - node: the node that named it.
    static func address(_ host: String, port: Int, from node: RedisAddress) -> RedisAddress? {
        guard (1...65_535).contains(port) else { return nil }
        if !host.isEmpty { return .tcp(host: host, port: port) }
        guard case .tcp(let host, _) = node else { return nil }
        return .tcp(host: host, port: port)
    }
}
