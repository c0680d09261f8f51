internal import NetCore

/// The kinds of text in certificates.
enum DERText {
    /// Nil if it is no text, or not well-formed.
    static func text(_ element: DERReader.Element, in reader: DERReader) -> String? {
        let bytes = reader.bytes[element.content]
        switch element.tag {
        case 0x0C: return String(validatingUTF8Bytes: bytes)
        // Numeric, printable, IA5 and visible strings are ASCII. OpenSSL takes them, and Teletex, for Latin 1: so do we.
        case 0x12, 0x13, 0x14, 0x16, 0x1A: return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case 0x1E: return wide(bytes, size: 2)
        case 0x1C: return wide(bytes, size: 4)
        default: return nil
        }
    }

    /// BMPString and UniversalString: characters of two and of four bytes.
    private static func wide(_ bytes: ArraySlice<UInt8>, size: Int) -> String? {
        guard bytes.count.isMultiple(of: size) else { return nil }
        if size == 2 {
            let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(validatingUTF16: units)
        }
        var scalars = String.UnicodeScalarView()
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 4) {
            guard let scalar = Unicode.Scalar(bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
            else {
                return nil
            }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

extension String {
    fileprivate init?(validatingUTF8Bytes bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // What is not well-formed was replaced, and so is longer or other bytes now.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }

    fileprivate init?(validatingUTF16 units: [UInt16]) {
        let text = String(decoding: units, as: UTF16.self)
        guard text.utf16.elementsEqual(units) else { return nil }
        self = text
    }
}
