/// Recognises the values of `password=`, `"token": ` and `Authorization: `.
extension TextCursor {
    /// The extent of the value of a secret name.
    private enum Extent {
        /// To the next space or delimiter of code, URLs and logs.
        case word
        /// Like ``word``, except short numbers: `code=404`.
        case longWord
        /// Like ``longWord``, except words of letters: `code: not_found`.
        case doubtfulWord
        /// Like ``word``, except numbers: `max_tokens: 4096`.
        case number
        /// Several words: to the end of the line or the next assignment.
        case phrase
        /// To the end of the line, or of the quotation that contains the whole: header fields.
        case line
    }

    func assignedValue(at sign: Int, _ rules: RedactionRules) -> Range<Int>? {
        guard let name = name(before: sign), let extent = extent(ofName: name, sign: bytes[sign], rules) else {
            return nil
        }
        var start = sign + 1
        // `=>`, `==`, `:=`
        while start < bytes.count, "=>".utf8.contains(bytes[start]), start - sign < 3 { start += 1 }
        while start < bytes.count, bytes[start].isSpace { start += 1 }
        start = startOfQuotation(in: start)
        let escapes = start
        while start < bytes.count, bytes[start] == backslash { start += 1 }
        guard start < bytes.count, !has(Redactor.mark, at: start) else { return nil }
        if bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") {
            let end = quotationEnd(from: start + 1, quote: bytes[start], escapes: start - escapes)
            return value(start + 1, end, extent, isQuoted: true)
        }
        if start - escapes == 1, has(Self.escapedQuote, at: escapes) {
            let begin = escapes + Self.escapedQuote.utf8.count
            var end = begin
            while end < bytes.count, !has(Self.escapedQuote, at: end) { end += 1 }
            return value(begin, end, extent, isQuoted: true)
        }
        if let end = structureEnd(from: start, extent) { return start..<end }
        if bytes[start] == UInt8(ascii: "<") { start += 1 }
        switch extent {
        case .word, .longWord, .doubtfulWord, .number:
            var end = start
            while end < bytes.count, !bytes[end].endsValue { end += 1 }
            return value(start, end, extent, isQuoted: false)
        case .phrase:
            return value(
                start, phraseEnd(from: start, endsAtAmpersand: bytes[sign] == UInt8(ascii: "=")), extent,
                isQuoted: false)
        case .line:
            return value(start, lineEnd(from: start, name: name, sign: bytes[sign]), extent, isQuoted: false)
        }
    }

    /// Returns the text in `<password>…</password>`, given the first `>`.
    func elementText(behind sign: Int, _ rules: RedactionRules) -> Range<Int>? {
        guard let name = name(before: sign), name.upperBound == sign, name.lowerBound > 0,
            "<:".utf8.contains(bytes[name.lowerBound - 1]),
            let extent = extent(ofName: name, sign: bytes[sign], rules), extent == .word || extent == .phrase
        else { return nil }
        var start = sign + 1
        while start < bytes.count, bytes[start].isSpace { start += 1 }
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "<") { end += 1 }
        return value(start, end, extent, isQuoted: false)
    }

    /// Returns the word before a sign, which may be quoted: `"token" :`, `user[token]=`. It has a letter, unlike a time of day.
    private func name(before sign: Int) -> Range<Int>? {
        var end = sign
        trimming: while end > 0, sign - end < 8 {
            switch bytes[end - 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: " "), UInt8(ascii: "]"), backslash: end -= 1
            // The last byte of the escaped quote.
            case UInt8(ascii: "2") where has(Self.escapedQuote, at: end - Self.escapedQuote.utf8.count):
                end -= Self.escapedQuote.utf8.count
            default: break trimming
            }
        }
        var start = end
        var hasLetter = false
        while start > 0, bytes[start - 1].isNamePart, end - start < 64 {
            start -= 1
            hasLetter = hasLetter || bytes[start] > UInt8(ascii: "9")
        }
        return hasLetter ? start..<end : nil
    }

    /// Returns the start of the quotation in `Optional("…")`, `Secret(value: "…")`, `b'…'` and `@"…"`, or the given position if there is none.
    private func startOfQuotation(in start: Int) -> Int {
        var place = start
        for _ in 0..<4 {
            let word = place
            while place < bytes.count, bytes[place].isNamePart || ".@".utf8.contains(bytes[place]), place - word < 40 {
                place += 1
            }
            guard place < bytes.count else { return start }
            if bytes[place] == UInt8(ascii: "(") {
                place += 1
            } else if word > start, has(": ", at: place) {
                place += 2
            } else {
                let isQuote = bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'")
                return isQuote && place - word <= 2 || bytes[place] == backslash && place == word ? place : start
            }
        }
        return start
    }

    /// Returns the end of an array or an object: `["…", "…"]`. Nil if there is none.
    private func structureEnd(from start: Int, _ extent: Extent) -> Int? {
        guard [.word, .number, .phrase].contains(extent), "[{".utf8.contains(bytes[start]) else { return nil }
        if extent == .phrase {
            // A password may also start with a bracket.
            var next = start + 1
            while next < bytes.count, bytes[next] == backslash || bytes[next] == UInt8(ascii: " ") { next += 1 }
            guard next < bytes.count, "\"'[{".utf8.contains(bytes[next]) else { return nil }
        }
        var depth = 0
        var isQuoted = false
        for end in start..<bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "\"") where bytes[end - 1] != backslash: isQuoted.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += isQuoted ? 0 : 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= isQuoted ? 0 : 1
            default: break
            }
            if depth == 0 { return end + 1 }
        }
        return bytes.count
    }

    /// Returns the end of a field: the end of the line, or of the quotation that contains the whole.
    private func lineEnd(from start: Int, name: Range<Int>, sign: UInt8) -> Int {
        let quote = name.lowerBound > 0 ? bytes[name.lowerBound - 1] : 0
        let closing = quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") ? quote : UInt8(ascii: "\n")
        var end = start
        while end < bytes.count, bytes[end] != closing, !"\r\n".utf8.contains(bytes[end]),
            bytes[end] != UInt8(ascii: "&") || sign != UInt8(ascii: "=")
        {
            end += 1
        }
        return end
    }

    /// Returns the range without the scheme of an `Authorization` field, or nil if it is not a secret.
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
        // A scheme alone, as in `"token_type": "bearer"`. A password may start with any word.
        if wordEnd == end, Self.schemes.contains(word) { return nil }
        if !isQuoted, wordEnd == end || extent != .phrase, Self.states.contains(word) { return nil }
        if extent == .number, isNumber(start..<end) { return nil }
        if extent == .longWord || extent == .doubtfulWord, isShortNumber(start..<end) { return nil }
        if extent == .doubtfulWord, isPlain(start..<end) { return nil }
        return start..<end
    }

    /// `404`, `-1`, `-1001`
    private func isShortNumber(_ range: Range<Int>) -> Bool {
        let digits = bytes[range].drop { $0 == UInt8(ascii: "-") }
        return digits.count <= (digits.count < range.count ? 5 : 3) && digits.allSatisfy(\.isDigit)
    }

    /// `4096`, `0.5`
    private func isNumber(_ range: Range<Int>) -> Bool {
        range.count <= 8 && bytes[range].allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    }

    /// Whether the text is a word in one case, except its first letter: `invalid_grant`, `ENOENT`, `Escape`.
    private func isPlain(_ range: Range<Int>) -> Bool {
        let letters = bytes[range].lazy.filter { !"_-.".utf8.contains($0) }
        return range.count <= 24
            && (letters.dropFirst().allSatisfy(\.isLower) && letters.first?.isDigit != true
                || letters.allSatisfy(\.isUpper))
    }

    /// Returns the end of the line, or of the last word before the next assignment: `password=correct horse user=jane`.
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

    /// Returns the position of the closing quote, or the end of the text. In JSON within JSON, one or three backslashes precede quotes.
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
        guard rules.isSecret(UnsafeBufferPointer(rebasing: bytes[name])) else { return nil }
        let normalized = String(decoding: FieldNames.normalized(bytes[name]), as: UTF8.self)
        if normalized.hasSuffix("authorization") || normalized.hasSuffix("cookie") || normalized.hasSuffix("cookies") {
            return .line
        }
        if Self.doubtful.contains(normalized) {
            if isQualified(name.lowerBound) { return nil }
            return sign == UInt8(ascii: ":") ? .doubtfulWord : .longWord
        }
        if Self.short.contains(normalized) { return .longWord }
        if Self.measures.contains(where: normalized.hasSuffix) { return .number }
        return ["pass", "pwd", "pw", "mnemonic", "seedphrase", "secret", "answer", "birth", "dob", "maiden"].contains {
            normalized.contains($0)
        }
            ? .phrase : .word
    }

    /// Whether the preceding word makes it another kind of code or key: `exit code`, `primary key`.
    private func isQualified(_ start: Int) -> Bool {
        guard start > 1, bytes[start - 1] == UInt8(ascii: " ") else { return false }
        var first = start - 1
        while first > 0, bytes[first - 1].isNamePart, start - first < 16 { first -= 1 }
        return Self.qualifiers.contains(Self.lowercased(bytes[first..<(start - 1)]))
    }

    private static func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: bytes.lazy.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Secret as names, but also common in messages.
    private static let doubtful: Set<String> = ["code", "key", "auth", "card"]
    private static let short: Set<String> = ["sig", "nonce", "salt", "sid", "pan"]

    /// The suffixes of names of amounts: `session_count`, `token_ttl`.
    private static let measures = [
        "tokens", "count", "length", "size", "limit", "ttl", "timeout", "age", "expiresin", "total",
    ]

    /// A quote as some JSON encoders escape it.
    private static let escapedQuote = "\\u0022"

    private static let qualifiers: Set<String> = [
        "exit", "error", "status", "response", "result", "return", "http", "reason", "country", "zip", "postal", "area",
        "language", "currency", "source", "close", "primary", "foreign", "partition", "sort", "cache", "public",
        "unique", "row", "hash", "index", "dictionary", "coding", "unknown", "missing", "duplicate", "json", "routing",
        "graphics", "sim", "sd", "network", "video",
    ]

    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "token", "negotiate", "ntlm", "apikey", "aws4-hmac-sha256", "hmac", "oauth",
        "mutual", "hawk", "key", "dpop", "signature", "scram-sha-1", "scram-sha-256", "vapid", "sharedkey",
        "sharedaccesssignature", "jwt", "splunk", "ssws",
    ]

    /// Words that describe tokens, sessions and passwords in messages.
    private static let states: Set<String> = [
        "expired", "invalid", "missing", "none", "null", "nil", "empty", "required", "valid", "ok", "true", "false",
        "yes", "no", "started", "ended", "closed", "opened", "open", "refreshed", "revoked", "found", "not", "unknown",
        "present", "absent", "set", "unset", "rejected", "accepted", "failed", "undefined", "denied", "created",
        "deleted", "restored", "active", "inactive", "must", "is", "was", "too", "cannot", "the", "please",
    ]
}

private let backslash = UInt8(ascii: "\\")
