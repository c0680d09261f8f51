/// What follows `password=`, `"token": ` and `Authorization: `.
extension TextCursor {
    /// How far the value goes of which a name says that it is secret.
    private enum Extent {
        /// To the next space or what ends a value in code, URLs and logs.
        case word
        /// As ``word``, but for short numbers: `code=404`.
        case longWord
        /// As ``longWord``, but for words of letters too: `code: not_found`.
        case doubtfulWord
        /// Several words: to the end of the line or the next assignment.
        case phrase
        /// To the end of the line, or of the quotation in which the whole stands: fields of messages.
        case line
    }

    func assignedValue(at sign: Int, _ rules: RedactionRules) -> Range<Int>? {
        var nameEnd = sign
        while nameEnd > 0, bytes[nameEnd - 1].isQuoteOrSpace || bytes[nameEnd - 1] == backslash, sign - nameEnd < 8 {
            nameEnd -= 1
        }
        var nameStart = nameEnd
        var hasLetter = false
        while nameStart > 0, bytes[nameStart - 1].isNamePart, nameEnd - nameStart < 64 {
            nameStart -= 1
            hasLetter = hasLetter || bytes[nameStart] > UInt8(ascii: "9")
        }
        // The time of day has none.
        guard hasLetter, let extent = extent(ofName: nameStart..<nameEnd, sign: bytes[sign], rules) else {
            return nil
        }
        var start = sign + 1
        while start < bytes.count, " \t\r\n".utf8.contains(bytes[start]) { start += 1 }
        let escapes = start
        while start < bytes.count, bytes[start] == backslash { start += 1 }
        guard start < bytes.count, !has(Redactor.mark, at: start) else { return nil }
        if bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") {
            let end = quotationEnd(from: start + 1, quote: bytes[start], escapes: start - escapes)
            return value(start + 1, end, extent, isQuoted: true)
        }
        switch extent {
        case .word, .longWord, .doubtfulWord:
            var end = start
            while end < bytes.count, !" \t\r\n\"'&,;<>)}]".utf8.contains(bytes[end]) { end += 1 }
            return value(start, end, extent, isQuoted: false)
        case .phrase:
            return value(
                start, phraseEnd(from: start, endsAtAmpersand: bytes[sign] == UInt8(ascii: "=")), extent,
                isQuoted: false)
        case .line:
            let quote = nameStart > 0 ? bytes[nameStart - 1] : 0
            let closing = quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") ? quote : UInt8(ascii: "\n")
            var end = start
            while end < bytes.count, bytes[end] != closing, !"\r\n".utf8.contains(bytes[end]),
                bytes[end] != UInt8(ascii: "&") || bytes[sign] != UInt8(ascii: "=")
            {
                end += 1
            }
            return value(start, end, extent, isQuoted: false)
        }
    }

    /// The range without the scheme of an `Authorization` field; nil if it is nothing secret.
    private func value(_ start: Int, _ end: Int, _ extent: Extent, isQuoted: Bool) -> Range<Int>? {
        guard end > start, !has(Redactor.mark, at: start) else { return nil }
        var wordEnd = start
        while wordEnd < end, !" \t,;.".utf8.contains(bytes[wordEnd]), wordEnd - start < 24 { wordEnd += 1 }
        let word = Self.lowercased(bytes[start..<wordEnd])
        if wordEnd < end, bytes[wordEnd] == UInt8(ascii: " "), extent != .phrase, Self.schemes.contains(word) {
            var rest = wordEnd
            while rest < end, bytes[rest] == UInt8(ascii: " ") { rest += 1 }
            return rest < end && !has(Redactor.mark, at: rest) ? rest..<end : nil
        }
        // A scheme alone, as in `"token_type": "bearer"`. A password may begin with any word.
        if wordEnd == end, Self.schemes.contains(word) { return nil }
        if !isQuoted, wordEnd == end || extent != .phrase, Self.states.contains(word) { return nil }
        if extent == .longWord || extent == .doubtfulWord, isShortNumber(start..<end) { return nil }
        if extent == .doubtfulWord, isPlain(start..<end) { return nil }
        return start..<end
    }

    /// `404`, `-1`
    private func isShortNumber(_ range: Range<Int>) -> Bool {
        let digits = bytes[range].drop { $0 == UInt8(ascii: "-") }
        return digits.count <= 3 && digits.allSatisfy(\.isDigit)
    }

    /// A word of letters in one case: `invalid_grant`, `ENOENT`.
    private func isPlain(_ range: Range<Int>) -> Bool {
        let letters = bytes[range].lazy.filter { !"_-.".utf8.contains($0) }
        return range.count <= 24 && (letters.allSatisfy(\.isLower) || letters.allSatisfy(\.isUpper))
    }

    /// The end of the line, or of the last word before the next assignment: `password=correct horse user=jane`.
    private func phraseEnd(from start: Int, endsAtAmpersand: Bool) -> Int {
        var end = start
        var word: Int?
        while end < bytes.count {
            let byte = bytes[end]
            if "\r\n\"'<>".utf8.contains(byte) || endsAtAmpersand && byte == UInt8(ascii: "&") { break }
            if byte == UInt8(ascii: "="), let word, word > start, end > word { return word - 1 }
            if byte == UInt8(ascii: " ") { word = end + 1 } else if !byte.isNamePart { word = nil }
            end += 1
        }
        return end
    }

    /// Where the quote is that closes a quotation, or the end of the text. In JSON within JSON quotes have a backslash before them, or three.
    private func quotationEnd(from start: Int, quote: UInt8, escapes: Int) -> Int {
        var end = start
        var run = 0
        while end < bytes.count {
            if bytes[end] == backslash {
                run += 1
            } else {
                if bytes[end] == quote, run % (2 * (escapes + 1)) == escapes { return max(start, end - escapes) }
                run = 0
            }
            end += 1
        }
        return end
    }

    private func extent(ofName name: Range<Int>, sign: UInt8, _ rules: RedactionRules) -> Extent? {
        guard rules.isSecret(bytes[name]) else { return nil }
        let normalized = String(decoding: FieldNames.normalized(bytes[name]), as: UTF8.self)
        if normalized.hasSuffix("authorization") || normalized.hasSuffix("cookie") || normalized.hasSuffix("cookies") {
            return .line
        }
        if Self.doubtful.contains(normalized) {
            if isQualified(name.lowerBound) { return nil }
            return sign == UInt8(ascii: ":") ? .doubtfulWord : .longWord
        }
        if Self.short.contains(normalized) { return .longWord }
        return ["pass", "pwd", "pw", "mnemonic", "seedphrase", "secret"].contains { normalized.contains($0) }
            ? .phrase : .word
    }

    /// Whether the word before says that this is another code or key: `exit code`, `primary key`.
    private func isQualified(_ start: Int) -> Bool {
        guard start > 1, bytes[start - 1] == UInt8(ascii: " ") else { return false }
        var first = start - 1
        while first > 0, bytes[first - 1].isNamePart, start - first < 16 { first -= 1 }
        return Self.qualifiers.contains(Self.lowercased(bytes[first..<(start - 1)]))
    }

    private static func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: bytes.lazy.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Secret as names, and words of messages too.
    private static let doubtful: Set<String> = ["code", "key", "auth", "card"]
    private static let short: Set<String> = ["sig", "nonce", "salt", "sid", "pan"]

    private static let qualifiers: Set<String> = [
        "exit", "error", "status", "response", "result", "return", "http", "reason", "country", "zip", "postal", "area",
        "language",
        "currency", "source", "close", "primary", "foreign", "partition", "sort", "cache", "public", "unique", "row",
        "hash", "index",
        "dictionary", "coding", "unknown", "missing", "duplicate", "json", "routing", "graphics", "sim", "sd",
        "network", "video",
    ]

    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "token", "negotiate", "ntlm", "apikey", "aws4-hmac-sha256", "hmac", "oauth",
        "mutual", "hawk", "key",
        "dpop", "signature", "scram-sha-1", "scram-sha-256", "vapid", "sharedkey", "sharedaccesssignature", "jwt",
        "splunk", "ssws",
    ]

    /// What messages say of tokens, sessions and passwords instead of showing them.
    private static let states: Set<String> = [
        "expired", "invalid", "missing", "none", "null", "nil", "empty", "required", "valid", "ok", "true", "false",
        "yes", "no",
        "started", "ended", "closed", "opened", "open", "refreshed", "revoked", "found", "not", "unknown", "present",
        "absent", "set", "unset",
        "rejected", "accepted", "failed", "undefined", "denied", "created", "deleted", "restored", "active", "inactive",
        "must", "is", "was",
        "too", "cannot", "the", "please",
    ]
}

private let backslash = UInt8(ascii: "\\")
