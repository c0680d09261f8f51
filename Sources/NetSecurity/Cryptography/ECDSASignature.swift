import NetCore

/// The two forms of an ECDSA signature over P-256.
enum ECDSASignature {
    /// The two numbers, 32 bytes each, from `SEQUENCE { INTEGER, INTEGER }` (RFC 3279, section 2.2.3); nil for anything else.
    static func pair(fromDER der: Data) -> Data? {
        var rest = [UInt8](der)[...]
        // Two numbers of at most 33 bytes: each length fits into one byte.
        guard rest.popFirst() == 0x30, let length = rest.popFirst(), Int(length) == rest.count,
            let first = number(&rest), let second = number(&rest), rest.isEmpty
        else { return nil }
        return first + second
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Data? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), length > 0, Int(length) <= rest.count else {
            return nil
        }
        let digits = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        guard digits.count <= 32 else { return nil }
        return Data(count: 32 - digits.count) + digits
    }
}

extension Cryptography {
    static func unfitKey(_ algorithm: SignatureAlgorithm) -> RequestBuildingError {
        RequestBuildingError("The private key is no \(algorithm) key in DER (PKCS#8).")
    }
}
