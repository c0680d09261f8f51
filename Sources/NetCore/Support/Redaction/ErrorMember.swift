/// A member of a JSON object that describes an error: a problem document (RFC 9457), or what stands under `error` or `errors`.
enum ErrorMember {
    case code, message

    /// The member of that name. The name is one of ``FieldNames/errorMembers``.
    init(_ hash: UInt64) {
        self = hash == Self.codeHash ? .code : .message
    }

    /// Whether a field of that name holds descriptions of errors.
    static func isContainer(_ hash: UInt64) -> Bool { containers.contains(hash) }

    private static let codeHash = FieldNameSet.hash(ofNormalized: "code".utf8)
    private static let containers = FieldNameSet(["error", "errors"])

    /// Whether a string looks like what the member holds. Whether it is a secret is another question.
    func fits(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        self == .message || Self.isCode(text)
    }

    /// Whether a number does.
    func fitsNumber(length: Int) -> Bool { self == .code && length <= 7 }

    /// Words as people write them (`card_declined`, `ERR-42`, `InvalidArgument`, `E1001`), not as a generator of passwords does.
    private static func isCode(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard !text.isEmpty, text.count <= 48 else { return false }
        var (letters, digits, humps) = (0, 0, 1)
        var previous = UInt8(ascii: "_")
        for byte in text {
            if byte.isDigit {
                digits += 1
            } else if byte.isLower || byte.isUpper {
                letters += 1
                if byte.isUpper, previous.isLower || previous.isDigit { humps += 1 }
                if byte.isLower, previous.isDigit { humps += 1 }
            } else {
                guard "_-./: ".utf8.contains(byte), previous.isDigit || previous.isLower || previous.isUpper else {
                    return false
                }
            }
            previous = byte
        }
        // Humps of a word have three letters at least; words of one hump may have fewer.
        return digits <= 6 && (humps == 1 || letters >= humps * 3)
    }
}
