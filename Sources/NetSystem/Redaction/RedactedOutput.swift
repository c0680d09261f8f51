/// Builds the output of redaction: copies the bytes between replaced parts in runs.
struct RedactedOutput: ~Copyable {
    private let source: UnsafeBufferPointer<UInt8>
    // Raw memory, because `Data` checks its representation at each append, which costs more than copying a short run.
    private var result: UnsafeMutableRawPointer?
    private var capacity: Int
    private var count = 0
    /// The end of the part of the source that was copied or replaced.
    private var copied = 0

    /// The mark as a JSON string.
    private static let quotedMark: StaticString = "\"[REDACTED]\""

    init(_ source: UnsafeBufferPointer<UInt8>) {
        self.source = source
        capacity = source.count + source.count / 4 + 64
        result = malloc(capacity)
    }

    deinit {
        free(result)
    }

    /// Replaces a range with the mark in quotes. Ranges come in order.
    mutating func replace(_ range: Range<Int>) {
        copy(upTo: range.lowerBound)
        append(Self.quotedMark.utf8Start, 12)
        copied = range.upperBound
    }

    /// Replaces the rest of the source with the mark.
    mutating func markRest(from index: Int) {
        copy(upTo: index)
        append(Self.quotedMark.utf8Start + 1, Self.quotedMark.utf8CodeUnitCount - 2)
        copied = source.count
    }

    /// Returns the bytes. The output is empty afterwards.
    mutating func finish() -> Data {
        copy(upTo: source.count)
        guard let bytes = result, count > 0 else { return Data() }
        result = nil
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    private mutating func copy(upTo end: Int) {
        guard end > copied, let start = source.baseAddress else { return }
        append(start + copied, end - copied)
        copied = end
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
        if count + length > capacity { grow(by: length) }
        guard let result, count + length <= capacity else { return }
        memcpy(result + count, bytes, length)
        count += length
    }

    @inline(never)
    private mutating func grow(by length: Int) {
        let needed = (count + length) * 2
        // Without memory, nothing is shown.
        guard let larger = realloc(result, needed) else {
            capacity = 0
            count = 0
            return
        }
        capacity = needed
        result = larger
    }
}

/// A member of a JSON object that describes an error: a problem document (RFC 9457), or an object under `error` or `errors`.
enum ErrorMember {
    case code, message

    /// Creates the member with a name from ``FieldNames/errorMembers``.
    init(_ hash: UInt64) {
        self = hash == Self.codeHash ? .code : .message
    }

    /// Whether a field of that name contains descriptions of errors.
    static func isContainer(_ hash: UInt64) -> Bool { containers.contains(hash) }

    private static let codeHash = FieldNameSet.hash(of: "code".utf8)
    private static let containers = FieldNameSet(["error", "errors"])

    /// Whether a string has the form of this member. It may still be a secret.
    func fits(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        self == .message || Self.isCode(text)
    }

    /// Whether a number has the form of this member.
    func fitsNumber(length: Int) -> Bool { self == .code && length <= 7 }

    /// Whether the text consists of words (`card_declined`, `ERR-42`, `InvalidArgument`, `E1001`), unlike a generated password.
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
        // Several camel-case words have at least three letters each on average.
        return digits <= 6 && (humps == 1 || letters >= humps * 3)
    }
}
