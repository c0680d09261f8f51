/// Finds secrets in text by their form: JSON web tokens, card numbers, keys of well-known services, `Bearer …`, `password=…`,
/// `<password>…`, `://user:password@`, private keys.
enum SecretScanner {
    /// Returns the text with each secret replaced by the mark.
    ///
    /// - Parameter limit: the maximum number of bytes to show. The mark replaces the rest, including a word that crosses the limit.
    static func scrub(_ text: String, _ rules: RedactionRules, limit: Int = .max) -> String {
        // A shorter text cannot contain a secret.
        guard text.utf8.count >= shortest else { return text }
        var copy = text
        return copy.withUTF8 { bytes -> String? in
            let end = shownEnd(of: bytes, limit: limit)
            // Looks beyond the last word, so that a secret that crosses the end is recognised.
            let seen = end == bytes.count ? end : min(bytes.count, limit + lookahead)
            var search = SecretSearch(UnsafeBufferPointer(rebasing: bytes[..<seen]))
            var ranges: [Range<Int>] = []
            while let range = search.next(rules) { ranges.append(range) }
            guard end < bytes.count || !ranges.isEmpty else { return nil }
            var result: [UInt8] = []
            var copied = 0
            for range in ranges where range.upperBound > copied && range.lowerBound < end {
                if range.lowerBound > copied || copied == 0 {
                    result += UnsafeBufferPointer(rebasing: bytes[copied..<max(copied, range.lowerBound)])
                    result += Redactor.mark.utf8
                }
                copied = range.upperBound
            }
            // Otherwise the last mark also covers the text after the end.
            if copied < end || end == 0 {
                result += UnsafeBufferPointer(rebasing: bytes[copied..<end])
                if end < bytes.count { result += Redactor.mark.utf8 }
            }
            return String(decoding: result, as: UTF8.self)
        } ?? text
    }

    /// Enough for a card number with its separators, or the start of a token.
    private static let lookahead = 256

    /// Returns the end of the last whole word within the limit.
    private static func shownEnd(of bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        return bytes[..<limit].lastIndex { " ,;\t".utf8.contains($0) }.map { $0 + 1 } ?? 0
    }

    /// Whether a value is or contains a secret: the forms above, a long random word, or JSON or base64 of JSON, which may contain anything.
    static func holdsSecret(_ value: String, _ rules: RedactionRules) -> Bool {
        guard value.utf8.count >= shortest else { return rules.isStrict && value.contains("@") }
        var copy = value
        return copy.withUTF8 { holdsSecret($0, rules) }
    }

    static func holdsSecret(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> Bool {
        guard bytes.count >= shortest else { return rules.isStrict && bytes.contains(UInt8(ascii: "@")) }
        let first = bytes.first { $0 != UInt8(ascii: " ") }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return true }
        if rules.isStrict, bytes.contains(UInt8(ascii: "@")) { return true }
        var search = SecretSearch(bytes)
        return search.next(rules) != nil || RandomWords.contains(in: bytes, countsUUIDs: rules.isStrict)
    }

    /// The length of `pw=x`.
    static let shortest = 4
}

/// Finds the secrets in text one after the other.
struct SecretSearch {
    private var cursor: TextCursor
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        cursor = TextCursor(bytes: bytes)
    }

    /// Returns the range of the next secret. Ranges may overlap.
    mutating func next(_ rules: RedactionRules) -> Range<Int>? {
        let bytes = cursor.bytes
        let starts = SecretStarts.all
        while true {
            var start = index
            while start < bytes.count, !starts.contains(bytes[start], start + 1 < bytes.count ? bytes[start + 1] : 0) {
                start += 1
            }
            index = start + 1
            guard start < bytes.count else { return nil }
            if let found = secret(at: start, rules) {
                index = max(index, found.upperBound)
                return found
            }
            // No other secret starts within digits and their separators.
            index = max(index, cursor.digitsSeen)
        }
    }

    private mutating func secret(at index: Int, _ rules: RedactionRules) -> Range<Int>? {
        switch cursor.bytes[index] {
        case UInt8(ascii: "e"): cursor.webToken(at: index)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): cursor.cardNumber(at: index)
        case UInt8(ascii: "="): cursor.assignedValue(at: index, rules)
        case UInt8(ascii: ":"):
            cursor.assignedValue(at: index, rules) ?? cursor.userInformation(behind: index)
                ?? cursor.password(behind: index)
        case UInt8(ascii: ">"): cursor.elementText(behind: index, rules)
        case UInt8(ascii: "-"): cursor.privateKey(at: index)
        default: cursor.isWordStart(index) ? cursor.credential(at: index) : nil
        }
    }
}

/// The pairs of bytes with which a secret may start. Most of a text is skipped with one look into the table for each byte.
struct SecretStarts {
    static let all = SecretStarts()

    /// A bit for each pair.
    private let bits: [UInt64]

