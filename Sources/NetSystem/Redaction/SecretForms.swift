/// What secrets look like.
enum SecretForms {
    /// Lower-case schemes of `Authorization`, whose credentials are recognised in any text.
    static let schemes = ["bearer", "basic", "digest", "token"]

    /// The prefixes of the keys of known services.
    private static let prefixes = [
        "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk-", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_",
        "glpat-", "gldt-", "glrt-", "glptt-", "xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxe-", "xoxr-", "xapp-", "AKIA",
        "ASIA", "AIza", "ya29.", "GOCSPX-", "npm_", "pypi-", "SG.", "hf_", "shpat_", "shpss_", "shpca_", "shppa_",
        "whsec_", "dop_v1_", "doo_v1_", "dor_v1_", "sq0atp-", "sq0csp-", "lin_api_", "dckr_pat_", "PMAK-", "pul-",
        "sbp_", "hvs.", "hvb.", "AGE-SECRET-KEY-1", "figd_", "ATATT3x", "sntrys_", "rubygems_", "nfp_", "gsk_", "xai-",
        "pplx-", "r8_", "ntn_", "secret_", "EAAA", "dapi", "key-",
    ]

    /// The prefixes by their first byte, so that text is read once.
    static let prefixesByLetter = (0...255).map { byte in prefixes.filter { $0.utf8.first == UInt8(byte) } }

    /// A bit for each pair of bytes with which a secret may start. Most of a text is skipped with one look for each byte.
    static let starts: [UInt64] = {
        var bits = [UInt64](repeating: 0, count: 1 << 10)
        // Any second byte.
        for first in "0123456789=:>".utf8 { for word in 0..<4 { bits[Int(first) << 2 | word] = .max } }
        for start in ["ey", "--"] + prefixes + schemes {
            let pair = start.utf8.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            // A scheme in any case.
            for change in schemes.contains(start) ? [0, 0x20, 0x2000, 0x2020] : [0] {
                bits[(pair ^ change) >> 6] |= 1 << UInt64((pair ^ change) & 63)
            }
        }
        return bits
    }()
}

/// Recognises long random words.
enum RandomWords {
    private static let shortest = 16

    /// Whether there is a random word: at least 20 characters with lower-case and upper-case letters and digits, or 16 letters and digits
    /// in a row with several changes between them, as in hexadecimal. UUIDs, which usually are identifiers, count by choice.
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

    private static func isBreak(_ byte: UInt8) -> Bool {
        // Control characters, space, and `"&'(),/;<>?`, as bits.
        byte < 64 && 0xD800_93C5_FFFF_FFFF as UInt64 >> UInt64(byte) & 1 == 1
    }

    private static func isRandom(_ word: Slice<UnsafeBufferPointer<UInt8>>, countsUUIDs: Bool) -> Bool {
        // 1 is a digit, 2 an upper-case letter, 4 a lower-case one.
        var (kinds, previous) = (0, 0)
        // Of the current run of letters and digits.
        var (length, changes, caseChanges) = (0, 0, 0)
        for byte in word {
            let kind = byte.isDigit ? 1 : byte.isUpper ? 2 : byte.isLower ? 4 : 0
            kinds |= kind
            if kind == 0 {
                (length, changes, caseChanges) = (0, 0, 0)
            } else {
                if length > 0, kind != previous {
                    if kind | previous == 6 { caseChanges += 1 } else { changes += 1 }
                }
                length += 1
                if length >= shortest, changes >= 3 || caseChanges >= 6 && caseChanges * 3 >= length { return true }
            }
            previous = kind
        }
        if word.count >= 20, kinds == 7 { return true }
        return countsUUIDs && word.count == 36
            && word.allSatisfy { $0 == UInt8(ascii: "-") || PercentEncoding.hex($0) != nil }
    }
}
