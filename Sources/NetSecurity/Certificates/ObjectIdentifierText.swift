internal import NetCore

/// The dotted text of an object identifier (ITU-T X.690, section 8.19): `2.5.4.3`.
enum ObjectIdentifierText {
    /// - Throws: for one that is empty, ends within a number, or begins a number with zeros.
    static func text(_ element: DERReader.Element, in reader: DERReader) throws(CertificateError) -> String {
        var arcs: [String] = []
        // Decimal digits, the lowest first: numbers may be larger than any integer (a UUID has 128 bits).
        var digits: [Int] = []
        var isInside = false
        for byte in reader.bytes[element.content] {
            guard isInside || byte != 0x80, digits.count < 64 else {
                throw .malformed("an object identifier that is none", offset: element.start)
            }
            multiply(&digits, by: 128, adding: Int(byte & 0x7F))
            isInside = byte & 0x80 != 0
            guard !isInside else { continue }
            if arcs.isEmpty {
                // The first two numbers are in one.
                let small = digits.count > 2 ? 80 : digits.reversed().reduce(0) { $0 * 10 + $1 }
                let first = min(2, small / 40)
                subtract(40 * first, from: &digits)
                arcs.append(String(first))
            }
            arcs.append(digits.reversed().map(String.init).joined())
            digits = []
        }
        guard !arcs.isEmpty, !isInside else {
            throw .malformed("an object identifier that is none", offset: element.start)
        }
        return arcs.joined(separator: ".")
    }

    private static func multiply(_ digits: inout [Int], by factor: Int, adding summand: Int) {
        var carry = summand
        for index in digits.indices {
            let value = digits[index] * factor + carry
            digits[index] = value % 10
            carry = value / 10
        }
        while carry > 0 {
            digits.append(carry % 10)
            carry /= 10
        }
        if digits.isEmpty { digits = [0] }
    }

    private static func subtract(_ number: Int, from digits: inout [Int]) {
        var borrow = number
        for index in digits.indices {
            var value = digits[index] - borrow % 10
            borrow /= 10
            if value < 0 {
                value += 10
                borrow += 1
            }
            digits[index] = value
        }
        while digits.count > 1, digits.last == 0 { digits.removeLast() }
    }
}