    private init() {
        var bits = [UInt64](repeating: 0, count: 1 << 10)
        func add(_ first: UInt8, _ second: UInt8) {
            let pair = Int(first) << 8 | Int(second)
            bits[pair >> 6] |= 1 << UInt64(pair & 63)
        }
        for byte in "0123456789=:>".utf8 { for second in UInt8.min...UInt8.max { add(byte, second) } }
        for start in ["ey", "--"] + KeyPrefixes.all { Self.pair(start).map { add($0, $1) } }
        for scheme in KeyPrefixes.schemes {
            guard let (first, second) = Self.pair(scheme) else { continue }
            // The scheme's name in any case.
            for first in [first, first & ~0x20] { for second in [second, second & ~0x20] { add(first, second) } }
        }
        self.bits = bits
    }

    /// Whether a secret may start with the first byte. The second is the byte behind it, 0 at the end.
    @inline(__always)
    func contains(_ first: UInt8, _ second: UInt8) -> Bool {
        bits[Int(first) << 2 | Int(second) >> 6] >> UInt64(second & 63) & 1 == 1
    }

    private static func pair(_ text: String) -> (UInt8, UInt8)? {
        let bytes = Array(text.utf8.prefix(2))
        return bytes.count == 2 ? (bytes[0], bytes[1]) : nil
    }
}

/// The prefixes of services' keys and tokens.
enum KeyPrefixes {
    /// The prefixes by their first byte, so that text is read once.
    static let byLetter: [[String]] = (0...255).map { byte in all.filter { $0.utf8.first == UInt8(byte) } }

    /// Lower-case schemes of `Authorization`, whose credentials are recognised in any text.
    static let schemes = ["bearer", "basic", "digest", "token"]

    /// The prefixes of the keys of known services, at least two bytes each: see ``SecretStarts``.
    static let all = [
        "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk-", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_",
        "glpat-", "gldt-", "glrt-", "glptt-", "xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxe-", "xoxr-", "xapp-", "AKIA",
        "ASIA", "AIza", "ya29.", "GOCSPX-", "npm_", "pypi-", "SG.", "hf_", "shpat_", "shpss_", "shpca_", "shppa_",
        "whsec_", "dop_v1_", "doo_v1_", "dor_v1_", "sq0atp-", "sq0csp-", "lin_api_", "dckr_pat_", "PMAK-", "pul-",
        "sbp_", "hvs.", "hvb.", "AGE-SECRET-KEY-1", "figd_", "ATATT3x", "sntrys_", "rubygems_", "nfp_", "gsk_", "xai-",
        "pplx-", "r8_", "ntn_", "secret_", "EAAA", "dapi", "key-",
    ]
}

/// Recognises long random words.
enum RandomWords {
    /// Whether there is a random word: at least 20 characters with lower-case and upper-case letters and digits, or 16 letters and digits
    /// in a row with several changes between them, as in hexadecimal.
    ///
    /// - Parameter countsUUIDs: whether a UUID counts. Usually they are identifiers.
    static func contains(in bytes: UnsafeBufferPointer<UInt8>, countsUUIDs: Bool) -> Bool {
        // The start of a word, or a break.
        var start = 0
        while bytes.count - start >= shortest {
            var end = start + shortest
            // From the end, since all words up to the last break are too short: most bytes are never looked at.
            if let last = (start..<end).last(where: { isBreak(bytes[$0]) }) {
                start = last + 1
                continue
            }
            while end < bytes.count, !isBreak(bytes[end]) { end += 1 }
            if isRandom(bytes[start..<end], countsUUIDs: countsUUIDs) { return true }
            start = end
        }
        return false
    }

    private static let shortest = 16

    private static func isBreak(_ byte: UInt8) -> Bool {
        // Control characters, space, and `"&'(),/;<>?`, as bits.
        byte < 64 && 0xD800_93C5_FFFF_FFFF as UInt64 >> UInt64(byte) & 1 == 1
    }

    private static func isRandom(_ word: Slice<UnsafeBufferPointer<UInt8>>, countsUUIDs: Bool) -> Bool {
        var (hasUpper, hasLower, hasDigit) = (false, false, false)
        // Of the current run of letters and digits.
        var (length, changes, letterRunChanges) = (0, 0, 0)
        var previous = Kind.other
        var isPieceRandom = false
        for byte in word {
            let kind = Kind(byte)
            switch kind {
            case .upper: hasUpper = true
            case .lower: hasLower = true
            case .digit: hasDigit = true
            case .other: break
            }
            if kind == .other {
                (length, changes, letterRunChanges) = (0, 0, 0)
            } else {
                if length > 0, kind != previous {
                    if kind == .digit || previous == .digit { changes += 1 } else { letterRunChanges += 1 }
                }
                length += 1
                if length >= shortest, changes >= 3 || letterRunChanges >= 6 && letterRunChanges * 3 >= length {
                    isPieceRandom = true
                }
            }
            previous = kind
        }
        guard isPieceRandom || word.count >= 20 && hasUpper && hasLower && hasDigit else {
            return countsUUIDs && isUUID(word)
        }
        return true
    }

    private static func isUUID(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        word.count == 36
            && word.enumerated().allSatisfy { offset, byte in
                [8, 13, 18, 23].contains(offset) ? byte == UInt8(ascii: "-") : PercentEncoding.hex(byte) != nil
            }
    }

    private enum Kind {
        case upper, lower, digit, other

        init(_ byte: UInt8) {
            self = byte.isDigit ? .digit : byte.isUpper ? .upper : byte.isLower ? .lower : .other
        }
    }
}
